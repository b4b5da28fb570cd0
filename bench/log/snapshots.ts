import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { growths, poll, populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench, Row } from '../kit/row.js';
import { chance } from '../kit/time.js';

/** The folder of a panel that recorded polls of 1,000 active clients of 10,000, and the time after them. */
async function withPolls(polls: number) {
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
  return { folder, inside, now };
}

/** Processor time of opening a copy of a folder, in ms. `without`: snapshots that the copy does not have; null = it has none. */
async function startOf(folder: string, now: number, without: readonly string[] | null): Promise<number> {
  const data = newFolder();
  cpSync(folder, data, { recursive: true });
  const { snapshots } = dataDirectory(data);
  if (without === null) rmSync(snapshots, { recursive: true, force: true });
  else for (const name of without) rmSync(join(snapshots, `${name}.snapshot`));
  const begin = process.cpuUsage();
  const again = await openInside(data, () => now);
  const { user, system } = process.cpuUsage(begin);
  await again.close();
  removeFolder(data);
  return (user + system) / 1000;
}

/** What the next start replays must not depend on how many clients are active, nor on the length of the log. */
async function starts(polls: number): Promise<Row[]> {
  const { folder, inside, now } = await withPolls(polls);
  // Compiles the code, so that all starts are measured alike.
  await startOf(folder, now, []);
  const afterKill = await startOf(folder, now, []);
  await inside.close();
  const reference = await startOf(folder, now, null);
  const note = `${polls} polls of 1000 active clients, processor time; reference: a replay of all events`;
  const row = (name: string, measured: number, most: number): Row => ({
    ...{ name, measured, reference, unit: 'ms', target: { most }, note },
  });
  const rows = [
    row('snapshot: start after a kill', afterKill, 1500),
    row('snapshot: start after an upgrade that changes the write state', await startOf(folder, now, ['state']), 5000),
    row('snapshot: … that changes the clients', await startOf(folder, now, ['clients', 'state']), 5000),
    row('snapshot: … that changes the counters', await startOf(folder, now, ['traffic', 'state-counters']), 5000),
  ];
  removeFolder(folder);
  return rows;
}

/** The longer log is that of 48 hours, after which polls are summed up. */
export const snapshots: Bench = ({ quick }) => starts(quick ? 1500 : 34_560);
