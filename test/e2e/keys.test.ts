import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, type TestCertificate } from '../kit/real/certificate.js';
import { type ClientCore, startClientCore } from '../kit/real/client-core.js';
import { withoutCore } from '../kit/real/core-process.js';
import { expectComplete, untilComplete } from '../kit/real/expect-transfer.js';
import { type InboundCase, inboundCase, makeClient, makeContext } from '../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../kit/real/panel-process.js';
import { freePort } from '../kit/real/ports.js';
import { download } from '../kit/real/socks.js';
import { startTargets, type Targets } from '../kit/real/targets.js';
import { addInbound, subscription, template } from './support.js';

const BYTES = 100_000;
const WRONG_NAME = 'The input is not valid: sni: must be a host name';
const SERVER = '/panel/api/server';

interface Auth {
  id: number;
  label: string;
  encryption: string;
  decryption: string;
}

/** An inbound that was made with keys of the panel. */
interface KeyCase {
  one: InboundCase;
  /** What the link must carry for the client, and the same of a pair that is not this inbound's. */
  ours: string;
  foreign: string;
}

type Members = Record<string, unknown>;

/** A case with other members in its settings, its security, and what its security tells clients. */
function patched(one: InboundCase, { settings = {}, security = {}, told = {} }: Record<string, Members>): InboundCase {
  const body: InboundCase['body'] = (port, clients) => {
    const made = one.body(port, clients);
    const stream = JSON.parse(made.streamSettings) as Record<string, Members | string>;
    const name = `${String(stream['security'])}Settings`;
    const before = stream[name] as Members | undefined;
    if (before) stream[name] = { ...before, ...security, settings: { ...(before['settings'] as Members), ...told } };
    const all = { ...(JSON.parse(made.settings) as Members), ...settings };
    return { ...made, settings: JSON.stringify(all), streamSettings: JSON.stringify(stream) };
  };
  return { ...one, body };
}

/**
 * A TLS 1.3 server with a certificate so long that a signature of ML-DSA-65 (3,309 bytes) can hide in its place: REALITY
 * makes its own handshake no longer than that of its target, and follows none above 8,192 bytes.
 */
async function startLongTarget(): Promise<{ target: string; stop(): void }> {
  const names = Array.from({ length: 110 }, (_, index) => `name-${index}.of-a-long-certificate.example`);
  const certificate: TestCertificate = await makeCertificate(['localhost', ...names]);
  const server: Server = createServer({ cert: certificate.certPem, key: certificate.keyPem, minVersion: 'TLSv1.3' });
  server.on('tlsClientError', () => {});
  const port = await freePort('tcp');
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    certificate.remove();
  };
  return { target: `127.0.0.1:${port}`, stop };
}

const SUITE = 'a generated key';
describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const clients: ClientCore[] = [];
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
  });

  afterAll(async () => {
    await Promise.all([...clients.map((client) => client.stop()), panel?.cleanUp(), targets?.stop()]);
  });

  const context = (keys?: { privateKey: string; publicKey: string }) => ({
    ...makeContext({ ...targets, targetPort: targets.port }),
    ...(keys === undefined ? {} : { realityKeys: keys }),
  });
  const x25519 = () => must(admin.get<{ privateKey: string; publicKey: string }>(`${SERVER}/getNewX25519Cert`));
  const auths = async () => (await must(admin.get<{ auths: Auth[] }>(`${SERVER}/getNewVlessEnc`))).auths;

  /** Traffic flows with the link of the subscription, and does not with the same link and the other key. */
  async function carries({ one, ours, foreign }: KeyCase): Promise<void> {
    const alice = makeClient();
    await addInbound(admin, one, [alice]);
    const [link = ''] = await subscription(panel, alice.subId);
    const [here, there] = [ours, foreign].map(encodeURIComponent) as [string, string];
    expect(link).toContain(here);
    const client = await startClientCore([link, link.replaceAll(here, there)]);
    clients.push(client);
    const fetched = () => download(client.socksPort(0), `${targets.url}/bytes/${BYTES}`, { totalMs: 10_000 });
    expectComplete(await untilComplete('traffic flows', fetched), { bytes: BYTES });
    const wrong = await download(client.socksPort(1), `${targets.url}/bytes/${BYTES}`, { totalMs: 5_000 });
    expect(wrong.status).not.toBe(200);
  }

  it.concurrent('carries traffic: X25519 with REALITY', async () => {
    const [keys, foreign] = [await x25519(), await x25519()];
    const one = inboundCase(context(keys), 'vless-reality-vision');
    await carries({ one, ours: keys.publicKey, foreign: foreign.publicKey });
  });

  it.concurrent('carries traffic: ML-DSA-65 with REALITY', async ({ onTestFinished }) => {
    const make = () => must(admin.get<Record<string, string>>(`${SERVER}/getNewmldsa65`));
    const [keys, foreign] = [await make(), await make()];
    expect(keys).toMatchObject({ privateKey: keys['seed'], publicKey: keys['verify'] });
    const long = await startLongTarget();
    onTestFinished(long.stop);
    const reality = inboundCase(context(await x25519()), 'vless-reality-vision');
    const one = patched(reality, {
      security: { mldsa65Seed: keys['seed'], target: long.target },
      told: { mldsa65Verify: keys['verify'] },
    });
    await carries({ one, ours: keys['publicKey'] ?? '', foreign: foreign['publicKey'] ?? '' });
  });

  it.concurrent.each(['X25519', 'ML-KEM-768'])('carries traffic: %s with VLESS encryption', async (name) => {
    const pick = (all: Auth[]) => all.find(({ label }) => label.startsWith(name)) as Auth;
    const [made, foreign] = [pick(await auths()), pick(await auths())];
    const one = patched(inboundCase(context(), 'vless-tcp'), {
      settings: { decryption: made.decryption, encryption: made.encryption },
    });
    await carries({ one, ours: made.encryption, foreign: foreign.encryption });
  });

  it.concurrent('carries traffic: ML-KEM-768 alone, in a VLESS encryption string made by hand', async () => {
    const make = () => must(admin.get<Record<string, string>>(`${SERVER}/getNewmlkem768`));
    const [keys, foreign] = [await make(), await make()];
    const encryption = (client = '') => `mlkem768x25519plus.native.0rtt.${client}`;
    expect(keys).toMatchObject({ clientKey: keys['client'], serverKey: keys['seed'] });
    const ours = encryption(keys['clientKey']);
    const one = patched(inboundCase(context(), 'vless-tcp'), {
      settings: { decryption: `mlkem768x25519plus.native.600s.${keys['serverKey']}`, encryption: ours },
    });
    await carries({ one, ours, foreign: encryption(foreign['clientKey']) });
  });

  it.concurrent('carries traffic: ECH with TLS', async () => {
    const make = (sni: string) =>
      must(admin.form<{ echServerKeys: string[]; echConfigList: string }>(`${SERVER}/getNewEchCert`, { sni }));
    const [keys, foreign] = [await make('public.example'), await make('public.example')];
    expect(Buffer.from(keys.echConfigList, 'base64').toString('latin1')).toContain('public.example');
    const one = patched(inboundCase(context(), 'vless-tcp-tls'), {
      security: { echServerKeys: keys.echServerKeys[0] },
      told: { echConfigList: keys.echConfigList },
    });
    await carries({ one, ours: keys.echConfigList, foreign: foreign.echConfigList });
  });

  it('has the format of 3x-ui on request', async () => {
    const uuids = (await auths()).map(({ id }) => id);
    expect(uuids).toEqual([1, 2]);
    await must(admin.post('/panel/setting/update', { apiDialect: '3x-ui' }));
    expect((await auths()).map(({ id }) => id)).toEqual(['x25519', 'mlkem768']);
    const ech = await must(admin.post(`${SERVER}/getNewEchCert`, { sni: 'public.example' }));
    expect(ech).toMatchObject({
      echServerKeys: expect.any(String) as string,
      echConfigList: expect.any(String) as string,
    });
  });

  it('is not generated for an unknown type', async () => {
    const names = ['--help', ';id', 'a.example\nb', `${'a'.repeat(10_000)}.example`, '127.0.0.1', 'a..b', '', 7, ['a']];
    const answers = await Promise.all(names.map((sni) => admin.post(`${SERVER}/getNewEchCert`, { sni })));
    for (const { success, msg } of answers) expect([success, msg]).toEqual([false, WRONG_NAME]);
  });
});
