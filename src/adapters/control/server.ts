import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { message } from '../../messages/message.js';
import { lineOf } from './line.js';
import { type ControlAnswer, ControlRequest } from './protocol.js';
import { makeSocketFolder } from './socket-path.js';

/** How long a connection may take to send its request, and to read the answer, in ms. */
const TIMEOUT_MS = 10_000;
/** Limit of open connections; further ones are closed. */
const MAX_CONNECTIONS = 16;

interface ControlServer {
  /** Closes the open connections and deletes the socket. */
  close(): Promise<void>;
}

/**
 * Listens on a unix socket that only this account, which owns the data directory, can open. The caller must hold the lock
 * of that directory, so an existing socket is left over and is deleted. `answer` must not reject.
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
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    void serve(socket, answer);
  });
  server.maxConnections = MAX_CONNECTIONS;
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

async function serve(socket: Socket, answer: (request: ControlRequest) => Promise<ControlAnswer>): Promise<void> {
  let line: string;
  try {
    line = await lineOf(socket);
  } catch {
    socket.destroy();
    return;
  }
  // The operation itself has no time limit.
  socket.setTimeout(0);
  const request = parseRequest(line);
  const result: ControlAnswer = request ? await answer(request) : { ok: false, error: message('cli.requestInvalid') };
  socket.end(`${JSON.stringify(result)}\n`);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
}

function parseRequest(line: string): ControlRequest | null {
  try {
    return ControlRequest.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
