import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scryptPasswords } from '../../../src/adapters/passwords/passwords.js';
import { operate } from '../../../src/control/control.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { message } from '../../../src/messages/message.js';
import { openJournal } from '../../../src/store/journal.js';
import { verifyLog } from '../../../src/store/verify.js';
import { verify } from '../../../src/worker/backup-work.js';
import { alice, clientAdded, clientNumber, draft, first, inboundAdded } from '../../kit/builders.js';
import { busOver, TestLog } from '../../kit/log.js';
import { operatorWarnings } from '../../kit/warnings.js';
import { backUp, tamper } from '../../worker/backup/kit.js';
import { beside, rawBytes } from './raw.js';

const shredded = DataKeyDestroyed({ key: 'client:1/1', reason: 'erased' });

const wrappedIn = (file: string, id: string): Buffer | null =>
  beside(
    file,
    (db) => db.prepare<[string], Buffer | null>('SELECT wrapped FROM keys WHERE id = ?').pluck().get(id) ?? null,
  );

describe('a destroyed key', () => {
  it('is in no page of the database and not in the write-ahead log, also after page splits', async () => {
    const own = new TestLog();
    own.append(inboundAdded());
    const numbers = Array.from({ length: 1500 }, (_, i) => ((i * 7919) % 1500) + 1);
    for (const n of numbers) own.append(clientAdded(draft(`client-${n}`, n), clientNumber(n)));
    const { database } = own.directory;
    const keys = numbers.filter((n) => n % 2 === 0).map((n) => wrappedIn(database, `client:${n}/1`) ?? Buffer.alloc(0));
    const left = (): number => {
      const bytes = rawBytes(database);
      return keys.filter((key) => bytes.includes(key)).length;
    };
    expect(left()).toBe(keys.length);
    for (const n of numbers) if (n % 2 === 0) own.append(DataKeyDestroyed({ key: `client:${n}/1`, reason: 'erased' }));
    await expect.poll(() => statSync(`${database}-wal`).size).toBe(0);
    expect(left()).toBe(0);
  });

  it('is removed from the write-ahead log when a reader that blocks it has ended', async () => {
    const own = new TestLog();
    own.append(inboundAdded(), clientAdded());
    const key = wrappedIn(own.directory.database, 'client:1/1') ?? expect.fail('there is no key');
    const reader = openJournal(own.directory, { readonly: true });
    reader.log.read(0, 1);
    own.append(shredded);
    expect(own.log.checkpoint()).toBe(false);
    expect(rawBytes(own.directory.database).includes(key)).toBe(true);
    reader.log.close();
    await expect.poll(() => rawBytes(own.directory.database).includes(key)).toBe(false);
  });

  it('is removed from the write-ahead log at the next start after a kill', () => {
    const own = new TestLog();
    own.append(inboundAdded(), clientAdded());
    const key = wrappedIn(own.directory.database, 'client:1/1') ?? expect.fail('there is no key');
    own.append(shredded);
    expect(rawBytes(own.directory.database).includes(key)).toBe(true);
    // Beside the first, which is as good as killed: it never comes to emptying the log.
    const next = openJournal(own.directory);
    expect(rawBytes(own.directory.database).includes(key)).toBe(false);
    next.log.close();
  });

  it('is deleted with the snapshots, also by the command line', async () => {
    const own = new TestLog();
    const { must } = busOver(own.log, own.clock);
    const passwordHash = await scryptPasswords().hash('a-good-password');
    must({ type: 'CreateUser', data: { username: 'captain', passwordHash } });
    await own.journal.snapshots.save('users', 1, 1, {});
    const [id] = beside(own.directory.database, (db) =>
      db.prepare<[], string>("SELECT id FROM keys WHERE id LIKE 'user:%'").pluck().all(),
    );
    const key = wrappedIn(own.directory.database, id ?? '') ?? expect.fail('there is no key');
    own.log.close();
    expect(readdirSync(own.directory.snapshots)).toEqual(['users.snapshot']);
    await operate(own.directory.root, 'admin.reset-password', { username: 'captain', passwordHash });
    expect(readdirSync(own.directory.snapshots)).toEqual([]);
    expect(rawBytes(own.directory.database).includes(key)).toBe(false);
  });
});

describe('a destroyed key that was restored into the table', () => {
  const putBack = (): { own: TestLog; key: Buffer } => {
    const own = new TestLog();
    own.append(inboundAdded(), clientAdded());
    const key = wrappedIn(own.directory.database, 'client:1/1') ?? expect.fail('there is no key');
    own.append(shredded);
    beside(own.directory.database, (db) =>
      db.prepare("UPDATE keys SET wrapped = ?, shredded = NULL WHERE id = 'client:1/1'").run(key),
    );
    return { own, key };
  };
  const emailIn = (events: ReturnType<TestLog['all']>): string | undefined =>
    events.flatMap((event) => (event.type === 'ClientAdded' ? [event.data.identity.email] : []))[0];

  it('opens nothing, is reported by verification, and is destroyed again at the next start', () => {
    const warnings = operatorWarnings();
    const { own, key } = putBack();
    const reader = openJournal(own.directory, { readonly: true });
    expect(emailIn(reader.log.read(0, 10))).toBe('erased-1');
    expect(verifyLog(reader.log).keys).toStrictEqual(message('storage.keyReturned', { id: 'client:1/1' }));
    reader.log.close();
    expect(emailIn(own.all())).toBe('erased-1');

    own.reopen();
    expect(emailIn(own.all())).toBe('erased-1');
    expect(verifyLog(own.log).keys).toBeNull();
    expect(wrappedIn(own.directory.database, 'client:1/1')).toBeNull();
    expect(rawBytes(own.directory.database).includes(key)).toBe(false);
    expect(warnings).toStrictEqual([message('storage.keyDestroyedAgain', { id: 'client:1/1' })]);
  });

  it('does not seal, even when its row is missing', () => {
    const own = new TestLog();
    own.append(inboundAdded(), clientAdded(), shredded);
    beside(own.directory.database, (db) => db.exec("DELETE FROM keys WHERE id = 'client:1/1'"));
    own.reopen();
    expect(() => own.append(clientAdded(alice, first))).toThrow('Key client:1/1 was destroyed and cannot seal again');
    expect(emailIn(own.all())).toBe('erased-1');
  });

  it('is rejected in a backup', () => {
    const own = new TestLog();
    own.append(inboundAdded(), clientAdded());
    const key = wrappedIn(own.directory.database, 'client:1/1');
    own.append(shredded);
    const { file } = backUp(own);
    tamper(file, (db) => db.prepare("UPDATE keys SET wrapped = ?, shredded = NULL WHERE id = 'client:1/1'").run(key));
    expect(() => verify({ file, passphrase: '', digests: {} })).toThrow(
      'Its keys do not match its events: key client:1/1 was destroyed, but it is in the table again',
    );
    expect(existsSync(file) && readFileSync(file).length).toBeGreaterThan(0);
  });
});
