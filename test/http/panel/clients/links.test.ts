import { describe, expect, it } from 'vitest';
import { draft, one } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';

const headers = { authorization: 'Bearer secret-token', 'content-type': 'application/json' };

interface Links {
  readonly clients: readonly { readonly id: number; readonly email: string; readonly links: readonly string[] }[];
  readonly matched: number;
}

/** Twelve clients on the first inbound and none on the second. */
async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{}' };
  const vless = { enable: true, protocol: 'vless', ...stream, settings: '{"clients":[],"decryption":"none"}' };
  for (const [remark, port] of [
    ['home', 4433],
    ['away', 4434],
  ] as const)
    await panel.call('POST', '/panel/api/inbounds/add', { headers, body: JSON.stringify({ ...vless, remark, port }) });
  const clients = Array.from({ length: 12 }, (_, n) => draft(`sailor-${String(n + 1).padStart(2, '0')}`, n + 1));
  panel.given({ type: 'AddClients', data: { inbound: one, clients } });
  panel.appended();
  const links = async (query: string): Promise<Links> => {
    const { json } = await panel.call('GET', `/panel/api/clients/links${query}`, { headers });
    return json?.obj as Links;
  };
  return { panel, links };
}

describe('the links of the clients of an inbound', () => {
  it('come in pages by email, each client with its own links, and change nothing', async () => {
    const { panel, links } = await start();
    const first = await links('?inbound=1&limit=10');
    expect(first.matched).toBe(12);
    expect(first.clients).toHaveLength(10);
    const { clients } = await links('?inbound=1&limit=10&offset=10');
    expect(clients.map(({ email }) => email)).toStrictEqual(['sailor-11', 'sailor-12']);
    const { json } = await panel.call('GET', '/panel/api/inbounds/getClientLinks/1/sailor-12', { headers });
    expect(clients[1]?.links).toStrictEqual(json?.obj);
    expect(clients[1]?.links[0]).toMatch(/^vless:\/\//);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('match a search, and an inbound without clients has none', async () => {
    const { links } = await start();
    expect(await links('?inbound=1&search=sailor-07')).toMatchObject({ matched: 1, clients: [{ email: 'sailor-07' }] });
    expect(await links('?inbound=2')).toStrictEqual({ matched: 0, clients: [] });
  });
});
