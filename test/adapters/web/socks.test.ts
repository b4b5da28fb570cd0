import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWeb } from '../../../src/adapters/web/web.js';
import type { WebError } from '../../../src/commands/ports/web.js';
import { startSocksServer } from '../../kit/real/servers/socks-server.js';
import { startServer } from './kit.js';

const guarded = createWeb({ allowPrivate: false });
const open = createWeb({ allowPrivate: true });
const failureOf = (task: Promise<unknown>): Promise<WebError> =>
  task.then(
    () => expect.fail('it was answered'),
    (error: WebError) => error,
  );

async function proxy(options: Parameters<typeof startSocksServer>[0] = {}) {
  const server = await startSocksServer(options);
  onTestFinished(() => server.stop());
  return { ...server, url: `socks5://127.0.0.1:${server.port}` };
}

describe('a SOCKS proxy', () => {
  it('transports the request, and resolves the name itself', async () => {
    const server = await startServer((_request, response) => void response.end('there'));
    const { url, asked } = await proxy();
    const answer = await guarded.request(`http://api.example.com:${server.port}/x`, { proxy: url });
    expect(answer.body.toString()).toBe('there');
    expect(asked).toEqual([`api.example.com:${server.port}`]);
    expect(server.seen[0]?.headers.host).toBe(`api.example.com:${server.port}`);
  });

  it('receives a literal address as such', async () => {
    const server = await startServer((_request, response) => void response.end());
    const { url, asked } = await proxy();
    await guarded.request(`http://9.9.9.9:${server.port}/`, { proxy: url });
    await guarded.request(`http://[2620:fe::fe]:${server.port}/`, { proxy: url });
    expect(asked).toEqual([`9.9.9.9:${server.port}`, `[2620:00fe:0000:0000:0000:0000:0000:00fe]:${server.port}`]);
  });

  it('receives the required user name and password', async () => {
    const server = await startServer((_request, response) => void response.end());
    const { port, asked } = await proxy({ user: 'me', password: 'p@s:s' });
    const ask = (who: string) =>
      open.request(`http://127.0.0.1:${server.port}/`, { proxy: `socks5://${who}127.0.0.1:${port}`, timeoutMs: 5000 });
    expect((await ask('me:p%40s%3As@')).status).toBe(200);
    for (const who of ['me:wrong@', 'you:p%40s%3As@', '']) {
      const error = await failureOf(ask(who));
      expect(error).toMatchObject({ kind: 'unreachable', message: '127.0.0.1 could not be reached' });
      expect(`${error.message}${String(error.cause)}`).not.toMatch(/p%40|p@s|wrong/);
    }
    expect(asked).toHaveLength(1);
  });

  it.each(['127.0.0.1', '10.0.0.1', '[::1]', 'localhost', 'router.lan', '169.254.169.254'])(
    'is not used for %s',
    async (host) => {
      const { url, asked } = await proxy();
      expect(await failureOf(guarded.request(`http://${host}/`, { proxy: url }))).toMatchObject({ kind: 'refused' });
      expect(asked).toEqual([]);
    },
  );

  it('that rejects the request, closes the connection or is none causes an error', async () => {
    const { url } = await proxy({ code: 5 });
    expect(await failureOf(open.request('http://a.example/', { proxy: url }))).toMatchObject({ kind: 'unreachable' });
    const web = await startServer((_request, response) => void response.end());
    const target = { proxy: `socks5://127.0.0.1:${web.port}` };
    expect(await failureOf(open.request('http://a.example/', target))).toMatchObject({ kind: 'unreachable' });
    const away = { proxy: 'socks5://127.0.0.1:1' };
    expect(await failureOf(open.request('http://a.example/', away))).toMatchObject({ kind: 'unreachable' });
  });

  it.each(['http://127.0.0.1:1', 'socks5://', 'nonsense', 'socks5://%ff:x@h:1', `socks5://${'a'.repeat(256)}:x@h:1`])(
    'cannot be %s, and the error does not quote it',
    async (text) => {
      const { kind, message } = await failureOf(open.request('http://a.example/', { proxy: text }));
      expect([kind, message]).toEqual(['refused', 'The proxy must have the form socks5://user:password@host:port']);
    },
  );
});

describe('a streamed body', () => {
  const pieces = async function* () {
    for (const piece of ['one ', 'two ', 'three']) yield Buffer.from(piece);
  };

  it('is sent in pieces', async () => {
    let body = '';
    const server = await startServer((request, response) => {
      request.on('data', (piece) => (body += String(piece)));
      request.on('end', () => response.end());
    });
    await open.request(server.url, { method: 'POST', body: pieces() });
    await open.request(server.url, { method: 'POST', body: Readable.from(pieces()) });
    expect(body).toBe('one two threeone two three');
  });

  it('is sent once: a redirect that repeats it is rejected, another one is followed', async () => {
    let status = 307;
    const server = await startServer((request, response) => {
      request.resume().on('end', () => {
        if (request.url === '/') response.writeHead(status, { location: '/next' });
        response.end(`${request.method} ${request.url}`);
      });
    });
    const post = () => open.request(server.url, { method: 'POST', body: pieces() });
    expect(await failureOf(post())).toMatchObject({ kind: 'refused' });
    status = 303;
    expect((await post()).body.toString()).toBe('GET /next');
  });
});
