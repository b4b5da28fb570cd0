import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type DataDirectory, dataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { openToRead } from '../../src/cli/reading.js';
import { keepReadable } from '../../src/cli/repair.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { StorageError } from '../../src/events/log/log.js';
import { Alarms } from '../../src/lib/alarms.js';
import { message, verbatim } from '../../src/messages/message.js';
import { render } from '../../src/messages/render.js';
import { rendererFor } from '../../src/messages/terminal.js';
import { readablePart } from '../../src/store/damaged-log.js';
import { openJournal } from '../../src/store/journal.js';
import { refusedByDisk } from '../../src/store/storage-watch.js';
import { verifyLog } from '../../src/store/verify.js';
import { addClients, addInbound, started } from '../commands/reactors/kit.js';
import { admin, alice, draft } from '../kit/builders.js';
import { damageMiddle, damagePage, leavesOf } from '../kit/formats/pages.js';
import { busOver, openParts, temporaryFolder } from '../kit/log.js';
import { replacedStates } from '../kit/replaced-states.js';

const CLIENTS = 60;

/** A panel with clients, whose log has several pages; closed, with its core left running. */
async function filled() {
  const place = await started(undefined, addInbound(1), addClients(alice));
  for (let n = 2; n <= CLIENTS; n += 1) place.must(addClients(draft(`client-${n}`, n)));
  await place.close(true);
  return place;
}

/** Snapshots would hide it: the panel would not read that far back. */
function damageHistory({ database, snapshots }: DataDirectory): void {
  damageMiddle(database);
  rmSync(snapshots, { recursive: true, force: true });
}

const change: AnyCommand = { type: 'ChangeSettings', data: { changes: { subTitle: 'New' } } };

/** The error of a running panel. */
const DAMAGE =
  'events.db is damaged (database disk image is malformed): portolan events verify names the position up to which it can be read. Restore a backup: portolan restore FILE --yes. Or continue from that position without the events after it: portolan doctor --keep-readable';

describe('a log with a damaged page', () => {
  it('is served read-only up to that page, without a change to the file and the running core', async () => {
    const place = await filled();
    const { directory } = place.panel;
    const served = place.core.left;
    damageHistory(directory);
    const evidence = readFileSync(directory.database);
    const { position } = readablePart(directory);
    expect(position).toBeGreaterThan(5);
    await place.open();
    const { panel } = place;
    expect(panel.store.startup.damaged).toBe(true);
    expect(panel.log.head().position).toBe(position);
    expect(panel.store.startup.complaint).toStrictEqual(
      message('storage.damagedReadOnly', {
        problem: verbatim('database disk image is malformed'),
        position,
        file: 'FILE',
      }),
    );
    expect(panel.read.clients.firstByEmail('alice')).toBeDefined();
    expect([...panel.read.clients.all()].length).toBeLessThan(CLIENTS);
    expect(panel.dispatch(change, { actor: admin, correlationId: 'x' })).toMatchObject({ code: 'STORAGE_READ_ONLY' });
    await place.wait(60_000);
    await place.close(false);
    expect(place.core.left).toEqual(served);
    expect(existsSync(directory.snapshots)).toBe(false);
    expect(readFileSync(directory.database).equals(evidence)).toBe(true);
  });

  it('mentions the newest backup in the error', async () => {
    const place = await filled();
    const { directory } = place.panel;
    damageHistory(directory);
    const name = 'portolan-2023-11-14-position-12.db';
    writeFileSync(join(directory.backups, name), '');
    await place.open();
    expect(place.panel.store.startup.complaint).toMatchObject({ params: { file: join(directory.backups, name) } });
  });

  it('is reported by verification with its first invalid position', async () => {
    const place = await filled();
    const { directory, root } = { ...place.panel, root: place.root };
    damageHistory(directory);
    const { position } = readablePart(directory);
    const { log } = openToRead(root);
    try {
      expect(verifyLog(log)).toMatchObject({
        events: position,
        fault: { position: position + 1, what: { code: 'storage.damaged' } },
      });
    } finally {
      log.close();
    }
  });

  it('continues from its readable part as another log, on request', async () => {
    const place = await filled();
    const { directory } = place.panel;
    const { generation } = place.panel.log;
    const known = place.panel.log.head().position;
    damageHistory(directory);
    const evidence = readFileSync(directory.database);
    const { position } = readablePart(directory);
    const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await keepReadable(place.root, false, rendererFor('en'));
    said.mockRestore();

    const aside = dataDirectory(join(directory.backups, replacedStates(place.root)[0] ?? ''));
    expect(readFileSync(aside.database).equals(evidence)).toBe(true);
    const { log, complaint } = openJournal(directory, { readonly: true });
    expect(complaint).toBeNull();
    expect(verifyLog(log)).toMatchObject({ fault: null, keys: null });
    expect(log.generation).not.toBe(generation);
    expect(log.at(position + 1)).toMatchObject({
      type: 'LogLossAccepted',
      data: { expectedPosition: known, foundPosition: position, previousGeneration: generation },
    });
    log.close();
    await place.open();
    expect(place.panel).toMatchObject({ store: { startup: { damaged: false, complaint: null } } });
    place.must(change);
  });

  it('is not changed by the repair when it is not damaged', async () => {
    const place = await filled();
    const before = readFileSync(place.panel.directory.database);
    await expect(keepReadable(place.root, false, rendererFor('en'))).rejects.toThrow(
      'The log is not damaged: nothing was changed',
    );
    expect(readFileSync(place.panel.directory.database).equals(before)).toBe(true);
  });

  it('rejects changes from the moment at which a running panel reads the page', () => {
    const { db, log } = openParts(temporaryFolder());
    const { dispatch, must } = busOver(log);
    must(addInbound(1));
    for (let n = 1; n <= CLIENTS; n += 1) must(addClients(draft(`client-${n}`, n)));
    log.checkpoint();
    damagePage(db.name, leavesOf(db.name)[1] ?? 0);
    // The pages that SQLite has in memory are still valid.
    db.pragma('shrink_memory');
    expect(() => log.read(0, 1000)).toThrow(StorageError);
    expect(() => log.read(0, 1000)).toThrow('events.db is damaged (database disk image is malformed)');
    expect(dispatch(change, { actor: admin, correlationId: 'x' })).toMatchObject({
      code: 'STORAGE_FAILED',
      message: `The database failed, nothing was changed: ${DAMAGE}`,
    });
    const watched = { alarms: new Alarms(), directory: { run: '' }, log };
    expect(render(refusedByDisk(watched) ?? verbatim(''), 'en')).toBe(`nothing can be saved: ${DAMAGE}`);
  });

  it('explains the recovery, which works also when snapshots hide the damage from a start', async () => {
    const place = await filled();
    const { directory } = place.panel;
    damageMiddle(directory.database);
    await place.open();
    const { panel } = place;
    expect(panel.store.startup.damaged).toBe(false);
    expect(refusedByDisk(panel)).toBeNull();
    expect(() => panel.log.read(0, 1000)).toThrow(DAMAGE);
    expect(render(refusedByDisk(panel) ?? verbatim(''), 'en')).toBe(`nothing can be saved: ${DAMAGE}`);
    await place.close(false);
    await keepReadable(place.root, false, rendererFor('en'));
    await place.open();
    place.must(change);
    expect(refusedByDisk(place.panel)).toBeNull();
  });
});

describe('a log without a readable part', () => {
  it('fails the start with the file, the reason and the recovery', async () => {
    const place = await filled();
    const { directory } = place.panel;
    damagePage(directory.database, 1);
    const evidence = readFileSync(directory.database);
    await expect(place.open()).rejects.toThrow(
      `${directory.database} is damaged (events.db is not a database): none of its events can be read. Restore a backup: portolan restore FILE --yes`,
    );
    expect(() => openToRead(place.root)).toThrow('none of its events can be read');
    expect(readFileSync(directory.database).equals(evidence)).toBe(true);
  });
});
