import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TrafficRecorded } from '../../src/events/traffic/traffic.js';
import { statementOfEmail } from '../../src/projections/statement/statement-of-client.js';
import { emailOf, one, populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';
import { chance, quantile, timed } from '../kit/time.js';

const DAY = 86_400_000;
const BEGIN = Date.UTC(2025, 0, 1);
/** Recordings per day, with this many clients each. */
const RECORDINGS = 4;

/** Statements of clients over a year, from a log with many clients. */
export const statement: Bench = async ({ quick }) => {
  const folder = newFolder();
  const [clients, active, days] = quick ? [2500, 500, 100] : [25_000, 5000, 365];
  let now = BEGIN;
  try {
    const inside = await openInside(folder, () => now);
    const { panel, run } = inside;
    run({ type: 'ChangeSettings', data: { changes: { timeLocation: 'Asia/Tehran' } } });
    populate(inside, clients);
    const random = chance(17);
    const actor = { kind: 'system', id: 'bench', name: 'bench', ip: null } as const;
    for (let day = 0; day < days; day += 1) {
      for (let i = 0; i < RECORDINGS; i += 1) {
        now += DAY / RECORDINGS;
        const first = Math.floor(random() * clients);
        const moved = Array.from({ length: active }, (_, n): [number, number, number] => [
          1 + ((first + n * Math.floor(clients / active)) % clients),
          Math.floor(random() * 1e8),
          Math.floor(random() * 1e9),
        ]);
        const recorded = TrafficRecorded({ run: 'bench', clients: moved, inbounds: [], outbounds: [] });
        panel.log.append([recorded], { at: now, actor, correlationId: 'bench' });
      }
      if (day % 7 === 0)
        run({ type: 'ResetClientTraffic', data: { inbound: one, email: emailOf(1 + Math.floor(random() * clients)) } });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const books = await panel.store.caches.ledger.ready();
    if (!books) throw new Error('there is no ledger');
    const last = books.days.of(now);
    let lines = 0;
    const times = Array.from({ length: quick ? 50 : 500 }, () => {
      const email = emailOf(1 + Math.floor(random() * clients));
      return timed(() => {
        const made = statementOfEmail(panel.read, books, panel.log, email, [last - days, last], now);
        if (made?.closing.down !== made?.counter?.down) throw new Error(`${email} has a wrong balance`);
        lines += made?.days.length ?? 0;
      });
    });
    await inside.close();
    const size = statSync(join(folder, 'run', 'ledger.db')).size / 1e6;
    const note = `${clients} clients, ${active * RECORDINGS} of them a day over ${days} days; ${Math.round(lines / times.length)} days in each; ledger.db: ${size.toFixed(0)} MB`;
    return [
      {
        name: 'statement: over a year, median',
        measured: quantile(times, 0.5),
        unit: 'ms',
        target: { most: 100 },
        note,
      },
      { name: 'statement: over a year, p99', measured: quantile(times, 0.99), unit: 'ms', target: { most: 100 } },
    ];
  } finally {
    removeFolder(folder);
  }
};
