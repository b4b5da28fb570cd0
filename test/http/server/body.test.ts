import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BodyRoom, bytesOf } from '../../../src/http/server/body.js';
import { BodyError } from '../../../src/http/server/json-body.js';
import { closeServer, hardenedServer, listen } from '../../../src/http/server/listening/listen.js';
import { startPanel } from '../kit/panel.js';

const LIMIT = 32 * 1024;

/** A client that has sent the head of a POST. */
function client(port: number, head: string) {
  let heard = '';
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).on('data', (data) => (heard += data.toString()));
  socket.write(`POST ${head}\r\n\r\n`);
  const until = async (text: string): Promise<void> => {
    while (!heard.includes(text)) await once(socket, 'data');
  };
  return { socket, until, closed: once(socket, 'close') };
}

/** A server with room for two bodies of the largest size. */
async function start() {
  const room = new BodyRoom(2 * LIMIT);
  const sockets: Socket[] = [];
  const server = hardenedServer((req, res) => {
    bytesOf(req, res, { limit: LIMIT, room }).then(
      (bytes) => res.end(`<${bytes.length} ${bytes.toString().slice(0, 3)}>`),
      (error: unknown) => {
        if (error instanceof BodyError) res.writeHead(error.status).end(error.message);
      },
    );
  });
  server.on('connection', (socket: Socket) => sockets.push(socket));
  const { port } = await listen(server, 0, '127.0.0.1');
  onTestFinished(() => closeServer(server));
  const send = () => client(port, `/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${LIMIT}`);
  return { sockets, send };
}

describe('bodies', () => {
  it('share a limited buffer space, which is released with the answers', async () => {
    const { sockets, send } = await start();
    const held = [send(), send()];
    for (const { socket } of held) socket.write('x'.repeat(LIMIT - 1));
    await expect.poll(() => sockets.filter(({ bytesRead }) => bytesRead > LIMIT).length).toBe(held.length);
    const refused = send();
    refused.socket.write('x');
    await refused.until('HTTP/1.1 503 ');
    await refused.until('The panel is busy with other large requests');
    for (const { socket } of held) socket.write('x');
    await Promise.all(held.map(({ until }) => until(`<${LIMIT} xxx>`)));
    const last = send();
    last.socket.write('y'.repeat(LIMIT));
    await last.until(`<${LIMIT} yyy>`);
  });

  it('of an unauthenticated caller are limited to 8 KB, in any number of chunks', async () => {
    const { port } = await startPanel();
    const head = '/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked';
    const [large, small] = [client(port, head), client(port, head)];
    large.socket.write('1\r\nx\r\n'.repeat(20_000));
    await large.until('HTTP/1.1 413 ');
    await large.closed;
    small.socket.write(`${'1\r\nx\r\n'.repeat(8000)}0\r\n\r\n`);
    await small.until('Username is required');
  });
});
