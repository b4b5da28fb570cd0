import { cpSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, expectNoReply } from '../../kit/real/expect-transfer.js';
import { type ClientSeed, inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { download, moved, startTransfer, type TransferOptions } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { clientBody, headOf, recorded, subscription, template, until, wireOf } from '../support.js';

const SUITE = 'a panel and its node, each with its own core';
const CAP = 600_000;
const API = '/panel/api/inbounds';

interface Stats {
  email: string;
  up: number;
  down: number;
  enable: boolean;
}
interface Listed {
  id: number;
  tag: string;
  clientStats: Stats[];
  settings: string;
}
interface Sync {
  state: string;
  lag: number;
  error: string;
  pending: object[];
  unmanaged: { clients: object[] };
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  let targets: Targets;
  let node: PanelProcess;
  let centre: PanelProcess;
  let admin: Admin;
  let there: Admin;
  let token: string;
  let client: ClientCore;
  let nodeId: number;
  let remoteId: number;
  let localId: number;
  let start: number;
  const alice = makeClient({ totalGB: CAP });
  const bob = makeClient();
  const carol = makeClient();

  beforeAll(async () => {
    targets = await startTargets();
    [node, centre] = await Promise.all([startPanel(), startPanel()]);
    [admin, there] = await Promise.all([centre.admin(), node.admin()]);
    await Promise.all([admin, there].map((one) => storeTemplate(one, template(targets))));
    for (const one of [admin, there]) await must(one.post('/panel/setting/update', { pollSeconds: 1 }));
    token = await must(there.get<string>('/panel/setting/getApiToken'));
    start = headOf(centre.dataDir);
    const place = { scheme: 'http', host: '127.0.0.1', port: node.ports.panel, basePath: '/', apiToken: token };
    const added = await must(
      admin.post<{ id: number }>('/panel/api/nodes/add', { name: 'Oslo', ...place, allowPrivateAddress: true }),
    );
    nodeId = added.id;
    remoteId = await add(nodeId, [alice, bob, carol]);
    localId = await add(0, [alice]);
    await until('the node has it', async () => (await emailsThere()).length === 3);
    const [local, remote] = await Promise.all([linkOf(alice, 0), linkOf(alice, 1)]);
    const [of] = await subscription(centre, bob.subId);
    client = await startClientCore([local, remote, of ?? '']);
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), centre?.cleanUp(), node?.cleanUp(), targets?.stop()]);
  });

  async function add(on: number, clients: ClientSeed[]): Promise<number> {
    const context = makeContext({ ...targets, targetPort: targets.port });
    const body = inboundCase(context, 'vless-tcp').body(await freePort(), clients);
    const { id } = await must(admin.post<{ id: number }>(`${API}/add`, { ...body, nodeId: on }));
    return id;
  }

  /** The links of a client on both machines: first that of the node, which was added first, then that of the centre. */
  async function linkOf(who: ClientSeed, machine: 0 | 1): Promise<string> {
    const links = await subscription(centre, who.subId);
    if (links.length !== 2) throw new Error(`${links.length} links`);
    return links[machine === 1 ? 0 : 1] ?? '';
  }

  const listThere = async () => must(there.bearer(token).get<Listed[]>(`${API}/list`));
  const emailsThere = async () =>
    (await listThere()).flatMap(({ clientStats }) => clientStats.map(({ email }) => email));
  const statsOf = (of: Admin, who: ClientSeed) => must(of.get<Stats>(`${API}/getClientTraffics/${who.email}`));
  const usedHere = async (who: ClientSeed) => {
    const { up, down } = await statsOf(admin, who);
    return up + down;
  };
  const sync = () => must(admin.get<Sync>(`/panel/api/nodes/${nodeId}/sync`));
  const synced = (what: string) =>
    until(what, async () => {
      const { state, lag } = await sync();
      return state === 'synced' && lag === 0;
    });
  const fetched = (n: number, bytes: number, options: TransferOptions = {}) =>
    download(client.socksPort(n), `${targets.url}/bytes/${bytes}`, options);
  const again = async (dataDir: string) => {
    node = await startPanel({ dataDir, ports: node.ports });
    there = await node.admin();
  };

  it('counts the traffic through the node, equal to the byte to what the node counts', async () => {
    expectComplete(await fetched(2, 200_000));
    await until('it is counted here', async () => (await usedHere(bob)) >= 200_000);
    await until('both say the same', async () => {
      const [here, far] = await Promise.all([statsOf(admin, bob), statsOf(there, bob)]);
      return here.up === far.up && here.down === far.down;
    });
    const [first] = recorded(centre.dataDir, 'NodeTrafficRecorded', start);
    expect(first?.meta.actor).toMatchObject({ kind: 'node', id: String(nodeId), name: 'Oslo' });
    expect(await must(admin.get<Listed[]>(`${API}/list`))).toHaveLength(2);
  });

  it('counts many small connections to the byte, even though the inbound of the node counts almost none of them', async () => {
    const [before, from] = [await usedHere(bob), headOf(centre.dataDir)];
    const sizes = [...Array<number>(60).fill(1_000), ...Array<number>(20).fill(20_000)];
    for (const size of new Set(sizes)) {
      const answers = await Promise.all(sizes.filter((one) => one === size).map((one) => fetched(2, one)));
      for (const answer of answers) expectComplete(answer);
    }
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    await until('they are counted here', async () => (await usedHere(bob)) >= before + bytes);
    await until('both say the same', async () => {
      const [here, far] = await Promise.all([statsOf(admin, bob), statsOf(there, bob)]);
      return here.up === far.up && here.down === far.down;
    });
    expect(recorded(centre.dataDir, 'NodeTrafficRecorded', from).flatMap(({ data }) => data.anomalies)).toStrictEqual(
      [],
    );
  });

  it('disconnects a client on both machines when their sum reaches the cap', async () => {
    const running = startTransfer(client.socksPort(1), `${targets.url}/slow?rate=60000`);
    await moved(running, 1);
    expectComplete(await fetched(0, CAP / 2));
    await until('the connection through the node is cut', () => running.isCut());
    const event = recorded(centre.dataDir, 'ClientDepleted', start).map(({ data }) => data.depletion.reason);
    expect(event).toStrictEqual(['cap', 'cap']);
    await until('the node has it', async () => !(await statsOf(there, alice)).enable);
    expect(running.bytes()).toBeLessThan(CAP);
    for (const n of [0, 1]) expectNoReply(await fetched(n, 10, { totalMs: 10_000 }));
    expectComplete(await fetched(2, 10));
  });

  it('deletes on the node what was deleted while it was down, and again after the node was restored to an old state', async () => {
    const used = await usedHere(bob);
    node.kill('SIGKILL');
    await node.exited;
    const copy = `${node.dataDir}-old`;
    // A state does not include running processes.
    cpSync(node.dataDir, copy, { recursive: true, filter: (file) => !file.startsWith(`${node.dataDir}/run/`) });
    try {
      await must(admin.post(`${API}/${remoteId}/delClientByEmail/${carol.email}`));
      await must(
        admin.post(`${API}/updateClient/${bob.id}`, clientBody(remoteId, wireOf(vless(), bob, { limitIp: 7 }))),
      );
      const { lag } = await sync();
      expect(lag).toBe(2);
      await again(node.dataDir);
      await until('it is gone there', async () => !(await emailsThere()).includes(carol.email));
      await synced('everything has arrived');
      expectComplete(await fetched(2, 50_000));
      await until('it is counted', async () => (await usedHere(bob)) >= used + 50_000);

      node.kill('SIGKILL');
      await node.exited;
      rmSync(node.dataDir, { recursive: true });
      cpSync(copy, node.dataDir, { recursive: true });
      const before = await usedHere(bob);
      await again(node.dataDir);
      await until('it is gone again', async () => !(await emailsThere()).includes(carol.email));
      await synced('the node is as it was decided');
      expect(await usedHere(bob)).toBe(before);
      expect(JSON.parse((await listThere())[0]?.settings ?? '')).toMatchObject({
        clients: expect.arrayContaining([expect.objectContaining({ email: bob.email, limitIp: 7 })]) as unknown,
      });
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });

  it('sends a suspended node the changes that were made meanwhile, and leaves clients of the node alone', async () => {
    node.kill('SIGSTOP');
    try {
      await must(
        admin.post(`${API}/updateClient/${bob.id}`, clientBody(remoteId, wireOf(vless(), bob, { limitIp: 8 }))),
      );
      expect((await sync()).lag).toBe(1);
    } finally {
      node.kill('SIGCONT');
    }
    await synced('it has arrived');
    const invented = makeClient();
    const [own] = await listThere();
    await must(there.post(`${API}/addClient`, clientBody(own?.id ?? 0, wireOf(vless(), invented))));
    await until('it is listed', async () => (await sync()).unmanaged.clients.length === 1);
    expect((await admin.get(`${API}/getClientTraffics/${invented.email}`)).success).toBe(false);
    expect(await emailsThere()).toContain(invented.email);
  });

  it('resets the traffic of a client on the node too, including that of the last moment', async () => {
    expectComplete(await fetched(2, 300_000));
    await must(admin.post(`${API}/${remoteId}/resetClientTraffic/${bob.email}`));
    expect(await usedHere(bob)).toBe(0);
    expectComplete(await fetched(2, 1_000));
    await until('it counts again', async () => (await usedHere(bob)) >= 1_000);
    expect(await usedHere(bob)).toBeLessThan(100_000);
  });

  it('counts the last bytes of a client that is deleted from the node for the same email elsewhere', async () => {
    const dora = makeClient();
    await must(admin.post(`${API}/addClient`, clientBody(remoteId, wireOf(vless(), dora))));
    await must(admin.post(`${API}/addClient`, clientBody(localId, wireOf(vless(), dora))));
    await synced('the node has the client');
    const links = await subscription(centre, dora.subId);
    const other = await startClientCore([links[0] ?? '']);
    try {
      // No poll may read the node before the client is deleted. A scheduled one may still follow.
      for (const one of [admin, there]) await must(one.post('/panel/setting/update', { pollSeconds: 60 }));
      await sleep(1_500);
      expectComplete(await download(other.socksPort(0), `${targets.url}/bytes/400000`));
      await must(admin.post(`${API}/${remoteId}/delClientByEmail/${dora.email}`));
      await until('it is gone there', async () => !(await emailsThere()).includes(dora.email));
      expect(await usedHere(dora)).toBeGreaterThanOrEqual(400_000);
    } finally {
      await other.stop();
    }
  });

  function vless() {
    return inboundCase(makeContext({ ...targets, targetPort: targets.port }), 'vless-tcp');
  }
});
