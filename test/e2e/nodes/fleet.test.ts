import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANOTHER } from '../../../src/commands/reactors/nodes/health.js';
import { render } from '../../../src/messages/render.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, expectNoReply } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, cli, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { download, moved, startTransfer } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { XuiInbounds } from '../../kit/real/three-x-ui/three-x-ui-inbounds.js';
import { type NodeFault, ThreeXuiNode } from '../../kit/real/three-x-ui/three-x-ui-node.js';
import { clientBody, headOf, recorded, subscription, template, until, wireOf } from '../support.js';

const API = '/panel/api/inbounds';
const NODES = '/panel/api/nodes';
/** For tests that need no core. */
const nowhere = {
  certificate: { certPem: '', keyPem: '', certFile: '', keyFile: '', pin: '', remove: () => undefined },
  realityTarget: 'localhost:1',
  targetPort: 1,
};

interface Stats {
  up: number;
  down: number;
  enable: boolean;
}
interface Sync {
  state: string;
  lag: number;
  error: string;
}

async function addNode(admin: Admin, name: string, port: number, apiToken: string): Promise<number> {
  const place = { scheme: 'http', host: '127.0.0.1', port, basePath: '/', allowPrivateAddress: true };
  return (await must(admin.post<{ id: number }>(`${NODES}/add`, { name, ...place, apiToken }))).id;
}

const syncOf = (admin: Admin, id: number) => must(admin.get<Sync>(`${NODES}/${id}/sync`));
const synced = (admin: Admin, id: number) =>
  until('the node has everything', async () => {
    const { state, lag } = await syncOf(admin, id);
    return state === 'synced' && lag === 0;
  });

const THREE = 'three panels, each with a core of its own';
const CAP = 900_000;

describe.skipIf(withoutCore(THREE))(THREE, () => {
  let targets: Targets;
  let client: ClientCore;
  let panels: readonly PanelProcess[] = [];
  let admins: readonly Admin[] = [];
  let start: number;
  const alice = makeClient({ totalGB: CAP });
  const bob = makeClient();

  beforeAll(async () => {
    targets = await startTargets();
    panels = await Promise.all([startPanel(), startPanel(), startPanel()]);
    admins = await Promise.all(panels.map((panel) => panel.admin()));
    for (const admin of admins) {
      await storeTemplate(admin, template(targets));
      await must(admin.post('/panel/setting/update', { pollSeconds: 1 }));
    }
    const [centre] = admins;
    const [place] = panels;
    if (!centre || !place) throw new Error('there is no centre');
    start = headOf(place.dataDir);
    const one = inboundCase(makeContext({ ...targets, targetPort: targets.port }), 'vless-tcp');
    await must(centre.post(`${API}/add`, { ...one.body(await freePort(), [alice]), nodeId: 0 }));
    for (const n of [1, 2]) {
      const token = await must(there(n).get<string>('/panel/setting/getApiToken'));
      const nodeId = await addNode(centre, `node ${n}`, panels[n]?.ports.panel ?? 0, token);
      await must(
        centre.post(`${API}/add`, { ...one.body(await freePort(), n === 1 ? [alice, bob] : [alice]), nodeId }),
      );
      await synced(centre, nodeId);
    }
    const [own] = await subscription(place, bob.subId);
    const links = await subscription(place, alice.subId);
    expect(links).toHaveLength(3);
    client = await startClientCore([...links, own ?? '']);
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), targets?.stop(), ...panels.map((panel) => panel.cleanUp())]);
  });

  function there(n: number): Admin {
    const admin = admins[n];
    if (!admin) throw new Error(`there is no panel ${n}`);
    return admin;
  }
  const statsAt = (n: number) => must(there(n).get<Stats>(`${API}/getClientTraffics/${alice.email}`));

  it('disconnect a client everywhere when the sum of all three reaches its cap, and no other client', async () => {
    const running = [0, 1, 2].map((n) => startTransfer(client.socksPort(n), `${targets.url}/slow?rate=20000`));
    await Promise.all(running.map((transfer) => moved(transfer, 1)));
    // None of the three reaches the cap by itself.
    for (const n of [0, 1, 2]) await download(client.socksPort(n), `${targets.url}/bytes/${CAP / 3}`);
    for (const [n, transfer] of running.entries())
      await until(`the connection through machine ${n} is cut`, () => transfer.isCut());
    await Promise.all(
      [0, 1, 2].map((n) => until(`machine ${n} accepts no client`, async () => !(await statsAt(n)).enable)),
    );
    const depleted = recorded(panels[0]?.dataDir ?? '', 'ClientDepleted', start);
    expect(depleted.map(({ data }) => data.depletion.reason)).toStrictEqual(['cap', 'cap', 'cap']);
    for (const n of [0, 1, 2]) {
      expectNoReply(await download(client.socksPort(n), `${targets.url}/bytes/10`, { totalMs: 10_000 }));
      if (n === 0) continue;
      const { up, down } = await statsAt(n);
      expect(up + down, `machine ${n} alone`).toBeLessThan(CAP);
    }
    expectComplete(await download(client.socksPort(3), `${targets.url}/bytes/10`));
  });
});

describe('a real panel and a faulty node', () => {
  let remote: ThreeXuiNode;
  let xui: XuiInbounds;
  let centre: PanelProcess;
  let admin: Admin;
  let id: number;
  let inbound: number;
  let start: number;
  const alice = makeClient();

  beforeAll(async () => {
    remote = await ThreeXuiNode.start();
    xui = new XuiInbounds(remote);
    centre = await startPanel();
    admin = await centre.admin();
    await must(admin.post('/panel/setting/update', { pollSeconds: 1 }));
    id = await addNode(admin, 'Oslo', remote.port, remote.token);
    const body = vless().body(await freePort(), [alice]);
    inbound = (await must(admin.post<{ id: number }>(`${API}/add`, { ...body, nodeId: id }))).id;
    await synced(admin, id);
    start = headOf(centre.dataDir);
  });

  afterAll(async () => {
    await Promise.all([centre?.cleanUp(), remote?.stop()]);
  });

  const vless = () => inboundCase(makeContext(nowhere), 'vless-tcp');
  const used = async () => {
    const { up, down } = await must(admin.get<Stats>(`${API}/getClientTraffics/${alice.email}`));
    return up + down;
  };
  const tag = () => xui.inbounds[0]?.tag ?? '';
  const edit = (limitIp: number) =>
    must(admin.post(`${API}/updateClient/${alice.id}`, clientBody(inbound, wireOf(vless(), alice, { limitIp }))));
  const why = async () => (await cli(['node', 'why', 'Oslo'], centre.dataDir)).stdout;
  const says = (error: RegExp | string) =>
    until(`it says ${String(error)}`, async () => {
      const said = await syncOf(admin, id);
      return said.state === 'failing' && (typeof error === 'string' ? said.error === error : error.test(said.error));
    });
  /** Removes the fault, and polls the node at once. */
  const heal = async () => {
    remote.fault = null;
    for (const enable of [false, true]) await must(admin.post(`${NODES}/setEnable/${id}`, { enable }));
    await synced(admin, id);
  };
  const list =
    (answer: NodeFault): NodeFault =>
    (request, response) =>
      request.url?.endsWith('/list') === true && answer(request, response);

  it('reports the error of the node while it lasts: in the log, over the API and on the command line', async () => {
    xui.count(tag(), alice.email, 100, 200);
    await until('it is counted', async () => (await used()) === 300);
    remote.fault = list((_, response) => (response.end('<html>'), true));
    await edit(2);
    const reason = 'decode response: this is not the reply of a panel';
    await says(reason);
    await until('it is recorded', () =>
      recorded(centre.dataDir, 'NodeWentOffline', start).some(({ data }) => render(data.reason, 'en') === reason),
    );
    expect(await why()).toContain(`: ${reason}`);
    expect((await must(admin.get<{ lastError: string }>(`${NODES}/get/${id}`))).lastError).toBe(reason);
    await heal();
    expect(xui.clients(tag())[0]).toMatchObject({ limitIp: 2 });
    expect(await why()).toContain('it is up to date');
  });

  it('keeps running with an endless reply, and with another panel at the address', async () => {
    remote.fault = list((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1 << 20, ' ')));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
      return true;
    });
    await says(/too large|more than|larger/i);
    await heal();
    const before = remote.status;
    remote.status = { ...before, panelId: '11111111-1111-4111-8111-111111111111' };
    await edit(3);
    await says(render(ANOTHER, 'en'));
    expect(xui.clients(tag())[0]).toMatchObject({ limitIp: 2 });
    remote.status = before;
    await heal();
    expect(xui.clients(tag())[0]).toMatchObject({ limitIp: 3 });
    expect(await used()).toBe(300);
  });

  it('has the core of the node restarted if a disconnected client keeps its connection, and reports it', async () => {
    const bob = makeClient();
    await must(admin.post(`${API}/addClient`, clientBody(inbound, wireOf(vless(), bob))));
    await until('it has both', () => xui.clients(tag()).length === 2);
    const flowing = setInterval(() => {
      if (xui.restarts === 0) xui.flow(tag(), bob.email, 10_000);
      xui.flow(tag(), alice.email, 1);
    }, 100);
    const polling = setInterval(() => xui.poll(), 5_000);
    try {
      await until('it is counted', async () => {
        const { down } = await must(admin.get<Stats>(`${API}/getClientTraffics/${bob.email}`));
        return down > 0;
      });
      await must(admin.post(`${API}/${inbound}/delClientByEmail/${bob.email}`));
      await until('its core was restarted', () => xui.restarts === 1);
      await until('it is recorded', () => recorded(centre.dataDir, 'NodeCoreRestarted', start).length === 1);
      await until('the client is gone there', () => xui.clients(tag()).length === 1);
      expect(await why()).toMatch(/its core was restarted .* to close connections that stayed open: client #2/);
      await synced(admin, id);
    } finally {
      clearInterval(flowing);
      clearInterval(polling);
    }
    expect(xui.restarts).toBe(1);
  });

  it('distinguishes a node that is slow, one that was suspended and one that was restored to an old state', async () => {
    const old = structuredClone({ inbounds: xui.inbounds, rows: [...xui.rows] });
    remote.delayMs = 500;
    await edit(4);
    await until('the slow one has it', () => xui.clients(tag())[0]?.['limitIp'] === 4);
    await synced(admin, id);
    remote.delayMs = 0;
    const held: { destroy: () => unknown }[] = [];
    remote.fault = (_, response) => held.push(response) > 0;
    await edit(5);
    const probed = await must(admin.post<{ status: string; error: string }>(`${NODES}/probe/${id}`));
    expect(probed).toMatchObject({ status: 'offline', error: '127.0.0.1 did not respond in time' });
    expect(await why()).toMatch(/pending changes: 1/);
    remote.fault = null;
    for (const response of held) response.destroy();
    await heal();
    expect(xui.clients(tag())[0]).toMatchObject({ limitIp: 5 });
    const before = await used();
    xui.count(tag(), alice.email, 0, 700);
    await until('it is counted', async () => (await used()) === before + 700);
    xui.inbounds.splice(0, xui.inbounds.length, ...old.inbounds);
    xui.rows.clear();
    for (const [email, row] of old.rows) xui.rows.set(email, row);
    await until('it is as it was decided', () => xui.clients(tag())[0]?.['limitIp'] === 5);
    expect(await used()).toBe(before + 700);
  });
});
