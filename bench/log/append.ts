import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { draftOf, emailOf, one, populate } from '../kit/fleet.js';
import { newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench, Row } from '../kit/row.js';
import { collect, median, timed } from '../kit/time.js';

const CLIENTS = 1000;

/** Inserts the same bytes as a row of a table without indexes, in an equally durable transaction. */
function bareInsert(folder: string): (rows: readonly Buffer[]) => void {
  const db = new Database(join(folder, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE bare (position INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT');
  const insert = db.prepare('INSERT INTO bare (bytes) VALUES (?)');
  return db.transaction((rows: readonly Buffer[]) => {
    for (const row of rows) insert.run(row);
  }).immediate;
}

/** Alternates one durable command and one durable insert, so that a slow disk affects both. */
export const append: Bench = async ({ quick }) => {
  const rounds = quick ? 300 : 2000;
  const folder = newFolder();
  const inside = await openInside(folder);
  populate(inside, CLIENTS);
  const { panel, run } = inside;
  const bare = bareInsert(folder);

  const against = (name: string, commandOf: (i: number) => AnyCommand): Row => {
    collect();
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let i = 0; i < rounds; i += 1) {
      const command = commandOf(i);
      const before = panel.log.head().position;
      ours.push(timed(() => run(command)));
      const rows = panel.log.stored.rows(before, 10).map((row) => Buffer.concat(Object.values(row).map(bytesOf)));
      theirs.push(timed(() => bare(rows)));
    }
    return {
      name: `append: ${name}`,
      measured: median(ours),
      reference: median(theirs),
      unit: 'ms',
      target: { ratioMost: 1.3 },
      note: 'a bare insert of the same bytes, synced too',
    };
  };

  const rows = [
    against('a client changed', (i) => {
      const draft = draftOf(1 + (i % CLIENTS));
      const changed = { ...draft, spec: { ...draft.spec, capBytes: 1e12 + i } };
      return {
        type: 'UpdateClient',
        data: { inbound: one, client: { email: draft.identity.email }, draft: changed },
      };
    }),
    against('a client added', (i) => ({
      type: 'AddClients',
      data: { inbound: one, clients: [draftOf(CLIENTS + 1 + i)] },
    })),
    against('a counter reset', (i) => ({
      type: 'ResetClientTraffic',
      data: { inbound: one, email: emailOf(1 + (i % CLIENTS)) },
    })),
  ];
  await inside.close();
  removeFolder(folder);
  return rows;
};

function bytesOf(value: string | number | Buffer | null): Buffer {
  if (Buffer.isBuffer(value)) return value;
  return Buffer.from(value === null ? '' : String(value));
}
