import type { Server } from 'node:http';
import type { EventLog } from '../events/log.js';
import type { ReadModels } from '../projections/read-models.js';
import { hardenedServer } from './listen.js';
import type { Metrics } from './metrics.js';

/** Why the panel cannot answer truly now, or null when it can. */
export function unreadiness(read: ReadModels, log: Pick<EventLog, 'head'>): string | null {
  const { position } = log.head();
  const behind = read.foldings.filter((folding) => folding.position < position).map(({ fold }) => fold.name);
  return behind.length === 0 ? null : `behind the log: ${behind.join(', ')}`;
}

/** Health and metrics for the machine that the panel runs on: to be bound to a loopback address. */
export function createOpsServer(ready: () => string | null, metrics: Metrics): Server {
  return hardenedServer((req, res) => {
    const answer = (status: number, text: string, type = 'text/plain'): void => {
      res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
      res.end(req.method === 'HEAD' ? undefined : `${text.trimEnd()}\n`);
    };
    const path = req.method === 'GET' || req.method === 'HEAD' ? req.url : '';
    if (path === '/healthz') return answer(200, 'ok');
    if (path === '/metrics') {
      metrics.text().then(
        (text) => answer(200, text, metrics.type),
        () => answer(500, 'the figures cannot be read'),
      );
      return;
    }
    if (path !== '/readyz') return answer(404, 'not found');
    const reason = ready();
    return answer(reason === null ? 200 : 503, reason ?? 'ready');
  });
}
