import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, startClientCore } from '../kit/real/client-core.js';
import { type CoreProcess, startCore, withoutCore } from '../kit/real/core-process.js';
import { expectComplete, expectNoReply } from '../kit/real/expect-transfer.js';
import { type ClientSeed, inboundCases, makeClient, makeContext } from '../kit/real/inbounds.js';
import { freePort, freePorts } from '../kit/real/ports.js';
import { download, moved, startTransfer, upload } from '../kit/real/socks.js';
import { SMALL_BODY, startTargets, type Targets } from '../kit/real/targets.js';
import { openSocks } from '../kit/real/tunnel.js';
import { handLink } from './hand-links.js';
import { serverConfig } from './server-config.js';

/** Names only: the real cases need a target, which `beforeAll` starts. */
const NAMES = inboundCases(
  makeContext({
    certificate: { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} },
    realityTarget: '',
    targetPort: 1,
  }),
).map(({ name }) => name);

describe.skipIf(withoutCore('the test kit with a core of its own'))('the test kit with a core of its own', () => {
  const clients = new Map<string, ClientSeed>(NAMES.map((name) => [name, makeClient()]));
  const ports = new Map<string, number>();
  let targets: Targets;
  let server: CoreProcess;
  let client: ClientCore;

  beforeAll(async () => {
    targets = await startTargets();
    const context = makeContext({ ...targets, targetPort: targets.port });
    const found = await freePorts(NAMES.length);
    const all = inboundCases(context).map((one, index) => {
      const [port, person] = [found[index] ?? 0, clients.get(one.name) ?? makeClient()];
      ports.set(one.name, port);
      return { one, port, person, body: one.body(port, [person]) };
    });
    const listening = all.filter(({ one }) => one.listens === 'tcp').map(({ port }) => port);
    server = await startCore(
      serverConfig(
        all.map(({ body }) => body),
        targets.port,
      ),
      listening,
    );
    client = await startClientCore(
      all.map(({ one, port, person }) => one.outbound?.(port, person) ?? handLink(one.name, port, person, context)),
      { logLevel: 'info' },
    );
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), server?.stop(), targets?.stop()]);
  });

  /** Where to ask: a WireGuard request must not name a loopback address; the server leads it to the target anyway. */
  const url = (name: string, path: string) => (name === 'wireguard' ? `http://198.18.0.1${path}` : targets.url + path);

  it.each(NAMES)('%s carries a small and a big body', async (name) => {
    const port = client.socksPort(NAMES.indexOf(name));
    const small = await download(port, url(name, '/small'));
    expectComplete(small, { text: SMALL_BODY });
    const big = await download(port, url(name, '/bytes/1000000'));
    expectComplete(big, { bytes: 1_000_000 });
  });

  it.each(['vless-tcp', 'trojan-tcp-tls', 'hysteria2', 'ss-2022-128', 'mixed'])(
    '%s carries an upload',
    async (name) => {
      const before = targets.uploaded();
      const sent = await upload(client.socksPort(NAMES.indexOf(name)), `${targets.url}/sink`, 300_000);
      expectComplete(sent, { text: '{"bytes":300000}', sent: 300_000 });
      expect(targets.uploaded() - before).toBe(300_000);
    },
  );

  it('speaks to socks, http and mixed inbounds itself, with user and password', async () => {
    const ask = (name: string, via: 'socks' | 'http' | 'connect', pass?: string) => {
      const { email, password } = clients.get(name) ?? makeClient();
      return download(ports.get(name) ?? 0, `${targets.url}/small`, {
        via,
        user: email,
        pass: pass ?? password,
        from: '127.0.0.2',
      });
    };
    const good = await Promise.all([
      ask('socks', 'socks'),
      ask('mixed', 'socks'),
      ask('mixed', 'http'),
      ask('http', 'http'),
      ask('http', 'connect'),
    ]);
    for (const result of good) expectComplete(result, { text: SMALL_BODY });
    expect(await ask('socks', 'socks', 'wrong')).toMatchObject({ status: 0, bytes: 0, ended: 'cut' });
    expect((await ask('http', 'http', 'wrong')).status).toBe(407);
    expect(await ask('http', 'connect', 'wrong')).toMatchObject({ status: 0, ended: 'cut' });
  });

  it('reaches dokodemo directly and the TLS target through a proxy', async () => {
    const straight = await download(ports.get('tunnel') ?? 0, 'http://whatever.test/small', { via: 'direct' });
    expectComplete(straight, { text: SMALL_BODY });
    const secure = await download(client.socksPort(NAMES.indexOf('vless-tls-vision')), `${targets.tlsUrl}/small`);
    expectComplete(secure, { text: SMALL_BODY });
  });

  it('connects from 127.0.0.2, so that the core sees an online IP', async () => {
    const seen = server.log();
    const other = NAMES.filter(
      (name) => !new RegExp(`from (tcp:|udp:)?127\\.0\\.0\\.2:\\d+ accepted .*\\[${name} `).test(seen),
    );
    expect(other).toEqual(['wireguard']);
  });

  it.each(['vless-tls-vision', 'hysteria2'])('%s is rejected with a wrong pin or credential', async (name) => {
    const context = makeContext({ ...targets, targetPort: targets.port });
    const person = clients.get(name) ?? makeClient();
    const good = handLink(name, ports.get(name) ?? 0, person, context);
    const other = makeClient();
    const links = [
      good.replace(context.certificate.pin, '0'.repeat(64)),
      good.replace(person.id, other.id).replace(person.password, other.password),
      good,
    ];
    const core = await startClientCore(links);
    const ask = (index: number, totalMs?: number) =>
      download(core.socksPort(index), `${targets.url}/small`, totalMs === undefined ? {} : { totalMs });
    const results = await Promise.all([ask(0, 5_000), ask(1, 5_000), ask(2)]);
    await core.stop();
    const [wrongPin, wrongCredential, accepted] = results;
    expectNoReply(wrongPin);
    expectNoReply(wrongCredential);
    expectComplete(accepted);
  });

  it('reaches the target when the first bytes are late', async () => {
    for (const name of ['vless-tcp', 'vmess-tcp', 'ss-chacha20']) {
      const stream = await openSocks(client.socksPort(NAMES.indexOf(name)), '127.0.0.1', targets.port);
      await pause(300); // three times the time that a client core waits for the first bytes
      stream.write('GET /small HTTP/1.1\r\nHost: target\r\nConnection: close\r\n\r\n');
      expect(`${name} ${await text(stream)}`).toContain(SMALL_BODY);
    }
  });

  it('distinguishes a cut from an end, and counts bytes in the background', async () => {
    const port = client.socksPort(NAMES.indexOf('vless-grpc'));
    const slow = startTransfer(port, `${targets.url}/slow?rate=200000`);
    await moved(slow, 100_000);
    expect(slow.ended()).toBe(false);
    expect(targets.active()).toBe(1);
    slow.stop();
    expect(await slow.done).toMatchObject({ status: 200, ended: 'cut', error: 'stopped by the caller' });
    await expect.poll(() => targets.active()).toBe(0);
  });

  it('reports an unreachable server as a cut, and a rejected configuration with the message of the core', async () => {
    const lost = await download(await freePort('tcp'), `${targets.url}/small`);
    expect(lost).toMatchObject({ status: 0, ended: 'cut' });
    const bad = { protocol: 'vless', settings: { address: '127.0.0.1', port: 1, id: 'x', encryption: 'bogus' } };
    await expect(startClientCore([bad])).rejects.toThrow(/did not start[\s\S]*vless/);
    await expect(startClientCore(['vless://x@h:1?type=nonsense'])).rejects.toThrow(/link 0 .*type=nonsense/);
  });

  it('reports a cut when the server stops', async () => {
    const slow = startTransfer(client.socksPort(0), `${targets.url}/slow`);
    await moved(slow, 20_000);
    await server.stop();
    expect(await slow.done).toMatchObject({ status: 200, ended: 'cut' });
  });
});
