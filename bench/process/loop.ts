import { bareInserts } from '../kit/bare-inserts.js';
import { draftsOf, one } from '../kit/fleet.js';
import { removeFolder } from '../kit/inside.js';
import type { Bench, Row } from '../kit/row.js';
import { subjectOf } from '../kit/subject.js';
import { type Turns, turnsOf } from '../kit/turns.js';

/** Clients that one operation resets, deletes or erases. */
const MANY = 10_000;

async function blocksWith(clients: number): Promise<readonly Row[]> {
  const subject = await subjectOf(clients);
  const { inside } = subject;
  const rows: Row[] = [];
  const among = clients.toLocaleString('en');
  const bare = bareInserts(1000);
  const add = (name: string, { longest, all }: Turns, events = 0): void => {
    const reference = events > 0 ? { reference: (bare * events) / 1000 } : {};
    const note = `${among} clients, ${all.toFixed(0)} ms of processor time in all`;
    rows.push({ name: `loop: ${name}`, measured: longest, unit: 'ms', ...reference, target: { most: 20 }, note });
  };
  for (let n = 0; n < 3; n += 1) await subject.poll(); // the first records every counter
  add('poll', await subject.poll());
  add('list, first', await subject.list());
  subject.edit(7);
  add('list, after an edit', await subject.list());
  await subject.poll();
  add('list, after a poll', await subject.list());
  const drafts = draftsOf(clients + 1, 1000);
  const added = await turnsOf(() => inside.run({ type: 'AddClients', data: { inbound: one, clients: drafts } }));
  add('bulk of 1,000 clients', added, 1000);
  add('roll-up of 60 polls', await subject.rollUp(60));
  const many = [...inside.panel.read.clients.all()].slice(0, MANY).map(({ number }) => number);
  const reset = await turnsOf(() => inside.run({ type: 'ResetClientsTraffic', data: { clients: many } }));
  add(`reset of ${many.length} clients`, reset, many.length);
  const gone = await turnsOf(() => inside.run({ type: 'DeleteClients', data: { clients: many } }));
  add(`${many.length} clients deleted`, gone, many.length);
  add(`${many.length} clients erased`, await subject.erase());
  add('snapshots, and the close', await turnsOf(() => inside.close()));
  removeFolder(inside.folder);
  return rows;
}

/** The longest turn of the event loop in each operation: as long as that, no other request is answered. */
export const loop: Bench = async ({ quick }) => {
  const rows: Row[] = [];
  for (const clients of quick ? [2500] : [25_000, 100_000]) rows.push(...(await blocksWith(clients)));
  return rows;
};
