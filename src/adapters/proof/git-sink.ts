import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SinkError } from '../../commands/ports/head-sinks.js';
import type { SignedHead } from '../../lib/proof/signed-head.js';
import { message } from '../../messages/message.js';
import { appendHeads } from './file-sink.js';

const run = promisify(execFile);

const TIMEOUT_MS = 30_000;
/** Characters of git's message in an error. */
const MAX_QUOTED_CHARS = 200;
/** Nothing in the repository may run as the panel, and nothing may ask for a password. */
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'commit.gpgSign=false'];
const AUTHOR = ['-c', 'user.name=Portolan', '-c', 'user.email=portolan@localhost'];

interface Failure extends Error {
  readonly code?: string | number;
  readonly stderr?: string;
}

/**
 * Commits heads to `heads-<panel>.jsonl` in the work tree of a git repository. Other changes there are not committed. Rejects
 * with `SinkError`.
 */
export async function commitHeads(
  folder: string,
  heads: readonly SignedHead[],
  { dataDir, signal }: { readonly dataDir: string; readonly signal: AbortSignal },
): Promise<void> {
  const last = heads.at(-1);
  if (!last) return;
  const name = `heads-${last.panel}.jsonl`;
  const git = async (...args: readonly string[]): Promise<string> => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
    };
    try {
      const { stdout } = await run('git', ['-C', folder, ...SAFE, ...args], { env, signal, timeout: TIMEOUT_MS });
      return stdout.trim();
    } catch (error) {
      throw failureOf(error as Failure, folder);
    }
  };
  if ((await git('rev-parse', '--is-inside-work-tree')) !== 'true')
    throw new SinkError(message('proof.gitNotWorkTree', { folder }));
  appendHeads(join(folder, name), heads, dataDir);
  await git('add', '--', name);
  // Nothing is left to commit when the attempt before was interrupted after its commit.
  if ((await git('status', '--porcelain', '--', name)) === '') return;
  await git(...AUTHOR, 'commit', '--quiet', '--message', `Head of position ${last.position}`, '--', name);
}

function failureOf(error: Failure, folder: string): SinkError {
  if (error.code === 'ENOENT') return new SinkError(message('proof.gitMissing'), { cause: error });
  const problem = (error.stderr?.trim() || error.message).slice(0, MAX_QUOTED_CHARS);
  if (/not a git repository|cannot change to/i.test(problem))
    return new SinkError(message('proof.gitNotWorkTree', { folder }), { cause: error });
  return new SinkError(message('proof.gitFailed', { problem }), { cause: error });
}
