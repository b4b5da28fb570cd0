// Finds the NATS server that a cluster of panels needs, or compiles the pinned version from its Go module. One machine needs
// none, so only the tests and `npm run cluster` ask for it.
//   PORTOLAN_NATS_BIN   the path of an existing program
import { delimiter, join } from 'node:path';
import { answers, cached, keep, reasonOf } from './cache.mjs';
import { compileGo } from './go.mjs';

const SERVER = {
  name: 'nats-server',
  module: 'github.com/nats-io/nats-server/v2',
  version: '2.15.2',
  sum: 'h1:yLsgt2kslgymvxvjFq1WGWck5hkat2YYfbXvQ145tzU=',
  package: '.',
  purpose: 'which a cluster needs (once, about a minute)',
};

const runs = (path, version = '2.15.') => answers(path, ['--version'], `nats-server: v${version}`);

/** Returns the path of a NATS server that runs, or undefined. Reports a configured path that does not run. */
export async function findNats() {
  const configured = process.env.PORTOLAN_NATS_BIN;
  if (configured) {
    if (await runs(configured, '')) return configured;
    console.warn(`PORTOLAN_NATS_BIN is set to ${configured}, which does not run as a NATS server.`);
    return undefined;
  }
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, SERVER.name);
    if (await runs(path)) return path;
  }
  const kept = cachedServer();
  return (await runs(kept)) ? kept : undefined;
}

/** As `findNats`, but compiles the server if there is none. Returns undefined, after a message, when that fails. */
export async function ensureNats() {
  const found = await findNats();
  if (found || process.env.PORTOLAN_NATS_BIN) return found;
  const path = cachedServer();
  try {
    await keep(path, (folder) => compileGo(SERVER, folder), runs);
    return path;
  } catch (error) {
    console.warn(`The NATS server ${SERVER.version} could not be compiled: ${reasonOf(error)}.`);
    return undefined;
  }
}

const cachedServer = () => cached('nats', SERVER.version, SERVER.name);
