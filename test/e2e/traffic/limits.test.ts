import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, expectNoReply, untilComplete } from '../../kit/real/expect-transfer.js';
import { type ClientSeed, inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { canFilter, withoutRight } from '../../kit/real/rights.js';
import { download, moved, startTransfer, type Transfer, type TransferOptions } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { HANG_MS } from '../../kit/wait.js';
import {
  type Added,
  addInbound,
  clientBody,
  type EventOfType,
  entryOf,
  headOf,
  logOf,
  pause,
  recorded,
  subscription,
  template,
  until,
  wireOf,
} from '../support.js';

const NAMES = ['vless-tcp', 'vless-ws', 'vless-grpc', 'vless-xhttp', 'vless-reality-vision', 'hysteria2'];
/** All five use one inbound and connect from one address. */
const ROLES = ['capped', 'expired', 'disabled', 'deleted', 'neighbour'] as const;
type Role = (typeof ROLES)[number];
/** One client in two inbounds, whose connections the core ends in different ways. */
const SHARED = ['vless-tcp', 'hysteria2'];

/** A download that the panel does not end completes after the longest wait of the test. */
const TRANSFER_MS = 2 * HANG_MS;
/** Bytes a second of each download. */
const RATE = 60_000;
const CAP = 250_000;
interface RunningInbound {
  added: Added;
  seeds: Record<Role, ClientSeed>;
  numbers: Record<Role, number>;
  running: Record<Role, Transfer>;
}

const SUITE = 'access of clients';
// Without the capability no single connection can be ended: the panel restarts the core, which affects other clients.
const right = canFilter;
if (!right) withoutRight(`${SUITE}: other clients`);

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const runningInbounds = new Map<string, RunningInbound>();
  const endings = new Map<string, Promise<void>>();
  const shared = makeClient({ totalGB: CAP });
  const both: Transfer[] = [];
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let start: number;
  let expiresAt: number;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    start = headOf(panel.dataDir);
    const context = makeContext({ ...targets, targetPort: targets.port });
    const prepared = await Promise.all(
      NAMES.map(async (name) => {
        const seeds = record((role) => makeClient(role === 'capped' ? { totalGB: CAP } : {}));
        const clients = [...Object.values(seeds), ...(SHARED.includes(name) ? [shared] : [])];
        return { seeds, added: await addInbound(admin, inboundCase(context, name), clients) };
      }),
    );
    const entries = prepared.flatMap(({ seeds, added }) => ROLES.map((role) => entryOf(panel, added, seeds[role])));
    const links = await subscription(panel, shared.subId);
    client = await startClientCore([...(await Promise.all(entries)), ...links]);
    const numberOf = new Map(
      recorded(panel.dataDir, 'ClientAdded').map(({ data }) => [data.identity.email, data.client]),
    );
    // A new client works a moment after the reply.
    await Promise.all(NAMES.map((name) => untilComplete(`${name} runs`, () => attempt(name, 'neighbour'))));
    for (const [index, { seeds, added }] of prepared.entries()) {
      const numbers = record((role) => numberOf.get(seeds[role].email) ?? 0);
      runningInbounds.set(added.one.name, { added, seeds, numbers, running: await startDownloads(NAMES[index] ?? '') });
    }
    for (const index of SHARED.keys()) both.push(await startDownload(sharedPort(index)));
    expiresAt = Date.now() + 3_000;
    for (const name of NAMES) await update(name, 'expired', { expiryTime: expiresAt });
    play();
  });

  afterAll(async () => {
    for (const { running } of runningInbounds.values()) for (const one of Object.values(running)) one.stop();
    for (const one of both) one.stop();
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  function record<T>(make: (role: Role) => T): Record<Role, T> {
    return Object.fromEntries(ROLES.map((role) => [role, make(role)])) as Record<Role, T>;
  }

  /** One after the other: the core's logs do not distinguish requests for the same target in the same millisecond. */
  async function startDownloads(name: string): Promise<Record<Role, Transfer>> {
    const transfers: Transfer[] = [];
    for (const role of ROLES) {
      transfers.push(await startDownload(portOf(name, role)));
    }
    return record((role) => transfers[ROLES.indexOf(role)] as Transfer);
  }

  async function startDownload(port: number): Promise<Transfer> {
    const transfer = startTransfer(port, `${targets.url}/slow?rate=${RATE}`, { totalMs: TRANSFER_MS });
    await moved(transfer, 1);
    return transfer;
  }

  const sharedPort = (index: number): number => client.socksPort(NAMES.length * ROLES.length + index);

  function portOf(name: string, role: Role): number {
    return client.socksPort(NAMES.indexOf(name) * ROLES.length + ROLES.indexOf(role));
  }

  function runningInbound(name: string): RunningInbound {
    const found = runningInbounds.get(name);
    if (!found) throw new Error(`no inbound ${name}`);
    return found;
  }

  function update(name: string, role: Role, over: Record<string, unknown>): Promise<unknown> {
    const { added, seeds } = runningInbound(name);
    const key = added.one.protocol === 'hysteria2' ? seeds[role].password : seeds[role].id;
    const body = clientBody(added.id, wireOf(added.one, seeds[role], over));
    return must(admin.post(`/panel/api/inbounds/updateClient/${key}`, body));
  }

  const small = (port: number, options: TransferOptions = {}) => download(port, `${targets.url}/small`, options);
  /** A blocked connection may hang, so a repeated attempt has a short timeout. */
  const attempt = (name: string, role: Role) => small(portOf(name, role), { totalMs: 3_000 });
  const cameBack = (name: string, role: Role) => untilComplete(`${role} of ${name} is back`, () => attempt(name, role));

  /** The download ends in time, no byte arrives later, and a new connection fails. */
  async function isCut(name: string, role: Role): Promise<void> {
    const transfer = runningInbound(name).running[role];
    await until(`${role} of ${name} is cut`, () => transfer.isCut());
    transfer.stop();
    const result = await transfer.done;
    expect([role, result.ended, result.error]).not.toContain(`not done in ${TRANSFER_MS} ms`);
    expectNoReply(await attempt(name, role));
  }

  const depletionOf = (name: string, role: Role): EventOfType<'ClientDepleted'> | undefined =>
    recorded(panel.dataDir, 'ClientDepleted', start).find(
      ({ data }) => data.client === runningInbound(name).numbers[role],
    );

  const stories: Record<Exclude<Role, 'neighbour'>, (name: string) => Promise<void>> = {
    async capped(name) {
      const { added, seeds, running } = runningInbound(name);
      await until('the cap is reached', () => running.capped.ended() || running.capped.bytes() >= CAP, 20);
      await isCut(name, 'capped');
      const event = depletionOf(name, 'capped');
      expect(event?.data.depletion).toEqual({ reason: 'cap', capBytes: CAP, usedBytes: expect.any(Number) as number });
      const depletion = event?.data.depletion;
      expect(depletion?.reason === 'cap' && depletion.usedBytes >= CAP).toBe(true);
      const cause = logOf(panel.dataDir, start).find(({ id }) => id === event?.meta.causationId);
      expect(cause?.type).toBe('TrafficRecorded');

      if (NAMES.indexOf(name) % 2 === 0) {
        await must(admin.post(`/panel/api/inbounds/${added.id}/resetClientTraffic/${seeds.capped.email}`));
      } else {
        await update(name, 'capped', { totalGB: CAP * 1_000 });
      }
      await cameBack(name, 'capped');
    },

    async expired(name) {
      await pause(expiresAt - Date.now());
      await isCut(name, 'expired');
      expect(depletionOf(name, 'expired')?.data.depletion).toEqual({ reason: 'expiry', expiresAt });
      await update(name, 'expired', { expiryTime: Date.now() + 3_600_000 });
      await cameBack(name, 'expired');
    },

    async disabled(name) {
      await update(name, 'disabled', { enable: false });
      await isCut(name, 'disabled');
      expect(depletionOf(name, 'disabled')).toBeUndefined();
      await update(name, 'disabled', { enable: true });
      await cameBack(name, 'disabled');
    },

    async deleted(name) {
      const { added, seeds } = runningInbound(name);
      await must(admin.post(`/panel/api/inbounds/${added.id}/delClientByEmail/${seeds.deleted.email}`));
      await isCut(name, 'deleted');
    },
  };

  /** The core counts one email, whichever of its inbounds the bytes came through. */
  async function sharedStory(): Promise<void> {
    const total = (): number => both.reduce((sum, transfer) => sum + transfer.bytes(), 0);
    const over = (): boolean => both.some((transfer) => transfer.ended()) || total() >= CAP;
    await until('the sum reaches the cap', over, 20);
    await until('both are cut', () => both.every((transfer) => transfer.isCut()));
    const reached = (index: number) => small(sharedPort(index), { totalMs: 3_000 });
    for (const result of await Promise.all([...SHARED.keys()].map(reached))) expectNoReply(result);
    const numbers = recorded(panel.dataDir, 'ClientAdded').filter(({ data }) => data.identity.email === shared.email);
    const depleted = recorded(panel.dataDir, 'ClientDepleted', start).filter(({ data }) =>
      numbers.some((added) => added.data.client === data.client),
    );
    const [first, second] = depleted;
    expect(depleted).toHaveLength(2);
    expect(second?.data.depletion).toEqual(first?.data.depletion);
    expect(second?.meta.causationId).toBe(first?.meta.causationId);
    await must(
      admin.post(`/panel/api/inbounds/${runningInbound('hysteria2').added.id}/resetClientTraffic/${shared.email}`),
    );
    for (const index of SHARED.keys()) await untilComplete('both are back', () => reached(index));
  }

  /** All at once; each test waits for its own. */
  function play(): void {
    const told = sharedStory();
    told.catch(() => undefined);
    endings.set('shared', told);
    for (const name of NAMES) {
      for (const [role, story] of Object.entries(stories)) {
        const told = story(name);
        told.catch(() => undefined);
        endings.set(`${name} ${role}`, told);
      }
    }
  }

  describe.each(NAMES)('over %s', (name) => {
    const ending = (role: Role) => endings.get(`${name} ${role}`);

    it('ends at the traffic cap with numbers in the log, and returns with a reset or a higher cap', () =>
      ending('capped'));
    it('ends at the expiry, and returns with a later expiry', () => ending('expired'));
    it('ends when the client is disabled, and returns when it is enabled', () => ending('disabled'));
    it('ends when the client is deleted', () => ending('deleted'));
  });

  it('ends in both inbounds of an email when their sum reaches the cap, and returns in both', () =>
    endings.get('shared'));

  it.skipIf(!right)('ends without effect on other clients and without a restart of the core', async () => {
    for (const name of NAMES) {
      const { neighbour } = runningInbound(name).running;
      await moved(neighbour, neighbour.bytes() + 1);
      expect([name, neighbour.ended()]).toEqual([name, false]);
      expectComplete(await small(portOf(name, 'neighbour')));
      expectNoReply(await small(portOf(name, 'deleted'), { totalMs: 1_000 }));
    }
    const types = logOf(panel.dataDir, start).map(({ type }) => type);
    for (const type of ['CoreStarted', 'CoreStopped', 'CoreFailed']) expect(types).not.toContain(type);
  });
});
