import { asSystem } from '../../src/commands/bus.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import type { CoreCounters, OnlineUser } from '../../src/commands/ports/core.js';
import { AddressWatch } from '../../src/commands/reactors/traffic/address-watch.js';
import { growthOf } from '../../src/commands/reactors/traffic/readings.js';
import type { PanelState } from '../../src/commands/state.js';
import { addressLimit, blockedClients, renewBlocksAfter } from '../../src/commands/traffic/ip-limit.js';
import { CounterTable } from '../../src/events/traffic/counter-table.js';
import { zero } from '../../src/events/traffic/counters.js';
import type { CoreStub } from '../../test/kit/stub-core.js';
import { draftsOf, emailOf, growths, one, populate } from '../kit/fleet.js';
import { type InsidePanel, newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';
import { chance, collect, median } from '../kit/time.js';

const LIMIT = 3;
const POLL_MS = 5000;
const RUN = 'bench';

/** A core whose counters change only as the benchmark sets them. */
class Stage {
  counts: CoreCounters = { clients: new CounterTable(), inbounds: new Map(), outbounds: new Map() };
  users: OnlineUser[] = [];
  readonly core: CoreStub = {
    process: { running: { run: RUN, version: '26', pid: 1 } },
    stats: { counters: () => Promise.resolve(this.counts), online: () => Promise.resolve(this.users) },
    addresses: {
      block: () => Promise.resolve(),
      disconnect: () => Promise.resolve(true),
      idleTimes: () => Promise.resolve(() => 0),
    },
  };

  /** Each online client transfers some bytes from one to four addresses; one in forty exceeds its limit. */
  next(random: () => number, online: number, of: number, now: number): void {
    const grown = new Map(growths(random, online, of, 0).map(([client, up, down]) => [client, { up, down }]));
    const before = this.counts.clients;
    const after = Array.from({ length: of }, (_, i) => {
      const [was, more] = [before.get(i + 1) ?? zero, grown.get(i + 1) ?? zero];
      return [i + 1, { up: was.up + more.up, down: was.down + more.down }] as const;
    });
    this.counts = { ...this.counts, clients: CounterTable.of(after) };
    this.users = [...grown.keys()].map((client, i) => ({
      client,
      ips: Array.from({ length: i % 40 === 0 ? LIMIT + 1 : 1 + (i % LIMIT) }, (_, n) => ({
        ip: n === 3 ? `[2001:db8:${(i >> 4).toString(16)}:${i & 15}::1]` : `10.${n}.${i >> 8}.${i & 255}`,
        at: now,
      })),
    }));
  }
}

/** CPU time in ms, which excludes other processes. */
function used(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The cost of one poll: finding the changed counters, and deciding about caps, expiries, periods, terms and addresses. */
function cost({ panel }: InsidePanel, stage: Stage, watch: AddressWatch, state: PanelState, at: number) {
  const dry = (command: AnyCommand): unknown => panel.dispatch(command, { ...asSystem('bench'), dryRun: true });
  let growth: ReturnType<typeof growthOf> | undefined;
  const compared = used(() => (growth = growthOf(stage.counts, panel.read.usage.baselines(null))));
  const decided = used(() => {
    dry({ type: 'BeginPeriods', data: {} });
    if (growth) dry({ type: 'RecordTraffic', data: { run: RUN, ...growth } });
    const connected = stage.users.map(({ client, ips }) => ({ email: emailOf(client), ips }));
    const people = watch.undecided(watch.observe(connected, blockedClients(state), at), () => 0);
    dry({ type: 'LimitAddresses', data: { at, people } });
    dry({ type: 'DepleteExpired', data: {} });
  });
  return { compared, decided };
}

/** Caps, expiries, periods and addresses of all clients, in each poll. */
export const limits: Bench = async ({ quick }) => {
  const [clients, online] = quick ? [2500, 500] : [25_000, 5_000];
  const folder = newFolder();
  let now = 1_700_000_000_000;
  const stage = new Stage();
  // This fake core implements only what a poll uses.
  const inside = await openInside(folder, () => now, stage.core);
  populate(inside, 0);
  for (let first = 1; first <= clients; first += 500) {
    const drafts = draftsOf(first, 500).map((draft) => ({ ...draft, spec: { ...draft.spec, limitIp: LIMIT } }));
    inside.run({ type: 'AddClients', data: { inbound: one, clients: drafts } });
  }
  inside.run({ type: 'RecordCoreStarted', data: { run: RUN, version: '26', reason: 'start' } });
  const state = inside.panel.store.foldings.find(({ fold }) => fold.name === 'state')?.state as PanelState;
  const watch = new AddressWatch({
    limitOf: (email) => addressLimit(state, email),
    graceMs: () => 30_000,
    renewAfterMs: () => renewBlocksAfter(state.settings),
  });
  const random = chance();
  const decided: number[] = [];
  const counters: number[] = [];
  const polls: number[] = [];
  const over: number[] = [];
  for (let round = 0; round < (quick ? 12 : 24); round += 1) {
    now += POLL_MS;
    stage.next(random, online, clients, now);
    const holds = state.ipBlocks.size;
    collect();
    // Nothing is written, so it can run repeatedly; the first run fills caches.
    const costs = [0, 1, 2].map(() => cost(inside, stage, watch, state, now));
    const ms = median(costs.map(({ decided: each }) => each));
    counters.push(costs[0]?.compared ?? Number.NaN);
    const start = performance.now();
    await inside.panel.reactors.poll();
    polls.push(performance.now() - start);
    if (state.ipBlocks.size > holds) over.push(ms);
    else if (round > 2) decided.push(ms); // the first rounds are the compiler's
  }
  const held = state.ipBlocks.size;
  await inside.close();
  removeFolder(folder);
  if (held === 0) throw new Error('no client was blocked');
  return [
    {
      name: `limits: decided in one poll, ${clients} clients, ${online} online`,
      measured: median(decided),
      unit: 'ms',
      target: { most: 20 },
      note: `processor time; the slowest of ${decided.length}: ${Math.max(...decided).toFixed(1)} ms; ${held} have too many addresses`,
    },
    {
      name: `limits: decided in the poll in which ${held} go over`,
      measured: Math.max(...over),
      unit: 'ms',
      target: { most: 20 },
    },
    {
      name: `limits: ${clients} counters compared with what is recorded`,
      measured: median(counters.slice(3)),
      unit: 'ms',
      target: { most: 30 },
      note: 'processor time',
    },
    {
      name: 'limits: a whole poll, with what it writes and folds',
      measured: median(polls),
      unit: 'ms',
      target: { most: 100 },
      note: 'a core that answers at once',
    },
  ];
};
