import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LogDamage } from '../../../src/adapters/sqlite/codec.js';
import { open, seal } from '../../../src/adapters/sqlite/keyring.js';
import { ClientCredentialRotated, ClientDeleted } from '../../../src/events/client/client.js';
import { catchUp } from '../../../src/events/log/replay.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { clients } from '../../../src/projections/models/clients.js';
import {
  admin,
  alice,
  bob,
  clientAdded,
  credential,
  draft,
  first,
  inboundAdded,
  one,
  second,
  T0,
  uuid,
} from '../../kit/builders.js';
import { context, TestLog } from '../../kit/log.js';
import { beside, chainBreak, tamper } from './raw.js';

const rotated = ClientCredentialRotated({
  client: first,
  keyVersion: 2,
  identity: alice.identity,
  credential: credential({ id: uuid(9) }),
});
const shredded = DataKeyDestroyed({ key: 'client:1/1', reason: 'rotated' });

describe('a destroyed key', () => {
  it('leaves placeholders for its sealed fields, at once and after a restart', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), rotated, shredded);
    for (const _ of [1, 2]) {
      const added = journal.all()[1];
      expect(added?.data).toStrictEqual({
        client: 1,
        inbound: 1,
        keyVersion: 1,
        spec: alice.spec,
        identity: { email: 'erased-1', subId: '', comment: '', tgId: 0, extra: {} },
        credential: { id: '', password: '', auth: '' },
      });
      expect(journal.all()[2]?.data).toStrictEqual(rotated.data);
      journal.reopen();
    }
  });

  it('does not affect the chain and the replay', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), clientAdded(bob, second), rotated, shredded);
    journal.append(
      ClientDeleted({ client: second, inbound: one }),
      DataKeyDestroyed({ key: 'client:2/1', reason: 'erased' }),
    );
    journal.reopen();
    expect(chainBreak(journal.log.stored.rows(0, 100))).toBeNull();
    const folding = { fold: clients, state: clients.initial(), position: 0 };
    catchUp(journal.log, [folding]);
    expect(
      [...folding.state.byNumber.values()].map(({ identity, credential: { id } }) => [identity.email, id]),
    ).toStrictEqual([['alice', uuid(9)]]);
    expect([...folding.state.byEmail]).toStrictEqual([['alice', [1]]]);
  });

  it('is removed from the table and cannot seal again', () => {
    const journal = new TestLog();
    journal.append(clientAdded(), shredded);
    const row = beside(journal.directory.database, (db) =>
      db.prepare("SELECT wrapped, shredded FROM keys WHERE id = 'client:1/1'").get(),
    );
    expect(row).toStrictEqual({ wrapped: null, shredded: T0 });
    for (const _ of [1, 2]) {
      expect(() => journal.append(clientAdded())).toThrow('Key client:1/1 was destroyed and cannot seal again');
      journal.reopen();
    }
    expect(journal.log.head().position).toBe(2);
  });

  it('is restored by a rollback', () => {
    const journal = new TestLog();
    journal.append(clientAdded());
    expect(() => journal.append(shredded, { type: 'Unheard', data: {} } as never)).toThrow();
    expect(journal.all()[0]?.data).toStrictEqual(clientAdded().data);
  });

  it('of the month erases only the names of actors', () => {
    const journal = new TestLog();
    journal.log.append([inboundAdded()], context({ actor: admin }));
    journal.append(DataKeyDestroyed({ key: 'actors/2023-11', reason: 'erased' }));
    expect(journal.all()[0]?.meta.actor).toStrictEqual({ kind: 'user', id: '1', name: 'erased', ip: null });
  });
});

describe('a key that is missing', () => {
  it('is an error, not an erasure', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded());
    tamper(journal.directory.database, (db) => db.prepare("DELETE FROM keys WHERE id = 'client:1/1'").run());
    journal.reopen();
    expect(() => journal.all()).toThrow(LogDamage);
    expect(() => journal.all()).toThrow('position 2: ClientAdded cannot be read: key client:1/1 is missing');
  });

  it('that another process has created meanwhile is found', () => {
    const journal = new TestLog();
    const reader = new TestLog(journal.directory.root);
    journal.append(inboundAdded(), clientAdded());
    expect(reader.all()).toStrictEqual(journal.all());
  });
});

describe('a box', () => {
  const swap = (a: number, b: number) => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), clientAdded(draft('amy', 3)), clientAdded(bob, second));
    tamper(journal.directory.database, (db) => {
      const read = db.prepare('SELECT payload FROM events WHERE position = ?').pluck();
      const write = db.prepare('UPDATE events SET payload = ? WHERE position = ?');
      const [left, right] = [read.get(a), read.get(b)];
      write.run(right, a);
      write.run(left, b);
    });
    journal.reopen();
    return journal;
  };

  it('opens only in its own event, not in another one with the same key', () => {
    for (const [a, b] of [
      [2, 3],
      [2, 4],
    ] as const) {
      const journal = swap(a, b);
      expect(() => journal.all()).toThrow(/^position 2: ClientAdded cannot be read/);
      expect(chainBreak(journal.log.stored.rows(0, 10))).toBe(2);
    }
  });

  it('does not open when a byte was changed', () => {
    const key = Buffer.alloc(32, 1);
    const box = seal(key, Buffer.from('secret'), 'here');
    expect(open(key, box, 'here').toString()).toBe('secret');
    expect(() => open(key, box, 'there')).toThrow();
    expect(() => open(Buffer.alloc(32, 2), box, 'here')).toThrow();
    for (let i = 0; i < box.length; i += 1) {
      const changed = Buffer.from(box);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => open(key, changed, 'here')).toThrow();
    }
    expect(() => open(key, box.subarray(0, 10), 'here')).toThrow();
  });
});

describe('the master key', () => {
  it('is created for an empty log with private access', () => {
    const { directory } = new TestLog();
    expect(statSync(directory.masterKey).mode & 0o777).toBe(0o600);
  });

  it('is not created again when the log has events', () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    rmSync(journal.directory.masterKey);
    expect(() => journal.reopen()).toThrow(
      /key file .* is missing, and the log cannot be read without it: restore the key file from a backup/,
    );
  });

  it('must be complete and private', () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    chmodSync(journal.directory.masterKey, 0o644);
    expect(() => journal.reopen()).toThrow('Other accounts can read the key file');
    chmodSync(journal.directory.masterKey, 0o600);
    writeFileSync(journal.directory.masterKey, 'abcd\n');
    expect(() => journal.reopen()).toThrow('does not contain 32 bytes in hex');
  });

  it('of another log opens nothing', () => {
    const journal = new TestLog();
    journal.append(inboundAdded());
    writeFileSync(journal.directory.masterKey, `${'ab'.repeat(32)}\n`);
    expect(() => journal.reopen()).toThrow('is that of another panel');
  });
});
