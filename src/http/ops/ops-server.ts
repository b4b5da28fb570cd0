import type { Server, ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import { Readable } from 'node:stream';
import type { EventLog } from '../../events/log/log.js';
import { render } from '../../messages/render.js';
import type { ReadModels } from '../../projections/read-models.js';
import { hostOf } from '../panel/auth/peer.js';
import { hardenedServer } from '../server/listening/listen.js';
import type { Metrics } from './metrics.js';

/** Why the panel cannot give current answers, or null when it can. */
export function panelNotReadyReason(read: ReadModels, log: Pick<EventLog, 'head'>): string | null {
  const { position } = log.head();
  const behind = read.follower.foldings.filter((folding) => folding.position < position).map(({ fold }) => fold.name);
  return behind.length === 0 ? null : `behind the log: ${behind.join(', ')}`;
}

/** Why the core is not running although it should be; null when it is. */
export function coreNotReadyReason(read: Pick<ReadModels, 'records'>): string | null {
  const { state, wanted, error } = read.records.core().process;
  if (!wanted || state === 'running') return null;
  return error === null ? 'the core is not running' : `the core is not running: ${render(error, 'en')}`;
}

interface Ops {
  /** Why the panel does not work fully, or null. */
  readonly panel: () => string | null;
  /** The readiness of the core. A failed core is no reason to restart the panel. */
  readonly core: () => string | null;
  readonly metrics: Metrics;
  /** Figures of each client, in chunks; null = the operator does not export them. */
  readonly clients: (() => AsyncIterable<string>) | null;
}

/**
 * Health and metrics for the local machine; bind it to a loopback address. Requests for another host name are rejected: a
 * page of another site may have pointed its own name here (DNS rebinding).
 */
export function createOpsServer({ panel, core, metrics, clients }: Ops): Server {
  return hardenedServer((req, res) => {
    const answer = answering(res, req.method === 'HEAD');
    if (!isHome(req.headers.host)) return answer(421, 'ask for localhost');
    const readiness = (reason: string | null): void => answer(reason === null ? 200 : 503, reason ?? 'ready');
    const path = req.method === 'GET' || req.method === 'HEAD' ? req.url?.split('?')[0] : '';
    if (path === '/healthz') return answer(200, 'ok');
    if (path === '/readyz') return readiness(panel());
    if (path === '/readyz/core') return readiness(core());
    if (path === '/metrics') {
      metrics.text().then(
        (text) => answer(200, text, metrics.type),
        () => answer(500, 'the figures cannot be read'),
      );
      return;
    }
    if (path === '/metrics/clients' && clients !== null) {
      if (req.method === 'HEAD') return answer(200, '', metrics.type);
      head(res, 200, metrics.type);
      const figures = Readable.from(clients());
      figures.on('error', () => res.destroy());
      res.on('close', () => figures.destroy());
      figures.pipe(res);
      return;
    }
    return answer(404, 'not found');
  });
}

/** Programs without a browser may use HTTP 1.0, which has no Host header. */
function isHome(host: string | undefined): boolean {
  if (host === undefined) return true;
  const { hostname } = hostOf(host);
  return hostname === 'localhost' || hostname === '::1' || (isIPv4(hostname) && hostname.startsWith('127.'));
}

function answering(res: ServerResponse, empty: boolean) {
  return (status: number, text: string, type = 'text/plain'): void => {
    head(res, status, type);
    res.end(empty ? undefined : `${text.trimEnd()}\n`);
  };
}

function head(res: ServerResponse, status: number, type: string): void {
  res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
}
