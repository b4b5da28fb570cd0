import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect } from 'vitest';
import { createXrayCore } from '../../../src/adapters/core/xray.js';
import type { Core, CoreConfig, CoreInbound, CoreUser } from '../../../src/commands/ports/core.js';
import type { JsonObject } from '../../../src/lib/json.js';
import { freePort } from '../../kit/real/ports.js';
import { openSocks } from '../../kit/real/tunnel.js';
import { eventually } from '../../kit/wait.js';

export { freePort };

export const coreBinary = process.env['PORTOLAN_CORE_BIN'] ?? null;
if (coreBinary === null) {
  process.stderr.write('\n*** PORTOLAN_CORE_BIN is not set: the tests of the core adapter do NOT run. ***\n\n');
}

/** Required for loopback tests: by default freedom drops private targets. */
export const template: JsonObject = {
  log: { loglevel: 'warning' },
  outbounds: [
    { tag: 'direct', protocol: 'freedom', settings: { finalRules: [{ action: 'allow' }] } },
    { tag: 'blocked', protocol: 'blackhole' },
  ],
  routing: { rules: [{ ruleTag: 'block', domain: ['full:blocked.test'], outboundTag: 'blocked' }] },
};

export interface Place {
  readonly folder: string;
  readonly core: Core;
  dispose(): Promise<void>;
}

export function place(folder: string = mkdtempSync(join(tmpdir(), 'portolan-core-'))): Place {
  const core = createXrayCore({
    binary: coreBinary,
    runDir: join(folder, 'run'),
    logDir: join(folder, 'logs'),
    assetDir: join(folder, 'geo'),
    log: () => undefined,
    splice: false,
  });
  return {
    folder,
    core,
    dispose: async () => {
      await core.process.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function inboundOf(config: JsonObject, users: readonly JsonObject[] = []): CoreInbound {
  const entries = users.map(userOf).map((user): [number, CoreUser] => [user.client, user]);
  return { tag: String(config['tag']), config, users: new Map(entries), hotUsers: true };
}

export function configOf(inbounds: readonly CoreInbound[], from: JsonObject = template): CoreConfig {
  return { template: from, inbounds: new Map(inbounds.map((inbound) => [inbound.tag, inbound])) };
}

const numbers = new Map<string, number>();

/** The number of a client, the same for an email in each test. */
export function numberOf(email: string): number {
  const number = numbers.get(email.toLowerCase()) ?? numbers.size + 1;
  numbers.set(email.toLowerCase(), number);
  return number;
}

/** An account from one that is named by its email, as in other panels. */
export function userOf({ email, ...account }: JsonObject): CoreUser {
  return { client: numberOf(String(email)), email: String(email), account };
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** SHA-256 of the certificate in hex, by which a client core trusts it. */
  readonly pin: string;
}

export async function certificate(): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  return { cert, key, pin: new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase() };
}

export interface Target {
  readonly port: number;
  readonly tlsPort: number;
  close(): Promise<void>;
}

/** `/small` answers `small!`; `/slow` sends 10 kB every 50 ms for ever; `/wait` a byte, and then nothing. */
export async function target({ cert, key }: Certificate): Promise<Target> {
  const sockets = new Set<Socket>();
  const servers: Server[] = [createServer(), createTlsServer({ cert, key, minVersion: 'TLSv1.3' })];
  for (const server of servers) {
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    server.on('request', (request, response) => {
      if (request.url === '/small') {
        response.end('small!');
        return;
      }
      if (request.url === '/wait') {
        response.write('.');
        return;
      }
      const timer = setInterval(() => response.write(Buffer.alloc(10_000)), 50);
      response.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  const [port = 0, tlsPort = 0] = servers.map((server) => (server.address() as AddressInfo).port);
  return {
    port,
    tlsPort,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

export interface ClientCore {
  /** Port of the socks inbound in front of the outbound of the same index. */
  readonly ports: readonly number[];
  close(): Promise<void>;
}

/** A second core that dials with these outbounds, from 127.0.0.2 unless one says otherwise: sources of exactly 127.0.0.1 are not counted as online. */
export async function clientCore(folder: string, outbounds: readonly JsonObject[]): Promise<ClientCore> {
  const ports = await Promise.all(outbounds.map(() => freePort()));
  const config = {
    log: { loglevel: 'none', access: 'none' },
    inbounds: ports.map((port, at) => ({
      tag: `in-${at}`,
      listen: '127.0.0.1',
      port,
      protocol: 'socks',
      settings: { udp: true },
    })),
    outbounds: outbounds.map((outbound, at) => ({ sendThrough: '127.0.0.2', ...outbound, tag: `out-${at}` })),
    routing: { rules: ports.map((_, at) => ({ inboundTag: [`in-${at}`], outboundTag: `out-${at}` })) },
  };
  const file = join(folder, `client-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(config));
  const child: ChildProcess = spawn(coreBinary ?? '', ['run', '-c', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.all(
    ports.map((port) =>
      listening(
        port,
        () => child.exitCode === null,
        () => output,
      ),
    ),
  );
  return {
    ports,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function listening(port: number, alive: () => boolean, output: () => string): Promise<void> {
  const until = Date.now() + 120_000;
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      setTimeout(() => socket.destroy(), 50);
    });
    if (open) return;
    if (!alive() || Date.now() > until) throw new Error(`the client core did not start: ${output()}`);
    await pause(20);
  }
}

/** Adds one inbound while the core runs. Rejects where the core does not take it. */
export async function addInbound(core: Core, inbound: CoreInbound): Promise<void> {
  const problem = (await core.inbounds.add([inbound])).get(inbound.tag);
  if (problem) throw problem;
}

/**
 * Waits until the access log names a TCP connection of this client from this address, and so every earlier connection. The core
 * writes that log with a delay, and a connection can be ended only once it is logged.
 */
export async function logged(core: Core, client: number, address: string): Promise<void> {
  const asked = [{ person: 'x', clients: [client], addresses: [address] }];
  await eventually(async () => expect((await core.addresses.idleTimes(asked))('x', address)).not.toBeNull());
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks an HTTP target through a socks port; the body, or null when nothing came within `timeoutMs` ms. */
export async function fetchThrough(socks: number, port: number, timeoutMs = 60_000): Promise<string | null> {
  const download = await openThrough(socks, port, '/small', timeoutMs).catch(() => null);
  if (download === null) return null;
  const done = await Promise.race([download.ended.then(() => true), pause(timeoutMs).then(() => false)]);
  download.abort();
  return done && download.text() !== '' ? download.text() : null;
}

export interface Download {
  /** Bytes of the body so far. */
  bytes(): number;
  text(): string;
  readonly ended: Promise<void>;
  isOver(): boolean;
  abort(): void;
}

/**
 * A download that has begun: resolves with its first byte, rejects when there is none within `timeoutMs` ms. More than
 * 5 s: a connection that arrives before REALITY has examined its target waits that long (`Server` in its tls.go).
 */
export async function openThrough(socks: number, port: number, path: string, timeoutMs = 60_000): Promise<Download> {
  const socket = await openSocks(socks, '127.0.0.1', port, { timeoutMs });
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let text = '';
    let over = false;
    const timer = setTimeout(() => fail(new Error('no answer')), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const request = get({ host: '127.0.0.1', port, path, createConnection: () => socket });
    request.on('error', fail);
    request.on('response', (response) => {
      const ended = new Promise<void>((end) => response.on('close', () => end())).then(() => {
        over = true;
      });
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < 100) text += chunk.toString('latin1').slice(0, 100);
        clearTimeout(timer);
        resolve({ bytes: () => bytes, text: () => text, ended, isOver: () => over, abort: () => socket.destroy() });
      });
    });
  });
}

/**
 * Rejects while a download transfers bytes. The kernel sends one reset for a destroyed socket: a client on a busy machine may miss
 * it and keep its end open, and a client core over Shadowsocks 2022 always does. What counts is that nothing flows any more.
 */
export async function overOrSilent(download: Pick<Download, 'bytes' | 'isOver'>): Promise<void> {
  const before = download.bytes();
  for (let waited = 0; waited < SILENCE_MS && !download.isOver(); waited += 50) {
    await pause(50);
    if (download.bytes() > before) throw new Error('the download still transfers bytes');
  }
}

/** `/slow` sends something every 50 ms. */
const SILENCE_MS = 2_000;
