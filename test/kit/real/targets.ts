import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { makeCertificate, type TestCertificate } from './certificate.js';
import { freePort } from './ports.js';

/** The body of /small. */
export const SMALL_BODY = 'Here be dragons, and one small body.\n';

const SLOW_MAX_SECONDS = 120;
const TICK_MS = 50;
const BLOCK = Buffer.alloc(64 * 1024, 'portolan ');

/** The target of test traffic. Every reply has a Content-Length, so a reader can distinguish an end from a cut. */
export interface Targets {
  /** `http://127.0.0.1:PORT` */
  url: string;
  port: number;
  /** The TLS 1.3 twin: `https://127.0.0.1:PORT`. */
  tlsUrl: string;
  tlsPort: number;
  /** `127.0.0.1:PORT` of the twin, as `realitySettings.target` wants it. */
  realityTarget: string;
  certificate: TestCertificate;
  /** Bytes received by POST /sink so far, also of uploads that never ended. */
  uploaded(): number;
  /** Requests being answered now: what a cut must bring down. */
  active(): number;
  /** Requests seen since the start. */
  seen(): number;
  stop(): Promise<void>;
}

/**
 * GET /small, /bytes/N, /slow?rate=BYTES_A_SECOND (endless up to 120 s), POST /sink. `host` is for the rare caller that
 * owns a second loopback address.
 */
export async function startTargets({ host = '127.0.0.1' }: { host?: string } = {}): Promise<Targets> {
  const certificate = await makeCertificate();
  const count = { uploaded: 0, active: 0, seen: 0 };
  const sockets = new Set<Socket>();
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    count.seen += 1;
    count.active += 1;
    response.once('close', () => {
      count.active -= 1;
    });
    answer(request, response, (bytes) => {
      count.uploaded += bytes;
    });
  };
  const plain = createServer(handle);
  const secure = createTlsServer({ cert: certificate.certPem, key: certificate.keyPem, minVersion: 'TLSv1.3' }, handle);
  const port = await listen(plain, host, sockets);
  const tlsPort = await listen(secure, host, sockets);
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all([plain, secure].map((server) => new Promise((resolve) => server.close(resolve))));
    certificate.remove();
  };
  return {
    url: `http://${host}:${port}`,
    port,
    tlsUrl: `https://${host}:${tlsPort}`,
    tlsPort,
    realityTarget: `${host}:${tlsPort}`,
    certificate,
    uploaded: () => count.uploaded,
    active: () => count.active,
    seen: () => count.seen,
    stop,
  };
}

async function listen(server: Server, host: string, sockets: Set<Socket>): Promise<number> {
  server.requestTimeout = 0;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await freePort('tcp');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return port;
}

function answer(request: IncomingMessage, response: ServerResponse, onUpload: (bytes: number) => void): void {
  const url = new URL(request.url ?? '/', 'http://target');
  const bytes = /^\/bytes\/(\d{1,12})$/.exec(url.pathname)?.[1];
  if (request.method === 'POST' && url.pathname === '/sink') return drain(request, response, onUpload);
  if (url.pathname === '/small') return reply(response, 200, SMALL_BODY);
  if (bytes !== undefined) return pour(response, Number(bytes));
  if (url.pathname === '/slow') return drip(response, Number(url.searchParams.get('rate') ?? 100_000));
  reply(response, 404, 'nothing here\n');
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body) }).end(body);
}

function drain(request: IncomingMessage, response: ServerResponse, onUpload: (bytes: number) => void): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    onUpload(chunk.length);
  });
  request.once('end', () => reply(response, 200, JSON.stringify({ bytes })));
}

/** Exactly `total` bytes, as fast as the other side takes them. */
function pour(response: ServerResponse, total: number): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': total });
  let left = total;
  const write = () => {
    while (left > 0) {
      const chunk = left >= BLOCK.length ? BLOCK : BLOCK.subarray(0, left);
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', write);
        return;
      }
    }
    response.end();
  };
  write();
}

/** `rate` bytes a second until the client goes away, or for two minutes; a stalled client is not sent more. */
function drip(response: ServerResponse, rate: number): void {
  const step = Math.max(1, Math.round((rate * TICK_MS) / 1000));
  let ticks = (SLOW_MAX_SECONDS * 1000) / TICK_MS;
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': step * ticks });
  const timer = setInterval(() => {
    if (response.writableNeedDrain) return;
    ticks -= 1;
    response.write(Buffer.alloc(step, 'slow '));
    if (ticks > 0) return;
    clearInterval(timer);
    response.end();
  }, TICK_MS);
  response.once('close', () => clearInterval(timer));
}
