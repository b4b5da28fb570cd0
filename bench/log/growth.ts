import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { planRollUp } from '../../src/commands/reactors/traffic/roll-up.js';
import { growths, poll, populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';
import { chance } from '../kit/time.js';

const HOUR = 3_600_000;
const POLL_MS = 5000;
const BEGIN = Date.UTC(2026, 0, 1);
const MB = 1e6;
const DAYS = 30;

interface Size {
  /** Size of the database and its write-ahead log, in MB. */
  readonly file: number;
  /** Used pages, in MB; free pages are reused. */
  readonly used: number;
}

function sizeOf(database: string): Size {
  const db = new Database(database, { readonly: true });
  const page = (name: string): number => db.pragma(name, { simple: true }) as number;
  const used = ((page('page_count') - page('freelist_count')) * page('page_size')) / MB;
  db.close();
  const bytes = [database, `${database}-wal`].map((file) => (existsSync(file) ? statSync(file).size : 0));
  return { file: bytes.reduce((all, one) => all + one, 0) / MB, used };
}

/**
 * Polls with a simulated clock through the real command, with hourly roll-ups. The first 48 hours keep their payloads; after
 * that each new hour removes an old one, so every further day costs as much as the last one.
 */
export const growth: Bench = async ({ quick }) => {
  const folder = newFolder();
  const { database } = dataDirectory(folder);
  let now = BEGIN;
  const inside = await openInside(folder, () => now);
  const { panel, run } = inside;
  const days = 3;
  const [clients, active, every] = quick ? [1000, 100, 12] : [10_000, 1000, 1];
  populate(inside, clients);
  run({ type: 'RecordCoreStarted', data: { run: 'bench', version: '1', reason: 'start' } });
  panel.log.checkpoint();
  const random = chance(11);
  const sizes: Size[] = [sizeOf(database)];
  let rolledTo = 0;
  for (let hour = 0; hour < days * 24; hour += 1) {
    for (const end = now + HOUR; now < end; now += POLL_MS * every)
      run(poll(growths(random, active, clients, (hour % 24) / 24)));
    const before = now - panel.read.settings.current().measuredRetentionHours * HOUR;
    const rollUp = planRollUp(panel.log, rolledTo, before, now);
    if (rollUp?.type === 'RecordRollUp') {
      run(rollUp);
      rolledTo = rollUp.data.toPosition;
    }
    if (hour % 24 !== 23) continue;
    panel.log.checkpoint();
    sizes.push(sizeOf(database));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await inside.close();
  removeFolder(folder);
  const last = sizes.at(-1) ?? { file: 0, used: 0 };
  const dayBefore = sizes.at(-2) ?? last;
  // Free pages are reused before the file grows, so used pages are the daily growth.
  const aDay = Math.max(0, last.used - dayBefore.used);
  const month = last.file + aDay * (DAYS - days);
  const played = `${days} days played, a poll of ${active} of ${clients} clients every ${(POLL_MS * every) / 1000} s`;
  const ends = sizes.map(({ file, used }) => `${file.toFixed(0)}/${used.toFixed(0)}`).join(', ');
  return [
    {
      name: `growth: a day, over ${DAYS} days`,
      measured: month / DAYS,
      unit: 'MB',
      target: { most: 12 },
      note: `${played}; MB of files/used pages by day: ${ends}; then ${aDay.toFixed(1)} MB a day, ${month.toFixed(0)} MB after ${DAYS}`,
    },
    { name: 'growth: a day once it is steady', measured: aDay, unit: 'MB', target: { most: 10 } },
  ];
};
