import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import {
  type Admin,
  loopbackTemplate,
  must,
  type PanelProcess,
  startPanel,
  storeTemplate,
} from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { download, type TransferOptions } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { addInbound, deedsOf, entryOf, headOf, recorded, until } from '../support.js';

const SUITE = 'a core template';
/** A blocked connection hangs, so an attempt that must fail or is repeated has a short timeout. */
const BLOCKED = { totalMs: 1_500 };

interface Config {
  readonly metrics: { readonly listen: string };
  readonly outbounds: readonly { readonly tag: string }[];
  readonly routing: { readonly rules: readonly object[] };
  readonly inbounds: readonly { readonly tag: string }[];
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient({ email: 'alice@example.org' });
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let mixed: number;
  let empty: number;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await must(admin.post('/panel/setting/update', { pollSeconds: 1 }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    mixed = await freePort('tcp');
    const settings = JSON.stringify({ auth: 'password', accounts: [{ user: 'u', pass: 'p' }] });
    await must(
      admin.post('/panel/api/inbounds/add', { enable: true, port: mixed, protocol: 'mixed', settings, remark: 'm' }),
    );
    client = await startClientCore([await entryOf(panel, added, alice)]);
    await until('the inbounds run', async () => (await config()).inbounds.length === 2);
    empty = headOf(panel.dataDir);
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  const config = (): Promise<Config> => must(admin.get<Config>('/panel/api/server/getConfigJson'));
  const update = (template: object) =>
    admin.form('/panel/core/update', { coreSetting: JSON.stringify(template), outboundTestUrl: '' });

  /** The HTTP status through each of the two inbounds; 0 without a reply. */
  async function statuses(url: string, options: TransferOptions = {}): Promise<[vless: number, mixed: number]> {
    const [vless, socks] = await Promise.all([
      download(client.socksPort(0), url, options),
      download(mixed, url, { ...options, user: 'u', pass: 'p' }),
    ]);
    return [vless.status, socks.status];
  }

  async function metricsPorts(): Promise<Record<'ops' | 'metrics' | 'panel', string[]>> {
    const { listen } = (await config()).metrics;
    const at = (port: number, path: string) =>
      ['127.0.0.1', 'localhost', '0.0.0.0', '127.1.2.3'].map((host) => `http://${host}:${port}${path}`);
    return {
      ops: at(panel.ports.ops, '/healthz'),
      // The built-in template has none.
      metrics: listen === '' ? [] : at(Number(listen.split(':').at(-1)), '/debug/vars'),
      panel: at(panel.ports.panel, '/'),
    };
  }

  it('blocks proxied connections to this machine by default, by address or by name', async () => {
    const { ops, metrics, panel: own } = await metricsPorts();
    expect((await fetch(ops[0] ?? '')).status).toBe(200);
    expect(metrics).toEqual([]);
    const urls = [...ops, ...own, `${targets.url}/small`];
    const answers = await Promise.all(urls.map(async (url) => [url, ...(await statuses(url, BLOCKED))]));
    expect(answers).toEqual(urls.map((url) => [url, 0, 0]));
    expect(targets.seen()).toBe(0);
  });

  it('does not make the metrics reachable, even if it allows connections to this machine', async () => {
    const direct = { protocol: 'freedom', settings: { finalRules: [{ action: 'allow' }] } };
    const asking = { metrics: {} };
    await storeTemplate(admin, loopbackTemplate(asking));
    await until('the metrics are there', async () => (await metricsPorts()).metrics.length > 0);
    const metrics = (await metricsPorts()).metrics[0]?.split('/')[2] ?? '';
    const turned = { ...direct, tag: 'turned', settings: { ...direct.settings, redirect: metrics } };
    const rules = [{ domain: ['full:turned.example'], outboundTag: 'turned' }];
    await storeTemplate(
      admin,
      loopbackTemplate({ ...asking, outbounds: [{ ...direct, tag: 'direct' }, turned], routing: { rules } }),
    );
    const opened = await until('the new core answers', async () => {
      const [vless, socks] = await statuses(`${targets.url}/small`, BLOCKED);
      return vless === 200 && socks === 200;
    });
    expect(opened).toBe(true);
    const { ops, metrics: closed } = await metricsPorts();
    expect(await statuses(ops[1] ?? '')).toEqual([200, 200]);
    expect((await fetch(closed[0] ?? '')).status).toBe(200);
    const urls = [...closed, 'http://turned.example/debug/vars'];
    const answers = await Promise.all(urls.map((url) => statuses(url, BLOCKED)));
    expect(answers.flat()).toEqual(answers.flat().map(() => 0));
  });

  it.each<[string, object, RegExp]>([
    [
      'a port',
      { inbounds: [], INBOUNDS: [{ tag: 'x', port: 1, protocol: 'socks' }] },
      /^The core template is not valid: it contains "INBOUNDS" twice$/,
    ],
    ['one alone', { inbounds: [{ Tag: 'x', port: 1, protocol: 'socks' }] }, /must not contain inbounds \(found "x"\)/],
    ['a file', { outbounds: [{ streamſettings: { TLSsettings: { MASTERkeyLog: '/x' } } }] }, /"MASTERkeyLog" is not/],
    ['our metrics', { routing: { balancers: [{ tag: 'b', selector: ['m'] }] } }, /"selector": "m" also selects/],
    ['the core’s no', { outbounds: [{ tag: 'x', protocol: 'pigeon' }] }, /pigeon/],
    [
      'a rule to nowhere',
      { routing: { rules: [{ domain: ['regexp:('], outboundTag: 'direct' }] } },
      /core does not accept/,
    ],
  ])('is rejected with the reason, and changes nothing: %s', async (_, more, msg) => {
    const before = deedsOf(panel.dataDir).length;
    expect(await update({ ...loopbackTemplate(), ...more })).toMatchObject({
      success: false,
      msg: expect.stringMatching(msg) as string,
    });
    expect(deedsOf(panel.dataDir)).toHaveLength(before);
    expect(await statuses(`${targets.url}/small`)).toEqual([200, 200]);
  });

  it('has no effect on the API of the panel and its counters, even if it blackholes all traffic', async () => {
    const came = async () =>
      (await must(admin.get<{ up: number }[]>('/panel/api/inbounds/list'))).reduce((sum, { up }) => sum + up, 0);
    const used = async () => must(admin.get<{ tag: string; total: number }[]>('/panel/core/getOutboundsTraffic'));
    await until('what went out is counted', async () => (await used()).some(({ total }) => total > 0));
    const rules = [{ network: 'tcp,udp', outboundTag: 'blocked' }];
    await must(
      update(loopbackTemplate({ routing: { rules }, stats: null, policy: { system: {} }, api: { tag: 'x' } })),
    );
    expect((await config()).routing.rules).toMatchObject([{ network: 'tcp,udp', outboundTag: 'blocked' }]);
    const before = await came();
    expect(await statuses(`${targets.url}/small`, BLOCKED)).toEqual([0, 0]);
    // Blackholed traffic is counted for the inbound, but not for an outbound.
    await until('what was blocked is counted', async () => (await came()) > before);
    const failed = recorded(panel.dataDir, 'CoreFailed', empty);
    expect(failed).toEqual([]);
    expect(await must(admin.get('/panel/core/getCoreResult'))).toBe('');
    await must(admin.form('/panel/core/resetOutboundsTraffic', { tag: '-alltags-' }));
    expect((await used()).every(({ total }) => total === 0)).toBe(true);
    expect(await admin.form('/panel/core/resetOutboundsTraffic', { tag: 'nobody' })).toMatchObject({
      success: false,
      msg: 'Outbound nobody not found',
    });
  });
});
