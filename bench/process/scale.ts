import { draftsOf, one } from '../kit/fleet.js';
import { removeFolder } from '../kit/inside.js';
import type { Bench, Row, Target } from '../kit/row.js';
import { subjectOf } from '../kit/subject.js';
import { median } from '../kit/time.js';
import { turnsOf } from '../kit/turns.js';

/** Processor time of each operation, in ms, by its name. */
type Costs = Readonly<Record<string, number>>;

const ROUNDS = 5;

async function costsWith(clients: number): Promise<Costs> {
  const subject = await subjectOf(clients);
  const { inside } = subject;
  for (let n = 0; n < 3; n += 1) await subject.poll(); // the first records every counter
  const several = async (work: (round: number) => Promise<number>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await work(round));
    return median(times);
  };
  const costs = {
    'one edit': await several(async (round) => (await turnsOf(() => edits(round))).all / EDITS),
    poll: await several(async () => (await subject.poll()).all),
    'list, first': (await subject.list()).all,
    'list, after an edit': await several(async (round) => {
      subject.edit(100 + round);
      return (await subject.list()).all;
    }),
    'bulk of 1,000 clients': await several(async (round) => {
      const drafts = draftsOf(clients + 1 + round * 1000, 1000);
      return (await turnsOf(() => inside.run({ type: 'AddClients', data: { inbound: one, clients: drafts } }))).all;
    }),
  };
  function edits(round: number): void {
    for (let n = 1; n <= EDITS; n += 1) subject.edit(round * EDITS + n);
  }
  await inside.close();
  removeFolder(inside.folder);
  return costs;
}

/** Edits that are measured together, because one is too short. */
const EDITS = 50;

/** What may grow with the clients, at most in proportion to them; everything else must cost the same. */
const GROWS: ReadonlySet<string> = new Set(['poll', 'list, first', 'list, after an edit']);

/** The cost of operations with more and more clients. The reference is the cost with the fewest. */
export const scale: Bench = async ({ quick }) => {
  const sizes = quick ? [500, 2500] : [1000, 10_000, 100_000];
  const costs: Costs[] = [];
  for (const size of sizes) costs.push(await costsWith(size));
  const [least = {}, most = {}] = [costs[0], costs.at(-1)];
  const growth = (sizes.at(-1) ?? 1) / (sizes[0] ?? 1);
  return Object.entries(most).map(([name, measured]): Row => {
    const target: Target = { ratioMost: GROWS.has(name) ? growth : 1.5 };
    const all = sizes.map((size, i) => `${size.toLocaleString('en')}: ${(costs[i]?.[name] ?? Number.NaN).toFixed(2)}`);
    return {
      name: `scale: ${name}`,
      measured,
      unit: 'ms',
      reference: least[name] ?? Number.NaN,
      target,
      note: all.join(', '),
    };
  });
};
