import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createOutboundProbe, type ProbeOptions } from '../../../../src/adapters/core/probe/probe.js';
import type { OutboundProbe, ProbeResult } from '../../../../src/commands/ports/probe.js';
import type { JsonObject } from '../../../../src/lib/json.js';
import type { Text } from '../../../../src/messages/message.js';
import { render } from '../../../../src/messages/render.js';
import {
  certificate,
  configOf,
  coreBinary,
  freePort,
  inboundOf,
  numberOf,
  type Place,
  pause,
  place,
  target,
} from '../kit.js';

const ID = '11111111-1111-4111-8111-111111111111';
const never = new AbortController().signal;
const direct = { tag: 'direct', protocol: 'freedom' };

const said = (error: Text | undefined) => (error === undefined ? {} : { error: render(error, 'en') });
const resultOf = ({ error, endpoints, ...result }: ProbeResult) => ({
  ...result,
  ...said(error),
  ...(endpoints === undefined
    ? {}
    : { endpoints: endpoints.map(({ error: why, ...endpoint }) => ({ ...endpoint, ...said(why) })) }),
});

/** A probe with its errors in English. */
const inEnglish = (made: ReturnType<typeof createOutboundProbe>) => ({
  dial: async (...asked: Parameters<OutboundProbe['dial']>) => resultOf(await made.dial(...asked)),
  request: async (...asked: Parameters<OutboundProbe['request']>) => resultOf(await made.request(...asked)),
  close: () => made.close(),
});

describe.skipIf(coreBinary === null)('a test of an outbound', () => {
  let server: Place;
  let web: Awaited<ReturnType<typeof target>>;
  let cert: Awaited<ReturnType<typeof certificate>>;
  const ports: number[] = [];
  let folder: string;

  beforeAll(async () => {
    cert = await certificate();
    web = await target(cert);
    server = place();
    ports.push(await freePort(), await freePort());
    const inbounds = ports.map((port, n) =>
      inboundOf({ tag: `in-${n}`, listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }, [
        { email: `u${n}@x`, id: ID },
      ]),
    );
    await server.core.process.start(configOf(inbounds));
  });
  afterAll(async () => {
    await server?.dispose();
    await web?.close();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portolan-probe-'));
  });

  const runDir = (): string => join(folder, 'run');
  const leftovers = (): string[] => (existsSync(runDir()) ? readdirSync(runDir()) : []);
  const small = (): string => `http://127.0.0.1:${web.port}/small`;
  const vless = (tag: string, port: number, more: JsonObject = {}, id = ID): JsonObject => ({
    tag,
    protocol: 'vless',
    settings: { address: '127.0.0.1', port, id, encryption: 'none' },
    ...more,
  });

  function probe(options: Partial<ProbeOptions> = {}) {
    const made = createOutboundProbe({
      binary: () => coreBinary,
      runDir: runDir(),
      assetDir: join(folder, 'geo'),
      allowPrivate: true,
      ...options,
    });
    onTestFinished(async () => {
      await made.close();
      expect(leftovers()).toStrictEqual([]);
      rmSync(folder, { recursive: true, force: true });
    });
    return inEnglish(made);
  }
  const ask = (outbound: JsonObject, others: readonly JsonObject[] = [], url = small(), signal = never) =>
    probe().request({ outbound, others, url }, signal);

  /** An executable with this script. */
  function script(text: string): string {
    const file = join(folder, 'core.sh');
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** A target that takes connections and never answers; or only this, byte by byte. */
  async function silent(answer = ''): Promise<string> {
    const target = createServer((socket) => {
      socket.on('error', () => undefined);
      for (const letter of answer) socket.write(letter);
    });
    const port = await freePort();
    await new Promise<void>((resolve) => target.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void target.close());
    return `http://127.0.0.1:${port}/`;
  }

  it.each([
    [
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 404 Not Found\r\ncontent-length: 7\r\n\r\n',
      { statusCode: 404 },
    ],
    ['HTTP/1.0 500 No\r\n\r\n', { success: true, statusCode: 500 }],
    ['SSH-2.0-OpenSSH', { success: false, error: 'Request failed: the response is not HTTP' }],
    [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`, { success: false }],
  ])('accepts any HTTP status as a response, and nothing else: %j', async (answer, result) => {
    expect(await ask(direct, [], await silent(answer))).toMatchObject(result);
  });

  it('requests the target through a temporary core, and reports the duration of each step', async () => {
    const plain = await ask(direct);
    expect(plain).toStrictEqual({
      success: true,
      mode: 'http',
      statusCode: 200,
      delay: expect.any(Number) as number,
      connectMs: expect.any(Number) as number,
      ttfbMs: expect.any(Number) as number,
    });
    const secure = await probe({ ca: cert.cert }).request(
      { outbound: direct, others: [], url: `https://localhost:${web.tlsPort}/small` },
      never,
    );
    expect(secure).toMatchObject({ success: true, statusCode: 200, tlsMs: expect.any(Number) as number });
    expect(secure.ttfbMs).toBeLessThanOrEqual(secure.delay);
  });

  it('accepts no certificate that would be invalid without the outbound', async () => {
    const url = `https://localhost:${web.tlsPort}/small`;
    expect(await ask(direct, [], url)).toMatchObject({ success: false, error: expect.stringContaining('certificate') });
  });

  it('uses the server of the outbound, which counts the traffic', async () => {
    expect(await ask(vless('far', ports[0] ?? 0))).toMatchObject({ success: true, statusCode: 200 });
    const counted = (await server.core.stats.counters()).clients.get(numberOf('u0@x'));
    expect(counted?.down).toBeGreaterThan(0);
  });

  it.each(['dialerProxy', 'proxySettings'])(
    'uses the outbound through which the tested one is dialed: %s',
    async (how) => {
      const by = (tag: string): JsonObject =>
        how === 'proxySettings' ? { proxySettings: { tag } } : { streamSettings: { sockopt: { dialerProxy: tag } } };
      const before = (await server.core.stats.counters()).clients.get(numberOf('u1@x'))?.up ?? 0;
      const far = vless('far', ports[0] ?? 0, by('near'));
      const near = vless('near', ports[1] ?? 0);
      // An invalid outbound, which is irrelevant if nothing is dialed through it.
      const unused = { tag: 'unused', protocol: 'pigeon' };
      expect(await ask(far, [unused, near, far])).toMatchObject({ success: true });
      const after = (await server.core.stats.counters()).clients.get(numberOf('u1@x'))?.up ?? 0;
      expect(after).toBeGreaterThan(before);
      expect(await ask(far, [])).toMatchObject({
        success: false,
        error: 'The outbound "near" to dial through does not exist',
      });
    },
  );

  it('fails if a server is down or rejects the key', async () => {
    const dead = ask(vless('far', await freePort()));
    const behind = vless('far', ports[0] ?? 0, { proxySettings: { tag: 'near' } });
    const behindDead = ask(behind, [vless('near', await freePort())]);
    const wrong = ask(vless('far', ports[0] ?? 0, {}, '22222222-2222-4222-8222-222222222222'));
    for (const result of await Promise.all([dead, wrong, behindDead])) {
      expect(result).toMatchObject({ success: false, delay: 0, mode: 'http', error: expect.any(String) as string });
    }
  });

  it.each<[string, JsonObject, string]>([
    [
      'that says a thing twice',
      { ...direct, Settings: {}, settings: {} },
      'The outbound cannot be used: it contains "settings" twice',
    ],
    ['without a tag', { protocol: 'freedom' }, 'Outbound has no tag'],
    ['into the void', { tag: 'x', protocol: 'BlackHole' }, 'Blocked/blackhole outbound cannot be tested'],
    [
      'with the name of the void',
      { tag: 'blocked', protocol: 'freedom' },
      'Blocked/blackhole outbound cannot be tested',
    ],
    ['that no core knows', { tag: 'x', protocol: 'pigeon' }, 'unknown config id: pigeon'],
    [
      'that writes a file',
      { ...direct, streamSettings: { TLSSettings: { MasterKeyLog: '/tmp/x' } } },
      'is not allowed',
    ],
    ['that reads a file', { ...direct, streamSettings: { a: [{ keyFile: '/etc/shadow' }] } }, 'inside the data'],
    ['through ours', { ...direct, streamSettings: { sockopt: { dialerProxy: 'metrics_out' } } }, 'outbound "metrics'],
  ])('rejects one %s', async (_, outbound, error) => {
    expect(await ask(outbound)).toStrictEqual({
      success: false,
      delay: 0,
      mode: 'http',
      error: expect.stringContaining(error) as string,
    });
  });

  it('starts no core for outbounds that are dialed through each other', async () => {
    const by = (tag: string, other: string): JsonObject => ({ ...direct, tag, proxySettings: { tag: other } });
    const error = 'The outbounds form a loop: each is dialed through another one';
    expect(await ask(by('a', 'a'))).toMatchObject({ success: false, error });
    expect(await ask(by('a', 'b'), [by('b', 'c'), by('c', 'b')])).toMatchObject({ success: false, error });
    expect(await ask(by('a', 'b'), [by('b', 'c'), direct, by('c', 'direct')])).toMatchObject({ success: true });
  });

  it('ends for an outbound that loops its traffic back', async () => {
    const round = { tag: 'round', protocol: 'loopback', settings: { inboundTag: 'portolan-probe' } };
    expect(await ask(round)).toMatchObject({
      success: false,
      error: expect.stringContaining('Request failed') as string,
    });
  });

  it('starts only the required ones of up to two thousand outbounds', async () => {
    const others = Array.from({ length: 1_999 }, (_, n) => vless(`o-${n}`, 1 + n));
    expect(await ask(direct, [...others, { protocol: 'pigeon' }])).toMatchObject({ success: true });
    expect(await ask(direct, [...others, direct, direct])).toMatchObject({
      error: 'There are more than 2,000 other outbounds',
    });
  });

  it('supports a chain of 32 outbounds, and no longer one', async () => {
    const line = (length: number): JsonObject[] =>
      Array.from({ length }, (_, n) => ({
        ...direct,
        tag: `d-${n}`,
        ...(n + 1 < length ? { proxySettings: { tag: `d-${n + 1}` } } : {}),
      }));
    const [first = direct, ...rest] = line(32);
    expect(await ask(first, rest)).toMatchObject({ success: true });
    const [next = direct, ...others] = line(2_000);
    expect(await ask(next, others)).toMatchObject({ error: 'It is dialed through more than 32 outbounds' });
  });

  it('reports a core that exits, that does not listen, or that is missing', async () => {
    const request = { outbound: direct, others: [], url: small() };
    const broken = script('echo "Failed to start: app > main: no luck"; exit 23');
    expect(await probe({ binary: () => broken }).request(request, never)).toMatchObject({ error: 'main: no luck' });
    expect(await probe({ binary: () => '/nowhere/xray' }).request(request, never)).toMatchObject({
      error: expect.stringContaining('No core is installed') as string,
    });
    expect(await probe({ binary: () => null }).request(request, never)).toMatchObject({ success: false });
    const deaf = script('exec sleep 60');
    expect(await probe({ binary: () => deaf }).request(request, never)).toMatchObject({
      error: 'The temporary core did not open its port',
    });
  });

  it('ends with its caller, and leaves no process and no file', async () => {
    const asked = new AbortController();
    const url = await silent();
    const running = probe().request({ outbound: direct, others: [], url }, asked.signal);
    const [name] = await until(() => (leftovers().length > 0 ? leftovers() : null));
    const file = join(runDir(), name ?? '', 'config.json');
    await until(() => existsSync(file) && processesOf(file).length > 0);
    expect([statSync(file).mode & 0o777, statSync(join(runDir(), name ?? '')).mode & 0o777]).toStrictEqual([
      0o600, 0o700,
    ]);
    asked.abort();
    expect(await running).toMatchObject({ success: false });
    expect([processesOf(file), leftovers()]).toStrictEqual([[], []]);
  });

  it('runs at most three cores at once, and ends all of them with the panel', async () => {
    const deaf = script('exec sleep 60');
    const one = probe({ binary: () => deaf });
    const asked = Array.from({ length: 60 }, () => one.request({ outbound: direct, others: [], url: small() }, never));
    await until(() => leftovers().length === 3);
    const settled = asked.map((result, n) => result.then(({ error }) => ({ n, error })));
    // Three run and fifty wait: the others are rejected at once.
    expect(await Promise.race(settled)).toStrictEqual({
      n: 53,
      error: 'Too many outbound tests are running, please wait',
    });
    expect(leftovers()).toHaveLength(3);
    await one.close();
    expect(leftovers()).toStrictEqual([]);
  });

  it('first ends the cores that a crashed panel left running', async () => {
    const orphanFolder = join(runDir(), 'probe-orphan');
    mkdirSync(orphanFolder, { recursive: true });
    const file = join(orphanFolder, 'config.json');
    writeFileSync(file, '{"log":{"loglevel":"none"}}');
    const orphan: ChildProcess = spawn(coreBinary ?? '', ['run', '-format', 'json', '-c', file], { stdio: 'ignore' });
    const ended = new Promise((resolve) => orphan.once('exit', (_, signal) => resolve(signal)));
    await until(() => processesOf(file).length > 0);
    probe();
    expect(await ended).toMatch(/^SIG(TERM|KILL)$/);
    await until(() => leftovers().length === 0);
  });

  describe('without access to private addresses', () => {
    let canary: Server;
    let touched = 0;
    let canaryPort = 0;

    beforeAll(async () => {
      canaryPort = await freePort();
      canary = createServer((socket) => {
        touched += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => canary.listen(canaryPort, resolve));
    });
    afterAll(() => void canary?.close());

    it.each<[string, JsonObject, string]>([
      ['itself', direct, '127.0.0.1'],
      ['by name', direct, 'localhost'],
      ['that an outbound opens', { ...direct, settings: { finalRules: [{ action: 'allow' }] } }, 'localhost'],
      ['by a turn of the outbound', { ...direct, settings: { Redirect: '127.0.0.1:PORT' } }, '192.0.2.1'],
    ])('does not reach one %s', async (_, outbound, host) => {
      const patched = JSON.parse(JSON.stringify(outbound).replace('PORT', String(canaryPort))) as JsonObject;
      const url = `http://${host}:${canaryPort}/`;
      const asked = { outbound: patched, others: [], url };
      expect(await probe({ allowPrivate: false, requestMs: 600 }).request(asked, never)).toMatchObject({
        success: false,
        error: expect.stringContaining('Request failed') as string,
      });
      expect(touched).toBe(0);
      // The same is open where it may be: the canary does sing.
      await probe({ requestMs: 600 }).request(asked, never);
      expect(touched).toBeGreaterThan(0);
      touched = 0;
    });

    it('does not start a core for an outbound with a private server', async () => {
      const closed = probe({
        binary: () => '/nowhere/xray',
        allowPrivate: false,
        resolve: async () => [{ address: '10.0.0.7', family: 4 }],
      });
      const servers = [{ address: 'inside.example', port: 1 }];
      const shapes = [vless('far', 1), { tag: 'far', protocol: 'socks', settings: { servers } }];
      const near = vless('near', 1);
      const through = { tag: 'far', protocol: 'freedom', proxySettings: { tag: 'near' } };
      for (const outbound of [...shapes, through]) {
        expect(await closed.request({ outbound, others: [near], url: 'http://192.0.2.1/' }, never)).toMatchObject({
          error: expect.stringMatching(/^(127\.0\.0\.1|inside\.example) is not a public address$/) as string,
        });
      }
    });

    it.each<[string, JsonObject, RegExp]>([
      ['behind a note that the core does not read', { note: { dialerProxy: 'b' } }, /place that the core ignores/],
      ['behind a stray detour', { settings: { proxySettings: { tag: 'b' } } }, /place that the core ignores/],
      [
        'that only downloads are dialled around',
        { streamSettings: { xhttpSettings: { extra: { downloadSettings: { sockopt: { dialerProxy: 'b' } } } } } },
        /^127\.0\.0\.1 is not a public address$/,
      ],
      [
        'of a download beside a detour',
        {
          streamSettings: {
            sockopt: { dialerProxy: 'b', penetrate: true },
            SplitHTTPSettings: { downloadSettings: { Address: '127.0.0.1', port: 1, sockopt: { dialerProxy: 'b' } } },
          },
        },
        /^127\.0\.0\.1 is not a public address$/,
      ],
      ['without a port', { protocol: 'dns', settings: { address: '127.0.0.1' } }, /^127\.0\.0\.1 is not/],
      [
        'behind thirty-two others',
        {
          protocol: 'wireguard',
          settings: { peers: [...Array(33).keys()].map((n) => ({ endpoint: `192.0.2.${n}:1` })) },
        },
        /more than 32 servers/,
      ],
      ...['udp', 'https', 'h2c'].map((scheme): [string, JsonObject, RegExp] => [
        `by a look-up over ${scheme}`,
        {
          settings: { address: '192.0.2.1', port: 1 },
          streamSettings: { tlsSettings: { ECHConfigList: `example.com+${scheme}://127.0.0.1:1` } },
        },
        /"ECHConfigList" makes the core connect to other servers/,
      ]),
      [
        'by a record of its name',
        {
          settings: { address: '192.0.2.1', port: 1 },
          streamSettings: { sockopt: { addressPortStrategy: 'TxtPortAndAddress' } },
        },
        /"addressPortStrategy" makes/,
      ],
      [
        'by the revocation list of its certificate',
        {
          settings: { address: '192.0.2.1', port: 1 },
          streamSettings: { tlsSettings: { certificates: [{ ocspStapling: 1 }] } },
        },
        /"ocspStapling" makes/,
      ],
      [
        'by a rendezvous',
        {
          settings: { address: '192.0.2.1', port: 1 },
          streamSettings: { finalMask: { udp: [{ Type: 'Realm', settings: {} }] } },
        },
        /"Type" makes/,
      ],
    ])('does not start a core for a server %s', async (_, more, error) => {
      const outbound = { ...vless('a', 1), ...more };
      const others = [{ tag: 'b', protocol: 'freedom' }];
      const closed = probe({ binary: () => '/nowhere/xray', allowPrivate: false });
      expect(await closed.request({ outbound, others, url: 'http://192.0.2.1/' }, never)).toMatchObject({
        error: expect.stringMatching(error) as string,
      });
    });

    it('dials no private server, and reports the same whether it listens or not', async () => {
      const closed = probe({ allowPrivate: false });
      for (const port of [canaryPort, await freePort()]) {
        expect(await closed.dial(vless('far', port), never)).toStrictEqual({
          success: false,
          delay: 0,
          mode: 'tcp',
          error: '127.0.0.1 is not a public address',
          endpoints: [
            {
              address: `127.0.0.1:${port}`,
              success: false,
              delay: expect.any(Number) as number,
              error: '127.0.0.1 is not a public address',
            },
          ],
        });
      }
      expect(touched).toBe(0);
    });
  });

  it('by dialing reports each server of an outbound in any format', async () => {
    const [a = 0, b = 0] = ports;
    const dead = await freePort();
    const shapes: JsonObject[] = [
      { settings: { Address: '127.0.0.1', port: String(a) }, protocol: 'vless' },
      { settings: { vnext: [{ address: '127.0.0.1', port: a }] }, protocol: 'vmess' },
      { settings: { servers: [{ address: 'localhost', port: a }] }, protocol: 'trojan' },
      { settings: { address: ['10.0.0.2/32'], peers: [{ endpoint: `127.0.0.1:${a}` }] }, protocol: 'wireguard' },
    ];
    for (const shape of shapes)
      expect(await probe().dial({ tag: 'x', ...shape }, never)).toMatchObject({ success: true });
    const servers = [b, dead].map((port) => ({ address: '127.0.0.1', port }));
    expect(await probe().dial({ tag: 'x', protocol: 'socks', settings: { servers } }, never)).toMatchObject({
      success: true,
      endpoints: [{ success: true }, { success: false, error: 'Connection refused', address: `127.0.0.1:${dead}` }],
    });
    for (const protocol of ['freedom', 'blackhole', 'dns', 'vless']) {
      expect(await probe().dial({ tag: 'x', protocol, settings: {} }, never)).toStrictEqual({
        success: false,
        delay: 0,
        mode: 'tcp',
        error: 'Outbound has no testable endpoint',
      });
    }
  });
});

async function until<T>(ask: () => T | null | false, ms = 120_000): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const answer = ask();
    if (answer !== null && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`not within ${ms} ms`);
    await pause(10);
  }
}

/** Pids that name a file. */
function processesOf(file: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(file);
    } catch {
      return false;
    }
  });
}
