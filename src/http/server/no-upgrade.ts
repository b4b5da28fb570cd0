import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Answer } from './answer.js';
import { bareAnswer } from './headers.js';

/** Closes a connection after an upgrade request, with a status and the base headers. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.once('finish', () => socket.destroy());
  socket.end(bareAnswer(status));
}

/**
 * Answers a request that offers an unsupported protocol, such as the `Upgrade: h2c` of Java's HTTP client, as if it had no
 * offer (RFC 9110, 7.8). Node hands over the connection, so it closes after the answer, and a body cannot be read.
 */
export function serveAsHttp(req: IncomingMessage, socket: Duplex, listener: RequestListener): void {
  if (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0) {
    refuseUpgrade(socket, 400);
    return;
  }
  socket.on('error', () => socket.destroy());
  const res = new Answer(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket as Socket);
  // Node's own server does the same.
  socket.on('drain', () => res.emit('drain'));
  res.once('finish', () => socket.end(() => socket.destroy()));
  listener(req, res);
}
