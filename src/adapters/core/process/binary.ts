import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import { message, type Text, verbatim } from '../../../messages/message.js';
import { lastWords } from '../control/grpc.js';
import { decode, type TypedMessage } from '../control/messages.js';
import { binaryMissing, binaryUnusable } from './binary-errors.js';
import { type Outcome, runBinary } from './run-binary.js';

interface BinaryOptions {
  /** Path of the executable, or null when there is none. */
  readonly path: string | null;
  /** The folder for configurations while the executable reads them. */
  readonly runDir: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The executable that is in use, which can be replaced while a core runs. */
export class SelectedBinary {
  readonly #options: Omit<BinaryOptions, 'path'>;
  #current: Binary;

  constructor(path: string | null, options: Omit<BinaryOptions, 'path'>) {
    this.#options = options;
    this.#current = this.at(path);
  }

  get current(): Binary {
    return this.#current;
  }

  use(path: string | null): void {
    this.#current = this.at(path);
  }

  /** Another executable, without selecting it. */
  at(path: string | null): Binary {
    return binaryOf({ ...this.#options, path: path === null ? null : resolve(path) });
  }
}

/** Printed by the core at log level `warning` once all of its parts have started. */
const STARTED = /core: Xray \S+ started/;

/** A configuration as `xray convert pb` writes it. */
export interface Converted {
  readonly inbound: readonly {
    readonly tag: string;
    readonly receiver_settings: TypedMessage | null;
    readonly proxy_settings: TypedMessage | null;
  }[];
  readonly app: readonly TypedMessage[];
}

/** Commands of the executable that do not start a core. */
export interface Binary {
  readonly path: string | null;
  /** Null when there is no executable or it prints no version. Cached until the file changes. */
  version(): Promise<string | null>;
  /** The same. Rejects with `CoreError` 'missing' when there is none, else 'refused' or 'unreachable'. */
  neededVersion(): Promise<string>;
  /** Rejects with `CoreError` 'missing', 'refused', 'unreachable' or 'invalid'. */
  test(config: JsonObject): Promise<void>;
  /**
   * Starts a core with this configuration and ends it as soon as it is up. `test` builds a core but starts nothing, and some
   * parts, such as fake DNS pools, fail only when they start. Rejects as `test` does. All ports of the configuration must be
   * free.
   */
  boot(config: JsonObject): Promise<void>;
  /** The same as `test` for inbounds on their own. */
  testInbounds(config: { readonly inbounds: readonly JsonObject[] }): Promise<void>;
  /** Rejects as `test` does. */
  convert(config: JsonObject): Promise<Converted>;
  /** What a command without a configuration prints. Rejects with `CoreError` 'missing', 'unreachable' or 'refused'. */
  ask(args: readonly string[]): Promise<string>;
}

function binaryOf({ path, runDir, environment }: BinaryOptions): Binary {
  let known: { readonly modified: number; readonly version: string | null } | null = null;

  const run = (args: readonly string[], until?: RegExp): Promise<Outcome> => {
    if (path === null) return Promise.reject(binaryMissing());
    return runBinary(path, args, { cwd: runDir, environment, until });
  };

  const withFile = async <T>(config: JsonObject, use: (file: string) => Promise<T>): Promise<T> => {
    await mkdir(runDir, { recursive: true, mode: 0o700 });
    const file = join(runDir, `candidate-${randomUUID()}.json`);
    try {
      const handle = await open(file, 'wx', 0o600);
      try {
        await handle.writeFile(JSON.stringify(config));
      } finally {
        await handle.close();
      }
      return await use(file);
    } finally {
      await rm(file, { force: true });
    }
  };

  const versionNow = async (): Promise<string | null> => {
    if (path === null) throw binaryMissing();
    const { mtimeMs } = await stat(path).catch((error: Error) => {
      throw binaryUnusable(path, error);
    });
    if (known?.modified === mtimeMs) return known.version;
    await mkdir(runDir, { recursive: true, mode: 0o700 });
    const { output } = await run(['version']);
    known = { modified: mtimeMs, version: /^\S+ (\d[\w.-]*)/m.exec(output)?.[1] ?? null };
    return known.version;
  };

  const tryOut = (config: JsonObject, flags: readonly string[], until?: RegExp): Promise<void> =>
    withFile(config, async (file) => {
      const outcome = await run(['run', ...flags, '-format', 'json', '-c', file], until);
      if (!outcome.ok) throw complaint(outcome.output, runDir);
    });
  const test = (config: JsonObject): Promise<void> => tryOut(config, ['-test']);

  return {
    path,
    version: () => versionNow().catch(() => null),
    neededVersion: async () => {
      const version = await versionNow();
      if (version === null) throw new CoreError('refused', message('core.versionUnknown'));
      return version;
    },
    test,
    boot: (config) => tryOut(config, [], STARTED),
    testInbounds: ({ inbounds }) => test({ log: { loglevel: 'warning', access: 'none' }, inbounds }),
    convert: (config) =>
      withFile(config, async (file) => {
        const converted = `${file}.pb`;
        try {
          // The core creates its output readable for all users; an existing file keeps its mode.
          await (await open(converted, 'wx', 0o600)).close();
          const outcome = await run(['convert', 'pb', '-outpbfile', converted, file]);
          if (!outcome.ok) throw complaint(outcome.output, runDir);
          return decode<Converted & object>('xray.core.Config', await readFile(converted));
        } finally {
          await rm(converted, { force: true });
        }
      }),
    ask: async (args) => {
      await mkdir(runDir, { recursive: true, mode: 0o700 });
      const { ok, output } = await run(args);
      if (!ok) throw new CoreError('refused', message('core.commandUnknown', { command: args[0] ?? '' }));
      return output;
    },
  };
}

/** The error of a core that rejected its configuration: the last of the causes that it printed, and the inbound if it names one. */
export function complaint(output: string, runDir: string): CoreError {
  const chain = /^.*?(?:Failed to start: |failed to load config: )(.*)$/m.exec(output)?.[1];
  if (chain === undefined) {
    const panic = /^panic: (.*)$/m.exec(output)?.[1];
    if (panic === undefined) return new CoreError('invalid', message('core.rejectedWithoutReason'));
    const why = withoutFiles(lastWords(panic), runDir);
    return new CoreError('invalid', message('core.crashesWithConfiguration', { why }));
  }
  return new CoreError('invalid', withoutFiles(lastWords(chain), runDir), {
    inbound: /inbound config with tag (.+?) > /.exec(chain)?.[1] ?? null,
    // Names the list of a geo file.
    cause: /illegal (?:domain|ip) rule: .*/.exec(chain)?.[0],
  });
}

/** Replaces the paths of temporary files, which are useless to the reader. */
function withoutFiles(text: Text, runDir: string): Text {
  if (!('verbatim' in text)) return text;
  const words = text.verbatim
    .replaceAll(/\[?[^\s[\]]*candidate-[0-9a-f-]+\.json(\.pb)?\]?/g, 'the configuration')
    .replaceAll(runDir, 'the run directory')
    .slice(0, 1000);
  return verbatim(words);
}
