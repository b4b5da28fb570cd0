import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { message } from '../../messages/message.js';
import { lineOf } from './line.js';
import { type ControlAnswer, ControlRequest } from './protocol.js';
import { makeSocketFolder } from './socket-path.js';

/** How long an operator may take to say what is wanted, in ms. */
const PATIENCE_MS = 10_000;
/** Operators at once; more are turned away. */
const AT_ONCE = 16;

export interface ControlServer {
  /** Ends what is open and takes the socket away. */
  close(): Promise<void>;
}

/**
 * Listens on a unix socket that only this account can open: whoever reaches it owns the data directory anyway. The
 * caller holds the lock of that directory, so a socket that is there already is left over. `answer` must not reject.
 */
export async function serveControl(
  path: string,
  answer: (request: ControlRequest) => Promise<ControlAnswer>,
): Promise<ControlServer> {
  makeSocketFolder(path);
  rmSync(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    void attend(socket, answer);
  });
  server.maxConnections = AT_ONCE;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
      rmSync(path, { force: true });
    },
  };
}

async function attend(socket: Socket, answer: (request: ControlRequest) => Promise<ControlAnswer>): Promise<void> {
  let line: string;
  try {
    line = await lineOf(socket);
  } catch {
    socket.destroy();
    return;
  }
  // The work itself may take as long as it takes.
  socket.setTimeout(0);
  const request = requestIn(line);
  const said: ControlAnswer = request ? await answer(request) : { ok: false, error: message('cli.requestInvalid') };
  socket.end(`${JSON.stringify(said)}\n`);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
}

function requestIn(line: string): ControlRequest | null {
  try {
    return ControlRequest.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
