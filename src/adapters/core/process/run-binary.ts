import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { CoreError } from '../../../commands/ports/core.js';
import { startTimeout } from '../../../lib/timeout.js';
import { message, type Text } from '../../../messages/message.js';
import { binaryUnusable } from './binary-errors.js';
import { killGroup } from './proc.js';

/** Timeout of one command of the executable, in ms: 40,000 accounts are tested in two seconds. */
const TIMEOUT_MS = 15_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** How long the pipes are read after the process has exited, in ms. */
const DRAIN_MS = 1000;

export interface Outcome {
  readonly ok: boolean;
  /** Standard output, then standard error. */
  readonly output: string;
}

interface RunOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
  /** When the output matches, the process is killed, and the outcome is ok. */
  readonly until?: RegExp | undefined;
}

/**
 * Runs the executable until it exits. Rejects with `CoreError` 'missing' when there is none, 'refused' when it cannot be
 * started, and 'unreachable' when it hangs or never stops printing: then its process group is killed.
 */
export function runBinary(
  path: string,
  args: readonly string[],
  { cwd, environment, until }: RunOptions,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    // In its own process group, so that its child processes are killed with it.
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
    const giveUp = (why: Text): void => {
      killGroup(child.pid);
      settle(() => reject(new CoreError('unreachable', why)));
    };
    const ended = startTimeout(TIMEOUT_MS, () =>
      giveUp(message('core.commandTimedOut', { file: basename(path), timeout: TIMEOUT_MS })),
    );
    const keep = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) return giveUp(message('core.endlessOutput'));
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
    // A grandchild may keep the pipes open forever.
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
