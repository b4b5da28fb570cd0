import { connect, type Socket } from 'node:net';
import { failureText } from '../../lib/errors/failure-text.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import { lineOf } from './line.js';
import { ControlAnswer, type ControlRequest } from './protocol.js';
import { isTrusted } from './socket-path.js';

/** Error codes of a connection attempt when no panel runs: the socket is missing, or left over from a crash. */
const NOT_RUNNING: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

/**
 * Sends a request to the panel that runs on this run directory. Resolves to null when none runs. Rejects with `MessageError`
 * when another account owns the socket, and when there is no answer within `timeoutMs`; the request may have been executed.
 */
export async function askControl(
  path: string,
  runDir: string,
  request: ControlRequest,
  timeoutMs: number,
): Promise<ControlAnswer | null> {
  const socket = await opened(path, runDir);
  if (socket === null) return null;
  try {
    socket.setTimeout(timeoutMs, () =>
      socket.destroy(new MessageError(message('cli.noAnswer', { timeout: timeoutMs }))),
    );
    socket.write(`${JSON.stringify(request)}\n`);
    return parseAnswer(await lineOf(socket));
  } catch (error) {
    throw new MessageError(message('cli.panelSilent', { why: failureText(error) }), { cause: error });
  } finally {
    socket.destroy();
  }
}

function parseAnswer(line: string): ControlAnswer {
  try {
    return ControlAnswer.parse(JSON.parse(line));
  } catch (cause) {
    throw new MessageError(message('cli.panelAnswerUnknown'), { cause });
  }
}

async function opened(path: string, runDir: string): Promise<Socket | null> {
  try {
    if (!isTrusted(path, runDir)) throw new MessageError(message('cli.socketForeign', { path }));
    return await new Promise<Socket>((resolve, reject) => {
      const socket = connect(path);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  } catch (error) {
    if (NOT_RUNNING.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
