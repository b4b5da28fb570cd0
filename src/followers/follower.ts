import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import { guardProcess } from '../control/signals.js';
import type { CertificateAndKey, Endpoint } from '../http/server/listening/endpoint.js';
import { MissLimiter } from '../http/server/miss-limiter.js';
import { createSubscriptionServer } from '../http/subscription/subscription-server.js';
import { textOf } from '../messages/error.js';
import { render } from '../messages/render.js';
import { FollowedModels } from '../projections/subscription/followed-models.js';
import { openTail } from '../store/tail.js';
import type { FromFollower, KeyText, ToFollower } from './protocol.js';

// A process that answers subscriptions beside the panel. It reads the log by itself and receives the listening sockets over
// the IPC channel. The argument is the database of the log.

process.umask(0o077);
guardProcess();
// A terminal and a service manager send their signals to this process too, but the panel ends it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit(1));

try {
  const { tail, snapshots } = openTail(dataDirectory(dirname(process.argv[2] ?? '')));
  serve(new FollowedModels(tail, snapshots));
} catch (error) {
  end(error);
}

function serve(models: FollowedModels): void {
  let domain = '';
  const catchUp = (): void => {
    try {
      models.catchUp();
    } catch (error) {
      // The models may be incomplete now.
      end(error);
      throw error;
    }
  };
  const server = createSubscriptionServer({
    ...{ read: models, now: Date.now, catchUp },
    subDomain: () => domain,
    log: { warn: reportAs('warn'), error: reportAs('error') },
    misses: new MissLimiter(Date.now, missReporter()),
  });
  const endpoints = new Map<number, Endpoint>();

  const obey = (message: ToFollower, handle: Server): void => {
    switch (message.kind) {
      case 'serve':
        domain = message.domain;
        endpoints.set(message.endpoint, server.endpoints.adopt(handle, pairOf(message.key)));
        return tell({ kind: 'serving', endpoint: message.endpoint });
      case 'domain':
        domain = message.domain;
        return;
      case 'secure':
        return endpoints.get(message.endpoint)?.secure(pairOf(message.key));
      case 'copy':
        return tell(message, endpoints.get(message.endpoint)?.front.copy());
      case 'leave': {
        const endpoint = endpoints.get(message.endpoint);
        endpoints.delete(message.endpoint);
        // Releases the port at once, and then completes running requests.
        if (endpoint) void server.endpoints.close(endpoint);
        return;
      }
      case 'misses':
        return message.networks.forEach((network) => server.misses.count(network));
      case 'beat':
        catchUp();
        return tell({ kind: 'beat', position: models.position });
      case 'close':
        return void server.close().then(() => process.exit(0));
    }
  };
  process.on('message', (message, handle) => obey(message as ToFollower, handle as Server));
  tell({ kind: 'ready', position: models.position });
}

function tell(message: FromFollower, handle?: Server, sent?: () => void): void {
  process.send?.(message, handle, {}, sent);
}

function reportAs(level: 'warn' | 'error') {
  return (fields: object, message: string): void =>
    tell({ kind: 'log', level, message, fields: Object.fromEntries(Object.entries(fields).map(plainField)) as object });
}

/** JSON has no errors. */
function plainField([name, value]: [string, unknown]): [string, unknown] {
  return [name, value instanceof Error ? (value.stack ?? value.message) : value];
}

/** Ends this process. The panel starts another one. */
function end(error: unknown): void {
  const fields = { problem: render(textOf(error), 'en') };
  tell({ kind: 'log', level: 'error', message: 'a follower cannot read the log', fields }, undefined, () =>
    process.exit(1),
  );
}

function pairOf(key: KeyText | null): CertificateAndKey | null {
  return key && { cert: Buffer.from(key.cert), key: Buffer.from(key.key) };
}

/** Reports failed guesses to the other processes: one message for those of one turn of the event loop. */
function missReporter(): (network: string) => void {
  let networks: string[] = [];
  return (network) => {
    if (networks.push(network) > 1) return;
    setImmediate(() => {
      tell({ kind: 'misses', networks });
      networks = [];
    });
  };
}
