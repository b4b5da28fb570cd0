import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Outbox } from '../../../src/http/live/outbox.js';
import { Connection } from '../../../src/http/server/connection.js';
import { closeServer, hardenedServer, listen, type ServerRules } from '../../../src/http/server/listening/listen.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const MIB = 1024 * 1024;
/** Long enough for a busy machine. */

async function serve(listener: RequestListener, rules: ServerRules = {}) {
  const server = hardenedServer(listener, rules);
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  const { port }: AddressInfo = await listen(server, 0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return closeServer(server);
  });
  return { port, sockets };
}

/** A client; `heard` has all bytes that it read. */
function client(port: number, reads = true) {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('error', () => undefined);
  if (reads) socket.on('data', (part) => parts.push(part));
  onTestFinished(() => void socket.destroy());
  const heard = (): string => Buffer.concat(parts).toString('latin1');
  const until = async (text: string | RegExp): Promise<void> => {
    while (!(typeof text === 'string' ? heard().includes(text) : text.test(heard()))) await once(socket, 'data');
  };
  return { socket, heard, until, closed: once(socket, 'close') };
}

/** Replies with method, path and body of each request, and lists the requests in order. */
const echo: RequestListener = (req, res) => {
  const body: Buffer[] = [];
  req.on('data', (part: Buffer) => body.push(part));
  req.on('end', () => res.end(`<${req.method} ${req.url} ${Buffer.concat(body).toString('latin1')}>`));
};

describe('pipelined requests', () => {
  it('are parsed one at a time', async () => {
    const waiting: (() => void)[] = [];
    let asked = 0;
    const { port } = await serve((req, res) => {
      asked += 1;
      waiting.push(() => res.end(`<${req.url}>`));
    });
    const { socket, until } = client(port);
    socket.write(Array.from({ length: 200 }, (_, n) => GET.replace('/', `/${n}`)).join(''));
    for (let n = 0; n < 200; n += 1) {
      await expect.poll(() => waiting.length).toBe(1);
      expect(asked).toBe(n + 1);
      waiting.shift()?.();
    }
    await until('</199>');
  });

  it('are all answered in order, also when nothing follows', async () => {
    const { port } = await serve((req, res) => res.end(`<${req.url}>`));
    const { socket, until, heard } = client(port);
    socket.end(Array.from({ length: 500 }, (_, n) => GET.replace('/', `/${n}`)).join(''));
    await until('</499>');
    expect([...heard().matchAll(/<\/(\d+)>/g)].map(([, n]) => Number(n))).toStrictEqual(
      Array.from({ length: 500 }, (_, n) => n),
    );
  });

  it('have the same result for any split of the bytes and any bodies', async () => {
    const { port } = await serve(echo);
    const body = fc
      .array(fc.constantFrom('\r\n', '\r\n\r\n', GET, 'x', '0\r\n\r\n', '\n\n', 'y'.repeat(2000)), { maxLength: 6 })
      .map((parts) => parts.join(''));
    const request = fc.oneof(
      fc.constant(['GET / HTTP/1.1\r\nHost: a\r\n\r\n', '<GET / >']),
      fc.constant(['\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n', '<GET /b >']),
      body.map((text) => [
        `POST /l HTTP/1.1\r\nHost: a\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
        `<POST /l ${text}>`,
      ]),
      fc
        .tuple(body, fc.boolean())
        .map(([text, trailer]) => [
          `POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${
            text === '' ? '' : `${text.length.toString(16)}\r\n${text}\r\n`
          }0\r\n${trailer ? 'X: y\r\n' : ''}\r\n`,
          `<POST /c ${text}>`,
        ]),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 8 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
        async (requests, cuts) => {
          const bytes = requests.map(([sent]) => sent).join('');
          const { socket, heard, until } = client(port);
          let at = 0;
          for (const cut of [...cuts.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b)]) {
            socket.write(bytes.slice(at, cut));
            at = cut;
            await new Promise((resolve) => setImmediate(resolve));
          }
          socket.write(`${bytes.slice(at)}GET /end HTTP/1.1\r\nHost: a\r\n\r\n`);
          await until('<GET /end >');
          socket.destroy();
          const bodies = heard().split(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n/);
          expect(bodies.slice(1)).toStrictEqual([...requests.map(([, answer]) => answer), '<GET /end >']);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are not read while the answer is not read', async () => {
    const text = 'x'.repeat(64 * MIB);
    let asked = 0;
    const { port, sockets } = await serve((_req, res) => {
      asked += 1;
      res.end(text);
    });
    const { socket, closed } = client(port, false);
    const sent = Buffer.from(GET.repeat(1000));
    // Until nothing more fits into the buffers on the way.
    for (let n = 0; n < 1000; n += 1) socket.write(sent);
    await expect.poll(() => sockets[0]?.bytesRead ?? 0).toBeGreaterThan(0);
    await once(socket, 'drain', { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
    expect(asked).toBe(1);
    expect(sockets[0]?.bytesRead).toBeLessThan(MIB);
    socket.destroy();
    await closed;
  });

  it('are handed over to another protocol with the bytes received', async () => {
    const { port } = await serve(echo, {
      upgrade(_req, socket, head) {
        socket.write(`101 ${head.toString()} `);
        socket.on('data', (data: Buffer) => socket.write(`then ${data.toString()}`));
      },
    });
    const { socket, until } = client(port);
    socket.write(`${GET}GET /u HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nfirst\r\n\r\nwords`);
    await until('101 first\r\n\r\nwords ');
    socket.write('later');
    await until('then later');
  });

  it('end with the one that the parser rejects', async () => {
    const { port } = await serve(echo);
    const { socket, heard, closed } = client(port);
    socket.write(`${GET}GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n${GET}`);
    await closed;
    expect(heard().match(/HTTP\/1\.1 \d+/g)).toStrictEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });

  it('wait for a body that is not read, which is discarded', async () => {
    const { port } = await serve((req, res) => res.end(`<${req.url}>`));
    const { socket, until } = client(port);
    socket.write(`POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: ${MIB}\r\n\r\n`);
    await until('</p>');
    socket.write(`${'x'.repeat(MIB)}${GET}`);
    await until('</>');
  });
});

describe('a large answer', () => {
  const pattern = (bytes: number): Buffer => Buffer.alloc(bytes, 'äbcdefg');

  it.each([
    ['bytes', (length: number) => pattern(length)],
    ['text', (length: number) => pattern(length).toString('latin1')],
  ])('of %s arrives whole', async (_, make) => {
    const body = make(5 * MIB + 17);
    const { port } = await serve((req, res) => {
      if (req.url === '/raw') res.writeHead(200, ['Content-Type', 'x/y']);
      if (typeof body === 'string') res.end(body, 'latin1');
      else res.end(body);
    });
    const expected = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
    for (const path of ['/', '/raw']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(answer.headers.get('content-length')).toBe(path === '/' ? String(expected.length) : null);
      expect(Buffer.from(await answer.arrayBuffer()).equals(expected)).toBe(true);
    }
    const head = await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBeNull();
  });

  it('is dropped when the buffers are full, if its reader is the slowest', async () => {
    const body = pattern(64 * MIB);
    const outbox = new Outbox(130 * MIB);
    const { port, sockets } = await serve((_req, res) => res.end(body), { outbox });
    let [read, enough] = [0, 20 * MIB];
    const ask = async (): Promise<Socket> => {
      const { socket } = client(port, false);
      socket.on('data', (part: Buffer) => {
        read += part.length;
        if (read > enough) socket.pause();
      });
      socket.pause().write(GET);
      const before = sockets.length;
      await expect.poll(() => sockets.length > before && (sockets.at(-1)?.bytesWritten ?? 0) > 0).toBe(true);
      return socket;
    };
    const first = await ask();
    await ask();
    first.resume();
    await expect.poll(() => read).toBeGreaterThan(enough);
    const newest = await ask();
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toStrictEqual([false, true, false]);
    expect(outbox.size).toBeLessThanOrEqual(130 * MIB);
    enough = Number.POSITIVE_INFINITY;
    for (const socket of [first, newest]) socket.resume();
    await expect.poll(() => read).toBeGreaterThan(2 * body.length);
    expect(outbox.size).toBe(0);
  });

  it('that is larger than all buffer space is sent anyway', async () => {
    const outbox = new Outbox(MIB);
    const { port } = await serve((_req, res) => res.end(pattern(20 * MIB)), { outbox });
    expect((await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()).byteLength).toBe(20 * MIB);
    await expect.poll(() => outbox.size).toBe(0);
  });

  it('is dropped when its reader reads nothing for a minute', async () => {
    const { port, sockets } = await serve((_req, res) => res.end(pattern(40 * MIB)));
    const { socket } = client(port, false);
    socket.write(GET);
    await expect.poll(() => sockets[0]?.writableLength ?? 0).toBeGreaterThan(0);
    await expect.poll(() => sockets[0]?.bytesWritten).toBe(sockets[0]?.bytesWritten);
    const connection = sockets[0] && Connection.of(sockets[0]);
    const stuck = (now: number): boolean | undefined => connection?.isStuck(now);
    expect(stuck(1000)).toBe(false);
    const bytes = sockets[0]?.bytesWritten;
    expect(stuck(60_000)).toBe(false);
    expect(sockets[0]?.bytesWritten).toBe(bytes);
    expect(stuck(61_001)).toBe(true);
    socket.resume();
    await expect.poll(() => sockets[0]?.writableLength).toBe(0);
    expect(stuck(200_000)).toBe(false);
  });
});
