import { connect, type Socket } from 'node:net';
import { lineOf } from './line.js';
import { ControlAnswer, type ControlRequest } from './protocol.js';
import { isTrusted } from './socket-path.js';

/** What a connection attempt says when no panel runs: there is no socket, or it is left over from a crash. */
const NOBODY: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

/**
 * Asks the panel that runs on this run directory. Resolves to null when none does. Rejects when the socket is a
 * stranger's, and when no answer came in `patienceMs`: then nobody knows whether it was done.
 */
export async function askControl(
  path: string,
  runDir: string,
  request: ControlRequest,
  patienceMs: number,
): Promise<ControlAnswer | null> {
  const socket = await opened(path, runDir);
  if (socket === null) return null;
  try {
    socket.setTimeout(patienceMs, () => socket.destroy(new Error(`no answer in ${patienceMs / 1000} seconds`)));
    socket.write(`${JSON.stringify(request)}\n`);
    return ControlAnswer.parse(JSON.parse(await lineOf(socket)));
  } catch (error) {
    throw new Error(`The running panel does not answer: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    socket.destroy();
  }
}

async function opened(path: string, runDir: string): Promise<Socket | null> {
  try {
    if (!isTrusted(path, runDir)) throw new Error(`${path} belongs to another account`);
    return await new Promise<Socket>((resolve, reject) => {
      const socket = connect(path);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  } catch (error) {
    if (NOBODY.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
