import { describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../src/http/listen.js';
import { createMetrics } from '../../src/http/metrics.js';
import { createOpsServer, unreadiness } from '../../src/http/ops-server.js';
import { alice, bob, inboundDraft, T0, userId } from '../kit/builders.js';
import { startPanel } from './kit/panel.js';

describe('the health port', () => {
  it('tells whether the read models are at the head of the log', async () => {
    const panel = await startPanel();
    let ahead = 0;
    const head = () => ({ ...panel.log.head(), position: panel.log.head().position + ahead });
    const metrics = createMetrics({ read: panel.read, log: panel.log, version: '1.2.3', now: () => T0 });
    const server = createOpsServer(() => unreadiness(panel.read, { head }), metrics);
    const { port } = await listen(server, 0, '127.0.0.1');
    const status = async (path: string, method = 'GET') =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
    try {
      expect(await status('/readyz')).toBe(200);
      ahead = 1;
      expect(await status('/readyz')).toBe(503);
      expect(await status('/healthz')).toBe(200);
      expect(await status('/healthz', 'POST')).toBe(404);
      expect(await status('/login')).toBe(404);
    } finally {
      await closeServer(server);
    }
  });

  it('gives the figures to a scraper, and names nobody', async () => {
    const panel = await startPanel();
    const metrics = createMetrics({ read: panel.read, log: panel.log, version: '1.2.3', now: () => T0 });
    const server = createOpsServer(() => null, metrics);
    const { port } = await listen(server, 0, '127.0.0.1');
    const scrape = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=/);
      return (await answer.text()).split('\n');
    };
    try {
      expect(await scrape()).toContain('portolan_inbounds 0');
      const off = { ...bob, terms: { ...bob.terms, enabled: false } };
      panel.given({ type: 'AddInbound', data: { ...inboundDraft({ clients: [alice, off] }), owner: userId(1) } });
      const lines = await scrape();
      expect(lines).toEqual(
        expect.arrayContaining([
          'portolan_info{version="1.2.3"} 1',
          'portolan_inbounds 1',
          'portolan_clients{state="allowed"} 1',
          'portolan_clients{state="disabled"} 1',
          'portolan_clients{state="depleted"} 0',
          'portolan_inbound_bytes_total{tag="in-1"} 0',
          `portolan_log_position ${panel.log.head().position}`,
          'portolan_core_up 0',
        ]),
      );
      expect(lines.join('\n')).not.toMatch(/alice|bob/);
    } finally {
      await closeServer(server);
    }
  });
});
