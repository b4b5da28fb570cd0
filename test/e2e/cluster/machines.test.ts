import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { untilComplete } from '../../kit/real/expect-transfer.js';
import { type ClientSeed, inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { withoutNats } from '../../kit/real/nats/server.js';
import {
  type Admin,
  killPanel,
  must,
  type PanelProcess,
  startPanel,
  storeTemplate,
} from '../../kit/real/panel-process.js';
import { download, startTransfer } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { until } from '../../kit/wait.js';
import { type Added, addInbound, entryOf, recorded, template } from '../support.js';
import { leads, member, newCluster, statusOf } from './panels.js';

const SUITE = 'cores of three members';
const NAMES = ['one', 'two', 'three'] as const;
type Name = (typeof NAMES)[number];
/** Bytes a second of a download that lasts. */
const RATE = 100_000;
const SOME = 300_000;

interface Machine {
  readonly name: Name;
  readonly dataDir: string;
  panel: PanelProcess;
}

/** Three members with cores, the first of which leads, and a target that clients may reach through them. */
async function startThree() {
  const { nats, url, one, two } = await newCluster();
  const three = join(one, '..', 'three');
  cpSync(one, three, { recursive: true });
  rmSync(join(three, 'run'), { recursive: true });
  const targets = await startTargets();
  onTestFinished(() => targets.stop());
  const start = async (dataDir: string, name: Name): Promise<PanelProcess> => {
    const env = { ...member(name, url), PORTOLAN_CLUSTER_ADDRESS: '127.0.0.1' };
    const panel = await startPanel({ dataDir, env, launcher: true });
    onTestFinished(() => panel.cleanUp());
    return panel;
  };
  const machines = [];
  for (const [n, dataDir] of [one, two, three].entries()) {
    const name = NAMES[n] as Name;
    machines.push({ name, dataDir, panel: await start(dataDir, name) } satisfies Machine);
    if (n === 0) await leads(one, 'one', url);
  }
  const [first, second, third] = machines as [Machine, Machine, Machine];
  await storeTemplate(await first.panel.admin(), template(targets));
  const context = makeContext({ ...targets, targetPort: targets.port });
  const added = (admin: Admin, seeds: ClientSeed[]) => addInbound(admin, inboundCase(context, 'vless-tcp'), seeds);
  return { nats, url, first, second, third, targets, added, start };
}

const usedAt = async (admin: Admin, email: string): Promise<number> => {
  const { up, down } = await must(
    admin.get<{ up: number; down: number }>(`/panel/api/inbounds/getClientTraffics/${email}`),
  );
  return up + down;
};

/** The bytes of a client in all events of its number, as a reader of the log adds them up. */
const bytesIn = (dataDir: string, number: number): number =>
  recorded(dataDir, 'TrafficRecorded').reduce((sum, { data }) => {
    const own = data.clients.find(([client]) => client === number);
    return sum + (own ? own[1] + own[2] : 0);
  }, 0);

const numberOf = (dataDir: string, email: string): number =>
  recorded(dataDir, 'ClientAdded').find(({ data }) => data.identity.email === email)?.data.client ?? 0;

async function connected(panel: PanelProcess, inbounds: readonly [Added, ClientSeed][]): Promise<ClientCore> {
  const entries = await Promise.all(inbounds.map(([inbound, seed]) => entryOf(panel, inbound, seed)));
  const core = await startClientCore(entries);
  onTestFinished(() => void core.stop());
  return core;
}

const fetched = (core: ClientCore, at: number, { url }: Targets, bytes = SOME) =>
  untilComplete(`traffic through entry ${at}`, () => download(core.socksPort(at), `${url}/bytes/${bytes}`));

const runs = withoutNats(SUITE) || withoutCore(SUITE);

describe.skipIf(runs)(SUITE, () => {
  it('run the inbounds that were added there, and their traffic is counted once', async () => {
    const { first, second, third, targets, added } = await startThree();
    const [amy, ben] = [makeClient(), makeClient()];
    const atTwo = await added(await second.panel.admin(), [amy]);
    const admin = await third.panel.admin();
    const atThree = await added(admin, [ben]);
    const homes = await must(admin.get<{ machine: string; port: number }[]>('/panel/api/inbounds/list'));
    expect(homes.map(({ machine, port }) => [machine, port])).toEqual([
      ['two', atTwo.port],
      ['three', atThree.port],
    ]);
    const core = await connected(first.panel, [
      [atTwo, amy],
      [atThree, ben],
    ]);
    await fetched(core, 0, targets);
    await fetched(core, 1, targets);
    const leader = await first.panel.admin();
    for (const { email } of [amy, ben]) {
      await until(`the traffic of ${email}`, async () => (await usedAt(leader, email)) >= SOME);
      const used = await usedAt(leader, email);
      expect(used).toBeLessThan(1.5 * SOME);
      expect(bytesIn(first.dataDir, numberOf(first.dataDir, email))).toBe(used);
    }
    const started = recorded(first.dataDir, 'CoreStarted').flatMap(({ data: { machine = '' } }) => machine);
    expect(new Set(started)).toEqual(new Set(['', ...NAMES]));
    const shown = await must(leader.get<{ machine: string; refused?: string }[]>('/panel/api/inbounds/overview'));
    expect(shown.map(({ machine, refused }) => [machine, refused])).toEqual([
      ['two', undefined],
      ['three', undefined],
    ]);
    for (const { panel } of [first, second, third]) {
      const { core: own } = await must((await panel.admin()).get<{ core: object }>('/panel/api/server/status'));
      expect(own).toMatchObject({ state: 'running' });
    }
  });

  it('keep connections while the leader is killed, and close who has used up a cap without a leader', async () => {
    const { nats, url, first, second, third, targets, added } = await startThree();
    const [amy, ben] = [makeClient(), makeClient()];
    const capped = [makeClient({ totalGB: 4 * SOME }), makeClient({ totalGB: 4 * SOME })] as const;
    const atTwo = await added(await second.panel.admin(), [amy, capped[0]]);
    const atThree = await added(await third.panel.admin(), [ben, capped[1]]);
    const core = await connected(first.panel, [
      [atTwo, amy],
      [atThree, ben],
      [atTwo, capped[0]],
      [atThree, capped[1]],
    ]);
    for (const entry of [0, 1, 2, 3]) await fetched(core, entry, targets);
    const slow = [0, 1].map((entry) => startTransfer(core.socksPort(entry), `${targets.url}/slow?rate=${RATE}`));
    onTestFinished(() => slow.forEach((transfer) => transfer.stop()));
    await until('the downloads', () => slow.every((transfer) => transfer.bytes() > RATE));

    killPanel(first.panel);
    const next = await until('another leader', async () => {
      const { leader } = await statusOf(second.dataDir, 'two', url);
      return leader !== null && leader !== 'one' ? leader : undefined;
    });
    const before = slow.map((transfer) => transfer.bytes());
    await until('more of the downloads', () => slow.every((transfer, n) => transfer.bytes() > (before[n] ?? 0) + RATE));

    const [leader, follower, cap, entry] =
      next === 'two' ? [second, third, capped[1], 3] : [third, second, capped[0], 2];
    await nats.stop();
    const over = startTransfer(core.socksPort(entry), `${targets.url}/slow?rate=${5 * RATE}`);
    onTestFinished(() => over.stop());
    await until('the end of the download over the cap', () => over.isCut());
    expect(over.bytes()).toBeLessThan(60 * RATE);
    expect(recorded(follower.dataDir, 'ClientDepleted')).toEqual([]);
    expect(slow.map((transfer) => transfer.isCut())).toEqual([false, false]);

    await nats.start();
    await until('the event of the leader', () => recorded(leader.dataDir, 'ClientDepleted').length > 0);
    const number = numberOf(leader.dataDir, cap.email);
    expect(recorded(leader.dataDir, 'ClientDepleted').map(({ data }) => data.client)).toEqual([number]);
    slow.forEach((transfer) => transfer.stop());
    const totals = [SOME + (slow[0]?.bytes() ?? 0), SOME + (slow[1]?.bytes() ?? 0), SOME + over.bytes()];
    for (const [n, { email }] of [amy, ben, cap].entries()) {
      const total = totals[n] ?? 0;
      await until(`all traffic of ${email}`, () => bytesIn(leader.dataDir, numberOf(leader.dataDir, email)) >= total);
      expect(bytesIn(leader.dataDir, numberOf(leader.dataDir, email))).toBeLessThan(1.3 * total + SOME);
    }
  });

  it('continue without their panel, which takes them over', async () => {
    const { first, third, targets, added, start } = await startThree();
    const ben = makeClient();
    const atThree = await added(await third.panel.admin(), [ben]);
    const core = await connected(first.panel, [[atThree, ben]]);
    await fetched(core, 0, targets);
    killPanel(third.panel);
    await fetched(core, 0, targets);
    const slow = startTransfer(core.socksPort(0), `${targets.url}/slow?rate=${RATE}`);
    onTestFinished(() => slow.stop());
    await until('the download', () => slow.bytes() > RATE);
    await start(third.dataDir, 'three');
    await until('the core is taken over', () =>
      recorded(first.dataDir, 'CoreStarted').some(
        ({ data: { machine, reason } }) => machine === 'three' && reason === 'adopted',
      ),
    );
    expect(slow.isCut()).toBe(false);
    slow.stop();
    const total = 2 * SOME + slow.bytes();
    const number = numberOf(first.dataDir, ben.email);
    await until('its traffic', () => bytesIn(first.dataDir, number) >= total);
    expect(bytesIn(first.dataDir, number)).toBeLessThan(1.3 * total + SOME);
  });
});
