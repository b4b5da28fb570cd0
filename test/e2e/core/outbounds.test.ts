import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProbeResult } from '../../../src/commands/ports/probe.js';
import { wireguardKeys } from '../../kit/real/client-apps/outbound.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, loopbackTemplate, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import {
  startTunnelServer,
  startVpnServer,
  type TunnelServer,
  type VpnServer,
} from '../../kit/real/servers/provider-servers.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { addInbound, recorded, until } from '../support.js';

const SUITE = 'outbound tests and provider outbounds';
const direct = { tag: 'direct', protocol: 'freedom', settings: {} };

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient();
  let targets: Targets;
  let tunnel: TunnelServer;
  let vpn: VpnServer;
  let panel: PanelProcess;
  let admin: Admin;
  let far: { tag: string };
  let silent: Silent;

  beforeAll(async () => {
    targets = await startTargets();
    silent = await startSilent();
    tunnel = await startTunnelServer();
    vpn = await startVpnServer();
    panel = await open();
    admin = await panel.admin();
    await change(loopbackTemplate(), `${targets.url}/small`);
    const context = makeContext({ ...targets, targetPort: targets.port });
    const { port } = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    const settings = { address: '127.0.0.1', port, id: alice.id, encryption: 'none' };
    far = Object.assign({ tag: 'far' }, { protocol: 'vless', settings });
    await until('the inbound runs', async () => (await dial(far)).success);
  });

  afterAll(async () => {
    silent?.stop();
    await Promise.all([panel?.cleanUp(), targets?.stop(), tunnel?.stop(), vpn?.stop()]);
  });

  const open = (more: Partial<Parameters<typeof startPanel>[0]> = {}): Promise<PanelProcess> =>
    startPanel({
      env: {
        PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true',
        PORTOLAN_WGPROV_URL: tunnel.url,
        PORTOLAN_VPNPROV_URL: vpn.url,
      },
      ...more,
    });
  const change = (template: object, outboundTestUrl: string) =>
    must(admin.form('/panel/core/update', { coreSetting: JSON.stringify(template), outboundTestUrl }));
  const test = (outbound: object, others: object[] = [], mode = ''): Promise<ProbeResult> => {
    const fields = { outbound: JSON.stringify(outbound), allOutbounds: JSON.stringify(others), mode };
    return must(admin.form<ProbeResult>('/panel/core/testOutbound', fields));
  };
  const dial = (outbound: object) => test(outbound, [], 'tcp');
  const probes = (dataDir: string): string[] =>
    readdirSync(join(dataDir, 'run')).filter((name) => name.startsWith('probe-'));

  it('reach the target through temporary cores, six at once, without effect on the core of the panel', async () => {
    const before = targets.seen();
    const runs = recorded(panel.dataDir, 'CoreStarted').length;
    const chained = { ...far, tag: 'chained', proxySettings: { tag: 'far' } };
    const wanted = [direct, far, chained, direct, far, chained];
    const results = await Promise.all(wanted.map((outbound) => test(outbound, [far, direct])));
    for (const result of results) expect(result).toMatchObject({ success: true, mode: 'http', statusCode: 200 });
    // Each warms up, and is then measured.
    expect(targets.seen() - before).toBe(12);
    expect(recorded(panel.dataDir, 'CoreStarted')).toHaveLength(runs);
    expect(probes(panel.dataDir)).toEqual([]);
    expect(await dial(far)).toMatchObject({ success: true, mode: 'tcp', endpoints: [{ success: true }] });
  });

  it('end when the browser that requested them disconnects', async () => {
    await change(loopbackTemplate(), silent.url);
    const gone = new AbortController();
    const asked = admin
      .raw('POST', '/panel/core/testOutbound', {
        body: new URLSearchParams({ outbound: JSON.stringify(direct) }),
        signal: gone.signal,
      })
      .catch(() => null);
    await until('a temporary core runs', () => silent.open() > 0 && probes(panel.dataDir).length === 1);
    gone.abort();
    expect(await asked).toBeNull();
    await until('nothing of it is left', () => silent.open() === 0 && probes(panel.dataDir).length === 0);
  });

  it('register at the tunnel provider, and the core accepts the outbound that the page makes of the account', async () => {
    const { privateKey, publicKey } = wireguardKeys();
    const reg = await must(admin.form<string>('/panel/core/wgprov/reg', { privateKey, publicKey }));
    const { data, config } = JSON.parse(reg) as TunnelAnswer;
    const stored = await must(admin.form<string>('/panel/xray/warp/data'));
    expect(JSON.parse(stored)).toEqual(data);
    const [peer] = config.config.peers;
    const { v4, v6 } = config.config.interface.addresses;
    const warp = {
      tag: 'warp',
      protocol: 'wireguard',
      settings: {
        mtu: 1420,
        secretKey: data.private_key,
        address: [`${v4}/32`, `${v6}/128`],
        reserved: [...Buffer.from(data.client_id, 'base64')],
        domainStrategy: 'ForceIP',
        peers: [{ publicKey: peer?.public_key, endpoint: peer?.endpoint.host }],
        noKernelTun: true,
      },
    };
    await accepted(warp);
    // Its server has an unresolvable name: only the reply is missing, the core accepts it.
    expect(await test(warp)).toMatchObject({ success: false });
    const [secret] = recorded(panel.dataDir, 'SecretSettingChanged');
    expect(secret?.data).toMatchObject({ key: 'wgprov' });
    const all = JSON.stringify(await must(admin.post('/panel/setting/all')));
    for (const text of [data.private_key, data.access_token]) expect(all).not.toContain(text);
  });

  it('fetch servers and a key of the VPN provider, and the core accepts that outbound too', async () => {
    const ask = <T>(action: string, fields: Record<string, string> = {}) =>
      must(admin.form<string>(`/panel/core/vpnprov/${action}`, fields)).then((text) => JSON.parse(text) as T);
    const [country] = await ask<{ id: number }[]>('countries');
    const { servers } = await ask<{ servers: VpnHost[] }>('servers', { countryId: String(country?.id) });
    const { private_key } = await ask<{ private_key: string }>('reg', { token: vpn.token });
    const publicKey = servers[0]?.technologies[0]?.metadata[0]?.value;
    const peers = [{ publicKey, endpoint: `${servers[0]?.station}:51820` }];
    await accepted({
      tag: 'nord',
      protocol: 'wireguard',
      settings: { secretKey: private_key, address: ['10.5.0.2/32'], peers },
    });
    expect(await must(admin.form('/panel/core/vpnprov/del'))).toBe('');
    expect(await must(admin.form('/panel/core/vpnprov/data'))).toBe('');
  });

  it('leave no process or file behind when the panel is killed during a test', async () => {
    const asked = test(direct).catch(() => null);
    await until('a temporary core runs', () => silent.open() > 0 && probes(panel.dataDir).length === 1);
    const [name = ''] = probes(panel.dataDir);
    const file = join(panel.dataDir, 'run', name, 'config.json');
    panel.kill('SIGKILL');
    await panel.exited;
    await asked;
    expect(existsSync(file)).toBe(true);
    const { dataDir, ports } = panel;
    const next = await open({ dataDir, ports });
    try {
      await until('the orphan is gone', () => probes(dataDir).length === 0 && !isNamed(file));
    } finally {
      await next.stop();
    }
  });

  /** The template with this outbound is accepted, and runs. */
  async function accepted(outbound: object): Promise<void> {
    const { outbounds, ...rest } = loopbackTemplate() as { outbounds: object[] };
    const starts = recorded(panel.dataDir, 'CoreStarted').length;
    await change({ ...rest, outbounds: [...outbounds, outbound] }, silent.url);
    expect(recorded(panel.dataDir, 'CoreStarted').length).toBe(starts + 1);
  }
});

interface TunnelAnswer {
  data: { private_key: string; access_token: string; client_id: string };
  config: {
    config: {
      peers: { public_key: string; endpoint: { host: string } }[];
      interface: { addresses: { v4: string; v6: string } };
    };
  };
}

interface VpnHost {
  station: string;
  technologies: { metadata: { value: string }[] }[];
}

/** A target that accepts connections and never replies. */
interface Silent {
  url: string;
  open(): number;
  stop(): void;
}

async function startSilent(): Promise<Silent> {
  const sockets = new Set<Socket>();
  const port = await freePort('tcp');
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .resume()
      .on('error', () => {})
      .once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${port}/`, open: () => sockets.size, stop };
}

/** Whether a process has this file in its arguments. */
function isNamed(file: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(file);
    } catch {
      return false;
    }
  });
}
