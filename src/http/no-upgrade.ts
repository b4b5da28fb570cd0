import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Ends a connection that asked for another protocol, with a status line such as `404 Not Found` and nothing else. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/**
 * Answers a request that offers a protocol which nobody speaks here, such as the `Upgrade: h2c` of Java's HTTP client, as
 * if it did not (RFC 9110, 7.8). Node gives its connection away, so it ends with the answer, and a body cannot be read.
 */
export function answerPlainly(req: IncomingMessage, socket: Duplex, listener: RequestListener): void {
  if (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0) {
    refuseUpgrade(socket, '400 Bad Request');
    return;
  }
  socket.on('error', () => socket.destroy());
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket as Socket);
  res.once('finish', () => socket.end(() => socket.destroy()));
  listener(req, res);
}
