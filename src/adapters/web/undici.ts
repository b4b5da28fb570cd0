import { createRequire } from 'node:module';
import type { buildConnector, Client } from 'undici';

interface Library {
  readonly Client: typeof Client;
  readonly buildConnector: typeof buildConnector;
}

/** Not `import`: on a busy machine Node 20 may return an empty module for CommonJS. */
const load = createRequire(import.meta.url);

/** The HTTP client. It is loaded with the first request: that takes as long as a tenth of the start of the panel. */
export const undici = (): Library => load('undici') as Library;
