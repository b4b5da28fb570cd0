import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';
import { startTimeout } from '../../../lib/timeout.js';
import { binaryUnusable } from './binary-errors.js';
import { killGroup } from './proc.js';

/** How long a question to the executable may take, in ms: 40,000 accounts are tested in two seconds. */
const TIMEOUT_MS = 15_000;
const LARGEST_OUTPUT = 4 * 1024 * 1024;
/** After the process has ended, for what it left in its pipes, in ms. */
const DRAIN_MS = 1000;

export interface Outcome {
  readonly ok: boolean;
  /** Standard output, then standard error. */
  readonly output: string;
}

interface RunOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** A line of the output that answers the question: the process is ended, and the outcome is ok. */
  readonly until?: RegExp | undefined;
}

/**
 * Runs the executable to its end. Rejects with `CoreError` 'missing' when there is none, 'refused' when it cannot be
 * started, and 'unreachable' when it hangs or never stops printing: then it is ended, with everything that it started.
 */
export function runBinary(
  path: string,
  args: readonly string[],
  { cwd, environment, until }: RunOptions,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    // A process group of its own, so that what it starts ends with it.
    const child = spawn(path, args, { cwd, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: { readonly out: Buffer[]; readonly err: Buffer[] } = { out: [], err: [] };
    let size = 0;
    let drain: NodeJS.Timeout | undefined;
    const settle = (finish: () => void): void => {
      ended();
      clearTimeout(drain);
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      finish();
    };
    const giveUp = (why: string): void => {
      killGroup(child.pid);
      settle(() => reject(new CoreError('unreachable', why)));
    };
    const ended = startTimeout(TIMEOUT_MS, () =>
      giveUp(`The core gave no answer in ${TIMEOUT_MS / 1000} seconds (${basename(path)})`),
    );
    const keep = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size > LARGEST_OUTPUT) return giveUp('The core does not stop printing');
      into.push(chunk);
      if (until === undefined || !until.test(textOf(into))) return;
      killGroup(child.pid);
      settle(() => resolve({ ok: true, output: textOf(into) }));
    };
    child.stdout.on('data', keep(chunks.out));
    child.stderr.on('data', keep(chunks.err));
    child.once('error', (error) => settle(() => reject(binaryUnusable(path, error))));
    const end = (code: number | null): void =>
      settle(() => resolve({ ok: code === 0, output: `${textOf(chunks.out)}\n${textOf(chunks.err)}` }));
    child.once('close', end);
    // A grandchild may hold the pipes open for ever.
    child.once('exit', (code) => {
      drain = setTimeout(() => {
        killGroup(child.pid);
        end(code);
      }, DRAIN_MS);
    });
  });
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
