import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { clientAppCases } from '../../kit/real/client-apps/client-app-cases.js';
import { errorsOf, withoutClientApps } from '../../kit/real/client-apps/client-apps.js';
import type { Outbound } from '../../kit/real/client-apps/outbound.js';
import { startMihomo, startSingBox } from '../../kit/real/client-apps/running-client-app.js';
import { startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete } from '../../kit/real/expect-transfer.js';
import { inboundCases, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { download, type TransferOptions, upload } from '../../kit/real/socks.js';
import { SMALL_BODY, startTargets, type Targets } from '../../kit/real/targets.js';
import { addInbound, template, until } from '../support.js';

const DOWN = 300_000;
const UP = 60_000;
const SUB_ID = 'everything';

interface Config {
  readonly remarks: string;
  readonly outbounds: readonly [Outbound & { tag: string }, ...Outbound[]];
}

/** The format supports these servers, but the app cannot connect: the core rejects older clients. */
const NEWER_THAN_APPS = ['vless-reality-vision', 'vless-reality-xhttp'];
const NOT_IN_MIHOMO = ['trojan-tcp', 'ss-http', 'ss-tls', 'ss-grpc', 'vmess-kcp'];
const NOT_IN_SING_BOX = [
  'vless-xhttp',
  'vless-xhttp-tls',
  'vless-xhttp-h3',
  'vless-xhttp-query',
  'vless-reality-xhttp',
  'vless-xhttp-reality',
  'vless-encryption',
  'vless-grpc-path',
  'vmess-kcp',
  'vmess-kcp-seed',
  'ss-http',
  'ss-tls',
  'ss-grpc',
];

const SUITE = 'a subscription in third-party client apps';
const MIHOMO = 'through Mihomo';
const SING_BOX = 'through sing-box';

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let names: readonly string[];
  let configs: readonly Config[];

  const fetched = async (path: string, userAgent = 'curl/8') => {
    const reply = await fetch(panel.subUrl + path, { headers: { 'user-agent': userAgent } });
    expect(reply.status).toBe(200);
    return reply.text();
  };
  const without = (...left: readonly (readonly string[])[]) => names.filter((name) => !left.flat().includes(name));

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { subJsonEnable: true, remarkModel: '-i' }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const cases = [...inboundCases(context), ...clientAppCases(context)].filter(({ link }) => link);
    await Promise.all(cases.map((one) => addInbound(admin, one, [makeClient({ email: one.name, subId: SUB_ID })])));
    configs = await until('all of them are told', async () => {
      const told = JSON.parse(await fetched(`/json/${SUB_ID}`)) as Config[];
      return told.length === cases.length && told;
    });
    names = configs.map(({ remarks }) => remarks);
    expect([...names].sort()).toStrictEqual(cases.map(({ name }) => name).sort());
  });

  afterAll(() => Promise.all([panel?.cleanUp(), targets?.stop()]));

  /** The cases that fail to carry a small body, a large one and an upload. */
  async function failures(
    through: readonly string[],
    portOf: (name: string, at: number) => number,
    options: TransferOptions = {},
  ) {
    const { url } = targets;
    const carries = async (name: string, at: number): Promise<string> => {
      const port = portOf(name, at);
      // Retried as an app would: a core needs some time for so many new connections.
      const limit = { totalMs: 60_000, ...options };
      const works = (what: string, attempt: () => Promise<void>) =>
        until(what, () => attempt().then(() => true)).then(
          () => '',
          (error: unknown) => `${name}: ${String(error)}`,
        );
      return (
        (await works('a small body', async () =>
          expectComplete(await download(port, `${url}/small`, limit), { text: SMALL_BODY }),
        )) ||
        (await works('a download', async () =>
          expectComplete(await download(port, `${url}/bytes/${DOWN}`, limit), { bytes: DOWN }),
        )) ||
        works('an upload', async () =>
          expectComplete(await upload(port, `${url}/sink`, UP, limit), { text: `{"bytes":${UP}}` }),
        )
      );
    };
    return (await Promise.all(through.map(carries))).filter((failure) => failure !== '');
  }

  it('carries traffic through Xray', async () => {
    const outbounds = configs.map(({ outbounds: [proxy] }, at) => ({
      ...proxy,
      tag: at === 0 ? 'proxy' : `proxy-${at}`,
    }));
    const others = configs[0]?.outbounds.slice(1) ?? [];
    expect(await errorsOf('xray', JSON.stringify({ ...configs[0], outbounds: [...outbounds, ...others] }))).toBe('');
    // The kit sets its own tags.
    const app = await startClientCore(
      outbounds.map(({ protocol, settings, streamSettings = {} }) => ({ protocol, settings, streamSettings })),
    );
    try {
      expect(
        await failures(
          configs.map(({ remarks }) => remarks),
          (_, at) => app.socksPort(at),
        ),
      ).toStrictEqual([]);
    } finally {
      await app.stop();
    }
  });

  it.skipIf(withoutClientApps(MIHOMO, 'mihomo'))(`carries traffic ${MIHOMO}`, async () => {
    const document = await fetched(`/sub/${SUB_ID}`, 'clash-verge/v2.4');
    expect(await fetched(`/clash/${SUB_ID}`)).toBe(document);
    expect(await errorsOf('mihomo', document)).toBe('');
    const { proxies } = parse(document) as { proxies: { name: string; type: string }[] };
    expect(new Set(proxies.map(({ type }) => type))).toStrictEqual(
      new Set(['vless', 'vmess', 'trojan', 'ss', 'hysteria2']),
    );
    expect(proxies.map(({ name }) => name)).toStrictEqual(without(NOT_IN_MIHOMO));
    for (const name of NOT_IN_MIHOMO) expect(document).toMatch(new RegExp(`^# "${name}" is left out: `, 'm'));
    const app = await startMihomo(document, without(NOT_IN_MIHOMO, NEWER_THAN_APPS));
    try {
      expect(await failures(app.names, app.socksPort)).toStrictEqual([]);
    } finally {
      await app.stop();
    }
  });

  it.skipIf(withoutClientApps(SING_BOX, 'sing-box'))(`carries traffic ${SING_BOX}`, async () => {
    const text = await fetched(`/sub/${SUB_ID}`, 'SFA/1.12 (sing-box)');
    expect(await fetched(`/sub/${SUB_ID}?format=sing-box`)).toBe(text);
    expect(await errorsOf('sing-box', text)).toBe('');
    const { outbounds } = JSON.parse(text) as { outbounds: { tag: string; type: string; server?: string }[] };
    const servers = outbounds.filter(({ server }) => server !== undefined);
    expect(new Set(servers.map(({ type }) => type))).toStrictEqual(
      new Set(['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria2']),
    );
    expect(servers.map(({ tag }) => tag)).toStrictEqual(without(NOT_IN_SING_BOX));
    const through = without(NOT_IN_SING_BOX, NEWER_THAN_APPS);
    const app = await startSingBox(text, through, targets.certificate.certFile);
    try {
      expect(await failures(app.names, app.socksPort, { awaitReply: true })).toStrictEqual([]);
    } finally {
      await app.stop();
    }
  });
});
