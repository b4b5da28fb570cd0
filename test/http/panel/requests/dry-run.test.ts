import { describe, expect, it } from 'vitest';
import { dryRunOf } from '../../../../src/http/panel/contract/dry-run.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import type { Route } from '../../../../src/http/panel/contract/route.js';
import { draft, one } from '../../../kit/builders.js';
import { startPanel } from '../../kit/panel.js';
import { API, TOKEN_HEADERS as headers, INBOUND, wireOf } from '../../kit/samples.js';

interface Seen {
  dryRun: boolean;
  events: { type: string; what: string; subject: { name: string } | null; changes: object[]; data: object }[];
  total: number;
  effects: Record<'disconnected' | 'reconnected', { count: number; clients: { number: number; email: string }[] }>;
  head: { position: number; hash: string };
}

/** Two inbounds; clients 1 and 2 may connect, 3 is disabled. */
async function start() {
  const panel = await startPanel();
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  const send = async (path: string, body: object = {}) =>
    panel.call('POST', API + path, { headers, body: JSON.stringify(body) });
  await send('/inbounds/add', INBOUND);
  await send('/inbounds/add', { ...INBOUND, remark: 'away', port: 4434 });
  const clients = [draft('ann', 1), draft('bob', 2), draft('off', 3, { spec: { enabled: false } })];
  panel.given({ type: 'AddClients', data: { inbound: one, clients } });
  panel.given({ type: 'AdjustClientTraffic', data: { email: 'ann', up: 80, down: 5 } });
  const dry = async (path: string, body: object = {}): Promise<Seen> => {
    const answer = await send(`${path}?dryRun=true`, body);
    expect(answer.json?.success, answer.text).toBe(true);
    expect(panel.appended(), 'a dry run appends nothing').toStrictEqual([]);
    return answer.json?.obj as Seen;
  };
  return { panel, send, dry };
}

describe('a dry run', () => {
  it('names the clients that lose access and those that get it', async () => {
    const { dry } = await start();
    const clientsOf = ({ effects: { disconnected, reconnected } }: Seen) => [
      disconnected.clients.map(({ email }) => email),
      reconnected.clients.map(({ email }) => email),
    ];
    expect(clientsOf(await dry('/inbounds/setEnable/1', { enable: false }))).toStrictEqual([['ann', 'bob'], []]);
    expect(clientsOf(await dry('/clients/change', { clients: [3], action: 'enable' }))).toStrictEqual([[], ['off']]);
    const cap = { terms: [{ client: 1, capBytes: 50 }] };
    expect(clientsOf(await dry('/clients/restore', cap))).toStrictEqual([['ann'], []]);
    const added = { id: 1, settings: JSON.stringify({ clients: [wireOf('new', 77)] }) };
    expect(clientsOf(await dry('/inbounds/addClient', added))).toStrictEqual([[], ['new']]);
    expect(clientsOf(await dry('/inbounds/del/1'))).toStrictEqual([['ann', 'bob'], []]);
  });

  it('has the sentence, the subject and the changes of each event, and no secret', async () => {
    const { dry } = await start();
    const id = '7c1d1c5e-36a6-4b5e-a8f0-0123456789ab';
    const added = await dry('/inbounds/addClient', {
      id: 2,
      settings: JSON.stringify({ clients: [{ email: 'new', id }] }),
    });
    expect(added.events[0]).toMatchObject({
      type: 'ClientAdded',
      subject: { kind: 'client', name: 'new', exists: false },
    });
    expect(JSON.stringify(added)).not.toContain(id);
    const { events } = await dry('/setting/update', { pageSize: 17 });
    expect(events).toMatchObject([
      { type: 'SettingsChanged', changes: [{ field: 'pageSize', before: 25, after: 17, secret: false }] },
    ]);
    expect(events[0]?.what).not.toBe('');
  });

  it('is refused as the request is', async () => {
    const { panel, send } = await start();
    const { status, json } = await send('/inbounds/del/99?dryRun=true');
    expect([status, json]).toMatchObject([200, { success: false, code: 'INBOUND_NOT_FOUND' }]);
    const taken = await send('/inbounds/add?dryRun=true', INBOUND);
    expect(taken.json).toMatchObject({ success: false, code: 'PORT_TAKEN' });
    const invalid = await send('/inbounds/setEnable/1?dryRun=true', { enable: 'maybe' });
    expect(invalid.json).toMatchObject({ success: false, code: 'INPUT_INVALID' });
    expect(panel.appended()).toStrictEqual([]);
  });

  it('does not use up an Idempotency-Key', async () => {
    const { panel } = await start();
    const request = { headers: { ...headers, 'idempotency-key': 'k' }, body: JSON.stringify({ enable: false }) };
    await panel.call('POST', `${API}/inbounds/setEnable/1?dryRun=true`, request);
    await panel.call('POST', `${API}/inbounds/setEnable/1`, request);
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['InboundDisabled']);
  });

  it('is refused with 400 when it is neither true nor false', async () => {
    const { panel, send } = await start();
    const { status, json } = await send('/inbounds/del/1?dryRun=yes');
    expect([status, json]).toMatchObject([
      400,
      { success: false, msg: 'dryRun is "yes": it must be true or false', code: 'DRY_RUN_INVALID' },
    ]);
    expect((await send('/inbounds/setEnable/1?dryRun=false', { enable: false })).json?.success).toBe(true);
    expect(panel.appended().map(({ type }) => type)).toStrictEqual(['InboundDisabled']);
  });

  it('is refused by every route that acts outside the log, before it acts', async () => {
    const { panel, send } = await start();
    const acting = Object.values(tables)
      .flatMap((table) => Object.values(table) as Route[])
      .filter((route) => route.acts && dryRunOf(route) === null && route.auth === 'panel');
    expect(acting.length).toBeGreaterThan(30);
    for (const { path, method, upload } of acting) {
      if (upload !== null) continue;
      const at = path.replace(API, '').replace(/:\w+/g, '1');
      const { status, json } =
        method === 'GET'
          ? await panel.call('GET', `${API}${at}?dryRun=true`, { headers })
          : await send(`${at}?dryRun=true`);
      expect([status, json], path).toMatchObject([400, { code: 'DRY_RUN_UNSUPPORTED' }]);
    }
    expect(panel.appended()).toStrictEqual([]);
  });
});
