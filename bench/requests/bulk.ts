import { draftsOf, one, populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';
import { collect, median, timed } from '../kit/time.js';

const SIZE = 1000;

/** Adds a thousand clients in one command: decided, sealed with one key each, stored, synced and folded. */
export const bulk: Bench = async ({ quick }) => {
  const folder = newFolder();
  const inside = await openInside(folder);
  populate(inside, SIZE);
  const times: number[] = [];
  for (let round = 1; round <= (quick ? 10 : 25); round += 1) {
    const clients = draftsOf(1 + round * SIZE, SIZE);
    collect();
    times.push(timed(() => inside.run({ type: 'AddClients', data: { inbound: one, clients } })));
  }
  await inside.close();
  removeFolder(folder);
  // The first rounds warm up the compiler.
  const note = `the slowest of ${times.length - 2}: ${Math.max(...times.slice(2)).toFixed(0)} ms`;
  return [
    { name: 'bulk: 1,000 clients added', measured: median(times.slice(2)), unit: 'ms', target: { most: 40 }, note },
  ];
};
