import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { LogError, type LogLevel, type LogQuery } from '../../commands/ports/logs.js';
import { type Message, message } from '../../messages/message.js';
import { cleanLine } from './clean.js';
import { redact } from './redact.js';

const run = promisify(execFile);
const TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_LINE_CHARS = 4000;
const UNIT = /\/([\w@.:-]+\.service)$/m;
const priorities: Readonly<Record<LogLevel, string>> = {
  debug: 'debug',
  info: 'info',
  notice: 'notice',
  warning: 'warning',
  error: 'err',
};

export interface JournalOptions {
  /** The program that reads the journal. */
  readonly program?: string;
  /** The kernel's file that names the service of this process. */
  readonly membership?: string;
  readonly secrets?: () => Iterable<string>;
}

/** The lines of the panel's own service, oldest first. Rejects with `LogError`. */
export async function journalLines(
  { count, least }: LogQuery,
  options: JournalOptions = {},
): Promise<readonly string[]> {
  const { program = 'journalctl', membership = '/proc/self/cgroup', secrets = () => [] } = options;
  const unit = unitIn(membership);
  if (unit === null) throw new LogError(message('core.journalNotAService'));
  const wanted = ['--unit', unit, '--no-pager', '--quiet', '--lines', String(count), '--priority', priorities[least]];
  try {
    const { stdout } = await run(program, wanted, {
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
      env: { PATH: '/usr/bin:/bin:/usr/local/bin', LANG: 'C.UTF-8' },
    });
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.slice(-count).map((line) => cleanLine(redact(line, secrets()), MAX_LINE_CHARS));
  } catch (error) {
    throw new LogError(message('core.journalUnreadable', { why: reasonOf(error) }), { cause: error });
  }
}

function unitIn(membership: string): string | null {
  try {
    return UNIT.exec(readFileSync(membership, 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

function reasonOf(error: unknown): Message {
  const { code, killed } = error as { code?: unknown; killed?: boolean };
  if (code === 'ENOENT') return message('core.journalctlMissing');
  if (killed === true) return message('core.journalctlTimedOut');
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return message('core.journalTooLarge');
  return message('core.journalctlFailed');
}
