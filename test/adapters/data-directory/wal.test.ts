import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anchor, anchorProblem } from '../../../src/adapters/data-directory/anchor.js';
import { prepareDataDirectory } from '../../../src/adapters/data-directory/data-directory.js';
import { idText } from '../../../src/adapters/sqlite/codec.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { SqliteEventLog } from '../../../src/adapters/sqlite/event-log.js';
import { Keyring, masterKey } from '../../../src/adapters/sqlite/keyring.js';
import { message, type Text } from '../../../src/messages/message.js';
import { openJournal } from '../../../src/store/journal.js';
import { admin, clientAdded, clientNumber, draft, inboundAdded, one, T0 } from '../../kit/builders.js';
import { busOver, context, openParts, readAll, scratchFolder, temporaryFolder } from '../../kit/log.js';
import { chainBreak } from '../sqlite/raw.js';

const HEADER = 32;
const FRAME = 24 + 4096;
const COMMITS = 40;

/** The files that a log left on the disk, and the acknowledged events at each length of its write-ahead log. */
interface Wreck {
  readonly root: string;
  readonly ids: readonly string[];
  /** Length of the write-ahead log in bytes → last acknowledged position. */
  readonly promised: readonly (readonly [number, number])[];
  readonly walBytes: number;
}

/** Commits of one to three events; the first two are in the database file, the others in the write-ahead log only. */
async function wreck(root: string): Promise<Wreck> {
  const directory = prepareDataDirectory(join(root, 'live'));
  const { log: live, anchor } = openJournal(directory);
  live.append([inboundAdded()], context());
  live.append([clientAdded()], context());
  live.checkpoint();
  const promised: [number, number][] = [[0, live.head().position]];
  let n = 1;
  for (let commit = 0; commit < COMMITS; commit += 1) {
    const events = Array.from({ length: (commit % 3) + 1 }, () => {
      n += 1;
      return clientAdded(draft(`client-${n}`, n), clientNumber(n), one);
    });
    live.append(events, context({ at: T0 + commit }));
    promised.push([statSync(`${directory.database}-wal`).size, live.head().position]);
  }
  await anchor.flush();
  const ids = readAll(live).map(({ id }) => id);
  const kept = prepareDataDirectory(join(root, 'kept'));
  copyFileSync(directory.database, kept.database);
  copyFileSync(`${directory.database}-wal`, `${kept.database}-wal`);
  copyFileSync(directory.anchor, kept.anchor);
  copyFileSync(directory.masterKey, kept.masterKey);
  live.close();
  return { root: join(root, 'kept'), ids, promised, walBytes: statSync(`${kept.database}-wal`).size };
}

let left: Wreck;
let scratch: string;

/** A copy of the wreck, damaged by `damage`, in a folder that the next copy takes over. */
function damaged(damage: (wal: string, database: string) => void): ReturnType<typeof prepareDataDirectory> {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  const from = prepareDataDirectory(left.root);
  const to = prepareDataDirectory(scratch);
  copyFileSync(from.database, to.database);
  copyFileSync(`${from.database}-wal`, `${to.database}-wal`);
  copyFileSync(from.anchor, to.anchor);
  copyFileSync(from.masterKey, to.masterKey);
  damage(`${to.database}-wal`, to.database);
  return to;
}

const expectedAt = (bytes: number): number => left.promised.filter(([length]) => length <= bytes).at(-1)?.[1] ?? 0;

describe('a truncated write-ahead log', () => {
  beforeAll(async () => {
    const root = scratchFolder();
    left = await wreck(root);
    scratch = join(root, 'scratch');
    return () => rmSync(root, { recursive: true, force: true });
  });

  it('leaves exactly a prefix of the acknowledged events, and the anchor detects the loss', () => {
    const frames = (left.walBytes - HEADER) / FRAME;
    expect(Number.isInteger(frames)).toBe(true);
    const borders = Array.from({ length: frames + 1 }, (_, i) => HEADER + i * FRAME);
    const inside = borders.flatMap((border, i) =>
      i % 9 === 0 ? [border + 1, border + 24, border + 24 + ((i * 97) % 4096)] : [],
    );
    const offsets = [...new Set([0, 1, HEADER - 1, ...borders, ...inside])].filter((offset) => offset <= left.walBytes);
    expect(offsets.length).toBeGreaterThan(200);
    const all = left.ids.length;
    let short = 0;
    for (const offset of offsets) {
      const directory = damaged((wal) => truncateSync(wal, offset));
      const db = openDatabase(directory.database);
      try {
        const log = new SqliteEventLog(
          db,
          new Keyring(db, masterKey(directory.masterKey, { mayCreate: false }), () => T0),
        );
        const found = log.head().position;
        expect(found, `cut at ${offset}`).toBe(expectedAt(offset));
        const rows = log.stored.rows(0, 1000);
        expect(rows.map(({ id }) => idText(id))).toStrictEqual(left.ids.slice(0, found));
        expect(chainBreak(rows)).toBeNull();
        if (offset % 7 === 0) expect(readAll(log)).toHaveLength(found);
        const finding = new Anchor(directory.anchor, log, () => undefined).check();
        expect(finding).toStrictEqual(found === all ? { kind: 'sound' } : { kind: 'lost', expected: all, found });
        if (found < all) {
          short += 1;
          expect(anchorProblem(finding)).toMatchObject({ params: { first: found + 1 } });
        }
      } finally {
        db.close();
      }
    }
    expect(short).toBeGreaterThan(200);
  });

  it('makes the log read-only when its tail is missing, with the lost positions', () => {
    const directory = damaged((wal) => truncateSync(wal, HEADER + 20 * FRAME));
    const { log, complaint } = openJournal(directory);
    const found = log.head().position;
    expect(complaint).toStrictEqual(
      message('storage.anchorLost', { found, expected: left.ids.length, first: found + 1 }),
    );
    const { dispatch, state } = busOver(log, undefined, complaint);
    expect(state.clients.size).toBe(found - 1); // it can still be read
    const refused = dispatch({ type: 'DeleteInbound', data: { inbound: one } }, { actor: admin, correlationId: 'x' });
    expect(refused).toMatchObject({ code: 'STORAGE_READ_ONLY', details: { why: complaint } });
    expect(log.head().position).toBe(found);
    log.close();
  });

  it('is detected when it is missing completely', () => {
    const directory = damaged((wal) => rmSync(wal));
    const { log, complaint } = openJournal(directory);
    expect(log.head().position).toBe(2);
    expect(complaint).toMatchObject({ code: 'storage.anchorLost', params: { first: 3 } });
    log.close();
  });

  it('is detected when one bit in its middle was flipped', () => {
    for (const place of [0.1, 0.35, 0.5, 0.8]) {
      const offset = Math.floor(left.walBytes * place);
      const directory = damaged((wal) => {
        const bytes = readFileSync(wal);
        bytes[offset] = (bytes[offset] ?? 0) ^ 4;
        writeFileSync(wal, bytes);
      });
      const { log, complaint } = openJournal(directory);
      const found = log.head().position;
      expect(found).toBe(expectedAt(offset));
      expect(complaint).toMatchObject({ code: 'storage.anchorLost', params: { first: found + 1 } });
      expect(chainBreak(log.stored.rows(0, 1000))).toBeNull();
      log.close();
    }
  });

  it('of a shorter log is not used for another database', () => {
    const other = openParts(temporaryFolder());
    other.log.append([inboundAdded()], context());
    other.log.checkpoint();
    const directory = damaged((_, database) => copyFileSync(other.db.name, database));
    const opening = (): Text | null => {
      const { log, complaint } = openJournal(directory);
      try {
        readAll(log);
        return complaint;
      } finally {
        log.close();
      }
    };
    // SQLite may accept either file; the anchor must detect that they do not belong together.
    let said: unknown;
    try {
      said = opening();
    } catch (error) {
      said = error;
    }
    expect(said).not.toBeNull();
  });
});
