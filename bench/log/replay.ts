import { inflateRawSync } from 'node:zlib';
import { dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import type { EventRow } from '../../src/adapters/sqlite/codec.js';
import { openDatabase } from '../../src/adapters/sqlite/database.js';
import { panelState } from '../../src/commands/state.js';
import { begin, catchUp } from '../../src/events/log/replay.js';
import { startFolds } from '../../src/projections/foldings.js';
import { openJournal } from '../../src/store/journal.js';
import { draftOf, emailOf, growths, one, poll, populate } from '../kit/fleet.js';
import { type InsidePanel, newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench } from '../kit/row.js';
import { chance, collect, median, timed } from '../kit/time.js';

const PAGE = 1000;

/** A realistic history: clients, then polls with occasional edits, resets, rotations and deletions. */
function live({ run }: InsidePanel, clients: number, polls: number): void {
  const random = chance(3);
  const any = (): number => 1 + Math.floor(random() * clients);
  for (let i = 0; i < polls; i += 1) {
    run(poll(growths(random, 50 + Math.floor(random() * 150), clients)));
    if (i % 4 === 0) run({ type: 'ResetClientTraffic', data: { inbound: one, email: emailOf(any()) } });
    if (i % 2 === 0) {
      const draft = draftOf(any());
      const changed = { ...draft, spec: { ...draft.spec, capBytes: 1e12 + i } };
      const client = { email: draft.identity.email };
      run({ type: 'UpdateClient', data: { inbound: one, client, draft: changed } });
    }
  }
}

/** A full replay: every read model and the write state, in one pass. */
function replayed(folder: string): void {
  const { log } = openJournal(dataDirectory(folder), { readonly: true });
  const foldings = [...Object.values(startFolds()), begin(panelState)];
  catchUp(log, foldings);
  log.close();
}

/** The minimum of any replay: reading the rows page by page and parsing their payloads. */
function bareRead(folder: string): void {
  const db = openDatabase(dataDirectory(folder).database, { readonly: true });
  const read = db.prepare<[number, number], EventRow>(
    'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?',
  );
  for (let rows = read.all(0, PAGE); rows.length > 0; rows = read.all(rows.at(-1)?.position ?? 0, PAGE)) {
    for (const { payload, encoding } of rows) {
      if (payload !== null) JSON.parse((encoding === 0 ? payload : inflateRawSync(payload)).toString());
    }
  }
  db.close();
}

export const replay: Bench = async ({ quick }) => {
  const folder = newFolder();
  const inside = await openInside(folder);
  const [clients, polls] = quick ? [5000, 4000] : [25_000, 20_000];
  populate(inside, clients);
  inside.run({ type: 'RecordCoreStarted', data: { run: 'bench', version: '1', reason: 'start' } });
  live(inside, clients, polls);
  const { position } = inside.panel.log.head();
  await inside.close();
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < (quick ? 3 : 5); round += 1) {
    collect();
    theirs.push(timed(() => bareRead(folder)));
    collect();
    ours.push(timed(() => replayed(folder)));
  }
  removeFolder(folder);
  return [
    {
      name: 'replay: every model from nothing',
      measured: median(ours),
      reference: median(theirs),
      unit: 'ms',
      target: { ratioMost: 3 },
      note: `${position} events, ${clients} clients; a bare paged read and JSON.parse of the payloads`,
    },
  ];
};
