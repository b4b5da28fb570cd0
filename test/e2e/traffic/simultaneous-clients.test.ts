import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flowTable } from '../../../src/adapters/core/attribution/flows.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { untilComplete } from '../../kit/real/expect-transfer.js';
import { type ClientSeed, inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { withoutFlowFilter } from '../../kit/real/rights.js';
import { download, moved, startTransfer, type Transfer } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import {
  type Added,
  addInbound,
  clientBody,
  entryOf,
  headOf,
  keyOf,
  logOf,
  template,
  until,
  wireOf,
} from '../support.js';

/** Bytes a second of each download. */
const RATE = 60_000;
const CAP = 250_000;
const ROLES = ['capped', 'expired', 'neighbour'] as const;
type Role = (typeof ROLES)[number];
/** Twelve clients at one address. */
const CLIENT_ROLES = Array.from({ length: 12 }, (_, n) => ROLES[n % 3] as Role);

const SUITE = 'Hysteria2 clients that connect in the same millisecond';

describe.skipIf(withoutCore(SUITE) || withoutFlowFilter(SUITE))(SUITE, () => {
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let added: Added;
  let seeds: readonly ClientSeed[];

  const hasRules = (): boolean =>
    execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' }).includes(flowTable(join(panel.dataDir, 'run')));
  const corePid = (): number =>
    (JSON.parse(readFileSync(join(panel.dataDir, 'run', 'core.json'), 'utf8')) as { pid: number }).pid;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    seeds = CLIENT_ROLES.map((role) => makeClient(role === 'capped' ? { totalGB: CAP } : {}));
    const context = makeContext({ ...targets, targetPort: targets.port });
    added = await addInbound(admin, inboundCase(context, 'hysteria2'), [...seeds]);
    client = await startClientCore(await Promise.all(seeds.map((seed) => entryOf(panel, added, seed))));
    await Promise.all(
      CLIENT_ROLES.map((_, n) =>
        untilComplete('it runs', () => download(client.socksPort(n), `${targets.url}/small`, { totalMs: 3_000 })),
      ),
    );
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  it('are disconnected at cap and expiry, while others behind the same address lose nothing and the core keeps running', async () => {
    const [start, pid] = [headOf(panel.dataDir), corePid()];
    const transfers: Transfer[] = CLIENT_ROLES.map((_, n) =>
      startTransfer(client.socksPort(n), `${targets.url}/slow?rate=${RATE}`),
    );
    await Promise.all(transfers.map((transfer) => moved(transfer, 1)));
    const expiryTime = Date.now() + 2_000;
    for (const [n, seed] of seeds.entries()) {
      if (CLIENT_ROLES[n] !== 'expired') continue;
      const body = clientBody(added.id, wireOf(added.one, seed, { expiryTime }));
      await must(admin.post(`/panel/api/inbounds/updateClient/${keyOf(added.one, seed)}`, body));
    }
    const bytes = (): number[] => transfers.map((transfer) => transfer.bytes());
    const depleted = CLIENT_ROLES.flatMap((role, n) => (role === 'neighbour' ? [] : [n]));
    const neighbours = CLIENT_ROLES.flatMap((role, n) => (role === 'neighbour' ? [n] : []));
    /** Time is measured in bytes that the neighbours receive: on a busy machine all downloads are slow. */
    const neighboursReceive = async (more: number): Promise<readonly number[]> => {
      const before = bytes();
      await until('the neighbours continue', () =>
        neighbours.every((n) => (bytes()[n] ?? 0) > (before[n] ?? 0) + more),
      );
      return bytes();
    };
    const depletions = () => logOf(panel.dataDir, start).filter(({ type }) => type === 'ClientDepleted').length;
    await until('all of them are depleted', () => depletions() === depleted.length);
    const still = await until('nothing reaches them any more', async () => {
      const before = bytes();
      const after = await neighboursReceive(2 * RATE);
      return depleted.every((n) => (before[n] ?? 0) > 0 && before[n] === after[n]) ? after : null;
    });
    expect(still[0]).toBeGreaterThanOrEqual(CAP);
    const now = await neighboursReceive(2 * RATE);
    for (const [n, role] of CLIENT_ROLES.entries()) {
      if (role === 'neighbour') expect([n, transfers[n]?.ended()]).toEqual([n, false]);
      else expect([n, now[n]]).toEqual([n, still[n]]);
    }
    expect(corePid()).toBe(pid);
    const types = logOf(panel.dataDir, start).map(({ type }) => type);
    for (const type of ['CoreStarted', 'CoreStopped', 'CoreFailed']) expect(types).not.toContain(type);
    expect(types.filter((type) => type === 'ClientDepleted')).toHaveLength(depleted.length);

    // The recorded traffic of the neighbours is what they received.
    for (const transfer of transfers) transfer.stop();
    for (const [n, role] of CLIENT_ROLES.entries()) {
      if (role !== 'neighbour') continue;
      const got = transfers[n]?.bytes() ?? 0;
      const path = `/panel/api/inbounds/getClientTraffics/${seeds[n]?.email ?? ''}`;
      await until('the last bytes are counted', async () => {
        const { down } = await must(admin.get<{ down: number }>(path));
        // Bytes in transit when the client was disconnected are counted too.
        return down >= got && down <= got * 1.05 + 200_000;
      });
    }
  });

  it('leave no firewall rule behind when the panel stops', async () => {
    expect(hasRules()).toBe(true);
    expect((await panel.stop()).code).toBe(0);
    expect(hasRules()).toBe(false);
  });
});
