import { cpSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { growths, poll, populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench, Row } from '../kit/row.js';
import { chance } from '../kit/time.js';

/** Polls of many active clients, then a kill: what the next start replays must not depend on their number. */
async function afterKill(polls: number): Promise<Row> {
  const folder = newFolder();
  let now = Date.UTC(2026, 0, 1);
  const inside = await openInside(folder, () => now);
  populate(inside, 10_000);
  inside.run({ type: 'RecordCoreStarted', data: { run: 'bench', version: '1', reason: 'start' } });
  const random = chance(11);
  for (let i = 0; i < polls; i += 1) {
    now += 5000;
    inside.run(poll(growths(random, 1000, 10_000, 0.5)));
    if (i % 10 === 0) await sleep(2); // Snapshots are written between the polls.
  }
  const [first, killed, bare] = [newFolder(), newFolder(), newFolder()];
  for (const copy of [first, killed, bare]) cpSync(folder, copy, { recursive: true });
  rmSync(dataDirectory(bare).snapshots, { recursive: true, force: true });
  const startOf = async (data: string): Promise<number> => {
    const begin = process.cpuUsage();
    const again = await openInside(data, () => now);
    const { user, system } = process.cpuUsage(begin);
    const ms = (user + system) / 1000;
    await again.close();
    removeFolder(data);
    return ms;
  };
  // Compiles the code, so that both are measured alike.
  await startOf(first);
  const [measured, reference] = [await startOf(killed), await startOf(bare)];
  await inside.close();
  removeFolder(folder);
  return {
    name: 'snapshot: start after a kill',
    measured,
    reference,
    unit: 'ms',
    target: { most: 1500 },
    note: `${polls} polls of 1000 active clients, processor time; reference: a replay of all events`,
  };
}

export const snapshots: Bench = async ({ quick }) => [await afterKill(quick ? 1500 : 5000)];
