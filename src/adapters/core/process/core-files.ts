import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { CorePaths } from '../config/assembly.js';

export interface CoreFilesOptions {
  readonly runDir: string;
  readonly logDir: string;
  /** Folder of the geo files. */
  readonly assetDir: string;
  /** Faster, but then the traffic of some connections is counted only when they end. */
  readonly splice: boolean;
}

/** The files of a core and its environment. All paths are absolute. */
export interface CoreFiles {
  readonly paths: CorePaths;
  readonly dataDir: string;
  readonly configFile: string;
  readonly pidFile: string;
  readonly appliedFile: string;
  /** What the core prints before and beside its logs. */
  readonly outputFile: string;
  readonly environment: NodeJS.ProcessEnv;
}

export function coreFiles(options: CoreFilesOptions): CoreFiles {
  const runDir = resolve(options.runDir);
  const logDir = resolve(options.logDir);
  const assetDir = resolve(options.assetDir);
  const dataDir = dirname(runDir);
  return {
    paths: { runDir, logDir, assetDir, socket: socketIn(runDir), trace: join(runDir, 'trace.log'), metrics: null },
    dataDir,
    configFile: join(runDir, 'core-config.json'),
    pidFile: join(runDir, 'core.json'),
    appliedFile: join(runDir, 'applied.json'),
    outputFile: join(logDir, 'core-output.log'),
    // Nothing of the panel's own environment, because `env:NAME` in a configuration could leak it.
    environment: {
      XRAY_LOCATION_ASSET: assetDir,
      XRAY_LOCATION_CERT: dataDir,
      XRAY_JSON_STRICT: 'true',
      ...(options.splice ? {} : { XRAY_BUF_SPLICE: 'disable' }),
    },
  };
}

/** The path of a unix socket is limited to 107 bytes; a deep data directory gets its own short one. */
function socketIn(runDir: string): string {
  const socket = join(runDir, 'core.sock');
  if (Buffer.byteLength(socket) <= 95) return socket;
  const name = createHash('sha256').update(runDir).digest('hex').slice(0, 16);
  return join(tmpdir(), `portolan-${name}`, 'core.sock');
}
