import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CheckpointFile } from '../../src/adapters/sqlite/checkpoint-file.js';
import { noAccess } from '../../src/events/access/access-document.js';
import { accessOf } from '../../src/events/access/access-of.js';
import { UserId } from '../../src/events/ids.js';
import { inboundPages } from '../../src/http/panel/codec/inbound-pages.js';
import { withoutSecrets } from '../../src/http/panel/visible/secrets.js';
import { inSlices } from '../../src/lib/time/slices.js';
import { checkpointVersion } from '../../src/projections/checkpoints.js';
import { diffSteps } from '../../src/projections/diff/diff.js';
import { Moments } from '../../src/projections/moments.js';
import { populate } from '../kit/fleet.js';
import { type InsidePanel, newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench, Row } from '../kit/row.js';
import { median, timed } from '../kit/time.js';
import { type Turns, turnsOf } from '../kit/turns.js';
import { fill } from '../process/start.js';
import { routesIn } from './past-routes.js';

const MOMENTS = 9;
const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
const most = (all: readonly Turns[], part: 'all' | 'longest'): number => Math.max(...all.map((one) => one[part]));

/** Moments of a long log: with a checkpoint before them, kept in memory, and compared. */
async function momentsIn({ panel, folder }: InsidePanel, clients: number): Promise<readonly Row[]> {
  const { log } = panel;
  const head = log.head().position;
  const file = join(folder, 'bench-checkpoints.db');
  const checkpoints = new CheckpointFile(file, { key: randomBytes(32), log, version: checkpointVersion() });
  const moments = new Moments(log, () => performance.now(), { checkpoints });
  const prepared = await turnsOf(() => moments.prepare(head, turn));
  const positions = Array.from({ length: MOMENTS }, (_, n) => Math.floor((head * (n + 0.7)) / MOMENTS));
  const cold: Turns[] = [];
  for (const position of positions) cold.push(await turnsOf(() => moments.after(position)));
  const warm = await turnsOf(() => moments.after(positions.at(-1) ?? 1));
  const together = await turnsOf(() => Promise.all(Array.from({ length: 10 }, () => moments.after(positions[2] ?? 1))));
  const [before, after] = [await moments.after(positions[1] ?? 1), await moments.after(positions.at(-1) ?? 1)];
  const everything = { noun: '', client: '' } as const;
  const diff = await turnsOf(() =>
    inSlices(diffSteps(before, after, everything, { part: { skip: 0, limit: 100 }, search: log.search })),
  );
  const note = `${head} events, ${clients} clients, processor time`;
  const routes = await routesIn(moments, head, note);
  checkpoints.close();
  const row = (name: string, measured: number, limit: number, more = note): Row => {
    return { name: `past: ${name}`, measured, unit: 'ms', target: { most: limit }, note: more };
  };
  return [
    row(
      'a cold moment, slowest',
      most(cold, 'all'),
      300,
      `${note}; median ${median(cold.map(({ all }) => all)).toFixed(0)}`,
    ),
    row('a cold moment, longest turn', most(cold, 'longest'), 20),
    row('a moment in memory', warm.all, 5),
    row('ten requests for a cold moment', together.all, 300),
    row('diff of two moments in memory', diff.all, 300),
    row('diff, longest turn', diff.longest, 20),
    row('all checkpoints of the log', prepared.all, 120_000, `${note}; in the background`),
    row('all checkpoints of the log, longest turn', prepared.longest, 20),
    ...routes,
  ];
}

/** The list of all inbounds for a role that reads it without the secrets. The first list makes the pages of both. */
async function withoutSecretsOf({ read }: InsidePanel['panel']): Promise<readonly Row[]> {
  const list = () => inSlices(inboundPages(read, read.inbounds.all()));
  await list();
  const whole = await turnsOf(list);
  const hidden = await turnsOf(async () => withoutSecrets(await list(), { permission: LISTED }));
  const note = `the list itself ${whole.all.toFixed(0)} ms, longest turn ${whole.longest.toFixed(1)} ms`;
  return [
    { name: 'secrets: a list without them', measured: hidden.all, unit: 'ms', target: { most: 1000 }, note },
    { name: 'secrets: longest turn', measured: hidden.longest, unit: 'ms', target: { most: 20 }, note },
  ];
}

const LISTED = { resource: 'inbounds', action: 'read' } as const;
const CHECKS = 1_000_000;

/** The check of a permission, as each request makes it. */
function permissions(): Row {
  const state = noAccess();
  state.admins.set(UserId.parse(2), {
    role: 'support',
    inbounds: [],
    quotas: { clients: 0, totalBytes: 0, clientBytes: 0, days: 0 },
  });
  let allowed = 0;
  const ms = timed(() => {
    for (let n = 0; n < CHECKS; n += 1) if (accessOf(state, 2).scopeOf('clients:read') !== null) allowed += 1;
  });
  if (allowed !== CHECKS) throw new Error('the role of support cannot read clients');
  return { name: 'permission: one check', measured: (ms * 1000) / CHECKS, unit: 'µs', target: { most: 2 } };
}

export const past: Bench = async ({ quick }) => {
  const [clients, size] = quick ? [2500, 50_000] : [25_000, 1_000_000];
  const inside = await openInside(newFolder());
  try {
    populate(inside, clients);
    fill(inside, clients, size);
    const moments = await momentsIn(inside, clients);
    return [...moments, ...(await withoutSecretsOf(inside.panel)), permissions()];
  } finally {
    await inside.close();
    removeFolder(inside.folder);
  }
};
