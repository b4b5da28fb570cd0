import { describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../src/http/listen.js';
import { createOpsServer, unreadiness } from '../../src/http/ops-server.js';
import { startPanel } from './kit/panel.js';

describe('the health port', () => {
  it('tells whether the read models are at the head of the log', async () => {
    const panel = await startPanel();
    let ahead = 0;
    const head = () => ({ ...panel.log.head(), position: panel.log.head().position + ahead });
    const server = createOpsServer(() => unreadiness(panel.read, { head }));
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
});
