import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { render } from '../../../src/messages/render.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { expectComplete, expectNoReply, untilComplete } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import {
  type Admin,
  must,
  type PanelProcess,
  processesOf,
  startPanel,
  storeTemplate,
} from '../../kit/real/panel-process.js';
import { download, moved, startTransfer, type Transfer, type TransferOptions } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import {
  type Added,
  addInbound,
  clientBody,
  entryOf,
  headOf,
  logOf,
  pause,
  recorded,
  template,
  until,
  wireOf,
} from '../support.js';

const RATE = 400_000;
const SUITE = 'a panel whose process or core is killed';

interface Status {
  core: { state: string; version: string };
}

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient();
  const bob = makeClient();
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let added: Added;
  let client: ClientCore;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { pollSeconds: 1 }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice, bob]);
    client = await startClientCore([await entryOf(panel, added, alice), await entryOf(panel, added, bob)]);
    await carries();
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  const small = (options: TransferOptions = {}) => download(client.socksPort(0), `${targets.url}/small`, options);
  const carries = () => untilComplete('a small body', () => small({ totalMs: 10_000 }));
  const corePid = () => coreProcesses()[0] ?? 0;
  const state = async () => (await must(admin.get<Status>('/panel/api/server/status'))).core.state;

  /** The processes that run the core configuration of this data directory. */
  const coreProcesses = () => processesOf(panel.dataDir).filter((pid) => pid !== panel.pid);

  /** The next panel on the same data and the same ports. */
  async function next(): Promise<void> {
    panel = await startPanel({ dataDir: panel.dataDir, ports: panel.ports });
    admin = await panel.admin();
  }

  async function dies(): Promise<void> {
    panel.kill('SIGKILL');
    await panel.exited;
  }

  it('leaves the core running, adopts it at the next start, and counts every byte of a download', async () => {
    const pid = corePid();
    const before = await must(admin.get<{ down: number }>(`/panel/api/inbounds/getClientTraffics/${alice.email}`));
    const head = headOf(panel.dataDir);
    const transfer: Transfer = startTransfer(client.socksPort(0), `${targets.url}/slow?rate=${RATE}`);
    await moved(transfer, RATE / 2);
    await dies();
    const atDeath = transfer.bytes();
    await moved(transfer, atDeath + RATE);
    await next();
    await until('an adopted core', () => recorded(panel.dataDir, 'CoreStarted', head).length > 0);
    await moved(transfer, atDeath + 2 * RATE);
    expect(transfer.ended()).toBe(false);
    transfer.stop();
    const { bytes } = await transfer.done;

    const [adopted, ...others] = recorded(panel.dataDir, 'CoreStarted', head);
    const earlier = recorded(panel.dataDir, 'CoreStarted').filter(({ position }) => position <= head);
    expect(adopted?.data).toMatchObject({ reason: 'adopted', run: earlier.at(-1)?.data.run });
    expect(others).toEqual([]);
    expect(coreProcesses()).toEqual([pid]);
    expect(recorded(panel.dataDir, 'CoreDriftRepaired', head)).toEqual([]);
    // Bytes in transit when the client stops are counted but not received: 1 % and 4 kB, and a buffer of the proxy.
    const counted = async () =>
      (await must(admin.get<{ down: number }>(`/panel/api/inbounds/getClientTraffics/${alice.email}`))).down -
      before.down;
    await until('all bytes counted', async () => (await counted()) >= bytes);
    // The counters are read once more: a reading has those of all clients.
    const bobsBytes = async () =>
      (await must(admin.get<{ down: number }>(`/panel/api/inbounds/getClientTraffics/${bob.email}`))).down;
    const former = await bobsBytes();
    expectComplete(await download(client.socksPort(1), `${targets.url}/small`));
    await until('another reading', async () => (await bobsBytes()) > former);
    expect(await counted()).toBeLessThanOrEqual(bytes * 1.01 + 4_000 + 64_000);
    expectComplete(await small());
  });

  it('ends at the next start the download of a client that was deleted just before', async () => {
    const [aliceTransfer, bobTransfer] = [0, 1].map((index) =>
      startTransfer(client.socksPort(index), `${targets.url}/slow?rate=50000`),
    ) as [Transfer, Transfer];
    await Promise.all([moved(aliceTransfer, 5_000), moved(bobTransfer, 5_000)]);
    await must(admin.post(`/panel/api/inbounds/${added.id}/delClientByEmail/${bob.email}`));
    await dies();
    await next();
    await until('an end', () => bobTransfer.isCut());
    expect(aliceTransfer.ended()).toBe(false);
    aliceTransfer.stop();
    expectNoReply(await download(client.socksPort(1), `${targets.url}/small`, { totalMs: 2_000 }));
  });

  it('keeps all acknowledged changes when killed five times during writes, and applies a repeated Idempotency-Key once', async () => {
    const acknowledged: string[] = [];
    const asked: string[] = [];
    const headers = { 'content-type': 'application/json' };
    const add = (email: string, key: string) => {
      const body = JSON.stringify(clientBody(added.id, wireOf(added.one, makeClient({ email }))));
      return { body, headers: { ...headers, 'idempotency-key': key } };
    };
    for (let round = 0; round < 5; round += 1) {
      const caller = admin;
      let dead = false;
      const doubtful: { email: string; key: string; init: ReturnType<typeof add> }[] = [];
      const writer = async (name: string) => {
        for (let n = 0; !dead; n += 1) {
          const [email, key] = [`r${round}-${name}${n}`, randomUUID()];
          const init = add(email, key);
          asked.push(email);
          try {
            const response = await caller.raw('POST', '/panel/api/inbounds/addClient', { method: 'POST', ...init });
            const answer = (await response.json()) as { success: boolean };
            if (answer.success) acknowledged.push(email);
          } catch {
            doubtful.push({ email, key, init });
            return;
          }
        }
      };
      const writers = ['a', 'b', 'c', 'd'].map(writer);
      await pause(60 + Math.random() * 400);
      await dies();
      dead = true;
      await Promise.all(writers);
      await next();
      for (const { email, init } of doubtful) {
        const twice = [];
        for (const _ of [1, 2]) {
          const response = await admin.raw('POST', '/panel/api/inbounds/addClient', { method: 'POST', ...init });
          twice.push(((await response.json()) as { success: boolean }).success);
        }
        expect([email, ...twice]).toEqual([email, true, true]);
        acknowledged.push(email);
      }
    }
    const ever = recorded(panel.dataDir, 'ClientAdded').map(({ data }) => data.identity.email);
    const there = ever.filter((email) => email !== bob.email);
    expect(new Set(there).size).toBe(there.length);
    expect(acknowledged.length).toBeGreaterThan(20);
    expect(acknowledged.filter((email) => !there.includes(email))).toEqual([]);
    const list = await must(admin.get<{ clientStats: { email: string }[] }[]>('/panel/api/inbounds/list'));
    const listed = list.flatMap(({ clientStats }) => clientStats.map(({ email }) => email));
    expect(listed.sort()).toEqual(there.sort());
    expect(coreProcesses()).toHaveLength(1);
    expect(recorded(panel.dataDir, 'CoreStarted').at(-1)?.data.reason).toBe('adopted');
  });

  it('restarts a killed core after growing delays, and reports it', async () => {
    const head = headOf(panel.dataDir);
    for (const round of [1, 2]) {
      process.kill(corePid(), 'SIGKILL');
      await until(`start ${round}`, () => recorded(panel.dataDir, 'CoreStarted', head).length === round);
    }
    const turns = logOf(panel.dataDir, head).filter(({ type }) => type.startsWith('Core'));
    expect(turns.map(({ type }) => type)).toEqual(['CoreFailed', 'CoreStarted', 'CoreFailed', 'CoreStarted']);
    const waits = [0, 2].map((index) => (turns[index + 1]?.meta.at ?? 0) - (turns[index]?.meta.at ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(900);
    expect(waits[1]).toBeGreaterThanOrEqual(1_900);
    const [failed] = recorded(panel.dataDir, 'CoreFailed', head);
    expect(failed && render(failed.data.reason, 'en')).toMatch(/SIGKILL|exited unexpectedly/);
    await carries();
    expect(await state()).toBe('running');
  });

  it('stops and starts the core on request, and keeps a stopped core stopped', async () => {
    await must(admin.post('/panel/api/server/stopCoreService'));
    expect(coreProcesses()).toEqual([]);
    expectNoReply(await small({ totalMs: 2_000 }));
    expect(await state()).toMatch(/^stop/);
    expect(await admin.post('/panel/api/server/stopCoreService')).toMatchObject({
      success: false,
      msg: 'The core is not running',
    });
    await dies();
    await next();
    await pause(1_500);
    expect(coreProcesses()).toEqual([]);
    await must(admin.post('/panel/api/server/restartCoreService'));
    expectComplete(await small());
    expect(await state()).toBe('running');
    const [pid] = coreProcesses();
    await must(admin.post('/panel/api/server/restartCoreService'));
    expect(coreProcesses()[0]).not.toBe(pid);
    await carries();
  });
});
