import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWeb } from '../../../src/adapters/web/web.js';
import { startServer } from './kit.js';

const web = createWeb({ allowPrivate: true });
const guarded = createWeb({ allowPrivate: false });
const kindOf = (task: Promise<unknown>): Promise<string> =>
  task.then(
    () => 'answered',
    (error: { kind: string }) => error.kind,
  );
const SECRETS = { authorization: 'Bearer t0ken', cookie: 'a=b', 'x-api-key': 'k3y', accept: 'text/plain' };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'portolan-web-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe('a redirect', () => {
  it('is checked like the first address', async () => {
    const canary = await startServer((_request, response) => void response.end('inside'), '127.0.0.2');
    const outside = await startServer(
      (_request, response) => void response.writeHead(302, { location: canary.url }).end(),
    );
    expect(await kindOf(guarded.request(outside.url, { allowPrivate: true }))).toBe('refused');
    expect(canary.knocks()).toBe(0);
  });

  it('to another origin is followed without credentials, whatever their header', async () => {
    const other = await startServer((_request, response) => void response.end('there'));
    const first = await startServer(
      (_request, response) => void response.writeHead(302, { location: other.url }).end(),
    );
    await web.request(first.url, { headers: SECRETS });
    expect(first.seen[0]?.headers).toMatchObject(SECRETS);
    expect(other.seen[0]?.headers).toMatchObject({ accept: 'text/plain' });
    for (const name of ['authorization', 'cookie', 'x-api-key'])
      expect(other.seen[0]?.headers).not.toHaveProperty(name);
  });

  it('within the origin keeps credentials', async () => {
    const server = await startServer((request, response) => {
      if (request.url === '/') response.writeHead(307, { location: '/next' });
      response.end();
    });
    await web.request(server.url, { method: 'POST', body: 'x', headers: SECRETS });
    expect(server.seen[1]).toMatchObject({ method: 'POST', url: '/next' });
    expect(server.seen[1]?.headers).toMatchObject(SECRETS);
  });

  it('changes a POST to a GET, and never sends a body to another origin', async () => {
    const other = await startServer((_request, response) => void response.end());
    let status = 303;
    const first = await startServer(
      (_request, response) => void response.writeHead(status, { location: other.url }).end(),
    );
    await web.request(first.url, { method: 'POST', body: 'secret' });
    expect(other.seen[0]?.method).toBe('GET');
    status = 307;
    expect(await kindOf(web.request(first.url, { method: 'POST', body: 'secret' }))).toBe('refused');
    expect(other.seen).toHaveLength(1);
  });

  it('is followed at most five times', async () => {
    const server = await startServer((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` });
      response.end('end');
    });
    expect((await web.request(`${server.url}/5`)).body.toString()).toBe('end');
    expect(await kindOf(web.request(`${server.url}/6`))).toBe('refused');
    expect(await kindOf(web.request(`${server.url}/99`))).toBe('refused');
  });

  it.each(['file:///etc/passwd', 'http://u:p@127.0.0.1/', 'http://'])('to %s is rejected', async (location) => {
    const server = await startServer((_request, response) => void response.writeHead(302, { location }).end());
    expect(await kindOf(web.request(server.url))).toBe('refused');
  });
});

describe('a request', () => {
  it('returns any status, and headers by lower-case name', async () => {
    const server = await startServer(
      (_request, response) => void response.writeHead(418, { 'X-Kind': 'teapot' }).end('no'),
    );
    expect(await web.request(server.url)).toMatchObject({ status: 418, headers: { 'x-kind': 'teapot' } });
  });

  it('uses no proxy of the environment and keeps no cookie', async () => {
    const proxy = await startServer((_request, response) => void response.end('proxied'));
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('ALL_PROXY', proxy.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await startServer(
      (_request, response) => void response.setHeader('set-cookie', 'id=1').end('direct'),
    );
    expect((await web.request(server.url)).body.toString()).toBe('direct');
    await web.request(server.url);
    expect(server.seen[1]?.headers).not.toHaveProperty('cookie');
    expect(proxy.knocks()).toBe(0);
  });

  it('has its limit applied to the decompressed body', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const server = await startServer(
      (_request, response) => void response.setHeader('content-encoding', 'gzip').end(bomb),
    );
    expect(bomb.length).toBeLessThan(64 * 1024);
    expect(await kindOf(web.request(server.url))).toBe('too-large');
    expect((await web.request(server.url, { limit: 8 * 1024 * 1024 })).body).toHaveLength(8 * 1024 * 1024);
  });

  it('decodes Brotli, and rejects an unknown encoding', async () => {
    let encoding = 'br';
    const server = await startServer(
      (_request, response) => void response.setHeader('content-encoding', encoding).end(brotliCompressSync('x')),
    );
    expect((await web.request(server.url)).body.toString()).toBe('x');
    encoding = 'rot13';
    expect(await kindOf(web.request(server.url))).toBe('unreachable');
  });

  it('ends at the size limit, whether or not the size was announced', async () => {
    const server = await startServer((request, response) => {
      if (request.url === '/announced') response.setHeader('content-length', 4_000_000_000);
      const pour = (): void => void (response.write(Buffer.alloc(65_536)) && setImmediate(pour));
      response.on('drain', pour);
      pour();
    });
    expect(await kindOf(web.request(`${server.url}/announced`))).toBe('too-large');
    expect(await kindOf(web.request(server.url, { limit: 100_000 }))).toBe('too-large');
  });

  it('ends at its timeout, also in the middle of a body, and on abort', async () => {
    const server = await startServer((_request, response) => {
      const drip = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(drip));
    });
    expect(await kindOf(web.request(server.url, { timeoutMs: 100 }))).toBe('timeout');
    expect(await kindOf(web.request(server.url, { signal: AbortSignal.timeout(50) }))).toBe('timeout');
    expect(await kindOf(web.request(server.url, { signal: AbortSignal.abort() }))).toBe('timeout');
  });
});

describe('a download', () => {
  const limit = 1_000_000;

  it('creates a new private file, and returns its digest', async () => {
    const modified = 'Wed, 21 Oct 2026 07:28:00 GMT';
    const server = await startServer(
      (_request, response) => void response.setHeader('last-modified', modified).end('abc'),
    );
    const file = join(folder(), 'x');
    expect(await web.download(server.url, file, { limit })).toEqual({
      bytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      lastModified: modified,
    });
    expect(readFileSync(file, 'utf8')).toBe('abc');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('overwrites no file', async () => {
    const server = await startServer((_request, response) => void response.end('abc'));
    const file = join(folder(), 'x');
    writeFileSync(file, 'mine');
    await expect(web.download(server.url, file, { limit })).rejects.toThrow(/EEXIST/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it.each([
    ['a status that is not 200', 'status', 206, (end: () => void) => end()],
    ['a body cut short', 'unreachable', 200, (_: () => void, cut: () => void) => cut()],
    ['silence', 'unreachable', 200, () => undefined],
  ] as const)('that ends with %s leaves no file', async (_, kind, status, finish) => {
    const server = await startServer((_request, response) => {
      response.writeHead(status, { 'content-length': 1000 });
      response.write('x'.repeat(500));
      setTimeout(
        () =>
          finish(
            () => response.end('x'.repeat(500)),
            () => response.destroy(),
          ),
        20,
      );
    });
    const file = join(folder(), 'x');
    expect(await kindOf(web.download(server.url, file, { limit, idleMs: 200 }))).toBe(kind);
    expect(existsSync(file)).toBe(false);
  });

  it('that is too large leaves no file, and status 304 is distinguished', async () => {
    let status = 200;
    const server = await startServer((_request, response) => {
      response.writeHead(status);
      if (status === 304) response.end();
      else response.end(Buffer.alloc(2_000_000));
    });
    const file = join(folder(), 'x');
    expect(await kindOf(web.download(server.url, file, { limit }))).toBe('too-large');
    status = 304;
    await expect(web.download(server.url, file, { limit })).rejects.toMatchObject({ kind: 'status', status: 304 });
    expect(existsSync(file)).toBe(false);
  });
});

describe('a server that closes the connection', () => {
  /** Everything at once, and then the end, as a raw server may do it. */
  const abrupt = async (head: string, body: Buffer): Promise<string> => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
        socket.end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  const large = Buffer.alloc(20_000_000, 'x');

  it.each([
    ['with a length', `Content-Length: ${large.length}\r\nConnection: close`],
    ['without one', 'Connection: close'],
  ])('right after a large body %s has no effect on other requests', async (_, head) => {
    const url = await abrupt(head, large);
    const file = join(folder(), 'x');
    const [{ body }, { bytes }] = await Promise.all([
      web.request(url, { limit: large.length }),
      web.download(url, file, { limit: large.length }),
    ]);
    expect([body.length, bytes, statSync(file).size]).toEqual(Array(3).fill(large.length));
  });

  it('before the announced end causes an error', async () => {
    const url = await abrupt(`Content-Length: ${large.length + 1}\r\nConnection: close`, large);
    expect(await kindOf(web.request(url, { limit: 2 * large.length }))).toBe('unreachable');
    expect(await kindOf(web.download(url, join(folder(), 'x'), { limit: 2 * large.length }))).toBe('unreachable');
  });
});
