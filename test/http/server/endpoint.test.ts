import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get, type RequestOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../../../src/events/settings/settings.js';
import { Peers } from '../../../src/http/panel/auth/peer.js';
import { type Endpoint, Endpoints } from '../../../src/http/server/listening/endpoint.js';
import { makeCertificate, type TestCertificate } from '../../kit/real/certificate.js';

const HOST = '127.0.0.1';
let one: TestCertificate;
let other: TestCertificate;

beforeAll(async () => {
  [one, other] = await Promise.all([makeCertificate(['one.example']), makeCertificate(['other.example'])]);
});
afterAll(() => {
  one.remove();
  other.remove();
});

const keyOf = ({ certPem, keyPem }: TestCertificate) => ({ cert: Buffer.from(certPem), key: Buffer.from(keyPem) });

/** A server that replies with the protocol of the request; `/slow` replies when the test releases it. */
async function open(certificate: TestCertificate | null, timeoutMs?: number, domain = '') {
  const waiting: (() => void)[] = [];
  const arrivals = new EventEmitter();
  const peers = new Peers(() => defaultSettings);
  const endpoints = new Endpoints(
    (req, res) => {
      const { secure, ip } = peers.of(req);
      const answer = () => res.end(`${secure ? 'tls' : 'plain'} ${ip}`);
      if (req.url === '/slow') {
        waiting.push(answer);
        arrivals.emit('slow');
      } else answer();
    },
    { domain: () => domain, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
  );
  const endpoint = await endpoints.open(0, HOST, certificate && keyOf(certificate));
  onTestFinished(() => endpoints.close());
  const finish = (): void => {
    for (const answer of waiting.splice(0)) answer();
  };
  return { endpoints, endpoint, finish, arrived: () => once(arrivals, 'slow') };
}

interface Said {
  readonly status: number;
  readonly text: string;
  readonly names: string;
}

const ask = ({ address }: Endpoint, options: RequestOptions = {}): Promise<Said> =>
  new Promise((resolve, reject) => {
    const base = { host: HOST, port: address.port, rejectUnauthorized: false, agent: false };
    const req = get({ ...base, ...options }, (res: IncomingMessage) => {
      const names = (res.socket as TLSSocket).getPeerCertificate().subjectaltname ?? '';
      let text = '';
      res.setEncoding('utf8').on('data', (data: string) => (text += data));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text, names }));
    });
    req.on('error', reject);
  });

/** The reply to bytes, until the connection ends. */
const raw = (port: number, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, HOST, () => socket.write(bytes));
    socket.on('data', (data) => (answer += data.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });

const handshake = (port: number, options: object): Promise<string> =>
  new Promise((resolve) => {
    const socket = tlsConnect({ port, host: HOST, rejectUnauthorized: false, ...options }, () => {
      resolve(socket.getProtocol() ?? '');
      socket.destroy();
    });
    socket.on('error', () => resolve('refused'));
  });

describe('an endpoint with TLS', () => {
  it('serves over TLS, and reports that it does', async () => {
    const { endpoint } = await open(one);
    expect(await ask(endpoint)).toMatchObject({ status: 200, text: 'tls 127.0.0.1' });
    expect((await ask(endpoint)).names).toContain('one.example');
    expect(endpoint.secured).toBe(true);
  });

  it('supports TLS 1.2 and 1.3, and nothing older', async () => {
    const { endpoint } = await open(one);
    const { port } = endpoint.address;
    expect(await handshake(port, {})).toBe('TLSv1.3');
    expect(await handshake(port, { maxVersion: 'TLSv1.2' })).toBe('TLSv1.2');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    expect(await handshake(port, old)).toBe('refused');
  });

  it('answers bytes that are neither TLS nor HTTP, and continues', async () => {
    const { endpoint } = await open(one, 200);
    const { port } = endpoint.address;
    expect(await raw(port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect(await raw(port, Buffer.from([0x16, 3, 1, 0, 2, 1, 1]))).not.toContain('HTTP');
    expect(await raw(port, Buffer.alloc(2000, 0x16))).not.toContain('HTTP');
    expect((await ask(endpoint)).status).toBe(200);
  });

  it.each(['x'.repeat(255), 'nul\0.example', 'a b', 'one.example.', '☃', 'ü.example'])(
    'survives the name %s',
    async (name) => {
      const { endpoint } = await open(one);
      const { port } = endpoint.address;
      await raw(port, clientHello(Buffer.from(name)));
      await raw(port, clientHello(Buffer.from(name), 65_535));
      expect((await ask(endpoint)).status).toBe(200);
    },
  );

  it('uses a new certificate for new connections while open ones continue', async () => {
    const { endpoint } = await open(one);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect((await ask(endpoint, { agent })).names).toContain('one.example');
    endpoint.secure(keyOf(other));
    expect((await ask(endpoint, { agent })).names).toContain('one.example');
    expect((await ask(endpoint)).names).toContain('other.example');
  });

  it('is enabled and disabled on the same port', async () => {
    const { endpoint } = await open(null);
    const { port } = endpoint.address;
    const request = `GET / HTTP/1.1\r\nHost: ${HOST}:${port}\r\nConnection: close\r\n\r\n`;
    expect(await raw(port, request)).toContain('plain 127.0.0.1');
    endpoint.secure(keyOf(one));
    expect(await raw(port, request)).toContain('307');
    expect((await ask(endpoint)).text).toContain('tls');
    endpoint.secure(null);
    expect(await raw(port, request)).toContain('plain 127.0.0.1');
    expect(endpoint.address.port).toBe(port);
  });
});

describe('an endpoint that closes', () => {
  it.each(['plain', 'tls'])('lets a running request finish over %s, and accepts no new one', async (kind) => {
    const { endpoints, endpoint, finish, arrived } = await open(kind === 'tls' ? one : null);
    const { port } = endpoint.address;
    const slow = arrived();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const running =
      kind === 'tls' ? ask(endpoint, { path: '/slow', agent }) : raw(port, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await slow;
    const idle: Socket = connect(port, HOST);
    await once(idle, 'connect');
    const closed = endpoints.close();
    await once(idle, 'close');
    await expect(raw(port, 'GET / HTTP/1.1\r\n\r\n')).resolves.toBe('');
    finish();
    expect(JSON.stringify(await running)).toContain(`${kind} 127.0.0.1`);
    await closed;
  });

  it('releases its port at once, and open connections continue', async () => {
    const { endpoints, endpoint, finish, arrived } = await open(one);
    const slow = arrived();
    const running = ask(endpoint, { path: '/slow' });
    await slow;
    const { port } = endpoint.address;
    await endpoint.release();
    const next = await endpoints.open(port, HOST, keyOf(other));
    expect((await ask(next)).names).toContain('other.example');
    finish();
    expect(await running).toMatchObject({ status: 200, names: expect.stringContaining('one.example') as string });
  });

  it('reports why an address cannot be bound, and leaves nothing open', async () => {
    const { endpoint } = await open(null);
    const endpoints = new Endpoints(() => undefined);
    await expect(endpoints.open(endpoint.address.port, HOST)).rejects.toThrow('EADDRINUSE');
    await expect(endpoints.open(0, '192.0.2.1')).rejects.toThrow('EADDRNOTAVAIL');
    await endpoints.close();
  });

  it.each(['plain', 'tls'])('closes incomplete handshakes and heads after the timeout, over %s', async (kind) => {
    const { endpoint } = await open(kind === 'tls' ? one : null, 200);
    const { port } = endpoint.address;
    const halves: (string | Buffer)[] = ['GET / HT', ''];
    if (kind === 'tls') halves.push(Buffer.from([0x16, 3]));
    const answers = await Promise.all(halves.map((half) => raw(port, half)));
    expect(answers.filter((answer) => answer.includes('200'))).toEqual([]);
    if (kind === 'tls') await silent(port);
  });
});

/** An endless head, over TLS. */
async function silent(port: number): Promise<void> {
  const socket = tlsConnect({ port, host: HOST, rejectUnauthorized: false });
  socket.on('error', () => undefined).resume();
  await once(socket, 'secureConnect');
  socket.write('GET / HT');
  await once(socket, 'close');
}

/** The first message of a handshake that asks for this name, which no library would send. */
function clientHello(name: Buffer, claimed = name.length): Buffer {
  const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
  const sized = (bytes: Buffer): Buffer => Buffer.concat([u16(bytes.length), bytes]);
  const entry = Buffer.concat([Buffer.from([0]), u16(claimed), name]);
  const serverName = Buffer.concat([u16(0), sized(sized(entry))]);
  const versions = Buffer.from([0, 43, 0, 3, 2, 3, 4]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    Buffer.from([0]),
    sized(Buffer.from([0x13, 1, 0xc0, 0x2b])),
    Buffer.from([1, 0]),
    sized(Buffer.concat([serverName, versions])),
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), sized(body)]);
  return Buffer.concat([Buffer.from([0x16, 3, 1]), sized(message)]);
}
