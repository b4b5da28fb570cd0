import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { close, decodeMeta } from '../../../src/adapters/sqlite/codec.js';
import type { Actor } from '../../../src/events/log/event.js';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { admin, clientAdded, inboundAdded, T0 } from '../../kit/builders.js';
import { context, TestLog } from '../../kit/log.js';

const boxOf = (meta: string): unknown => (JSON.parse(meta) as { actor: { by?: { box: string } } }).actor.by?.box;
const elsewhere: Actor = { ...admin, ip: '203.0.113.8' };
const inChat: Actor = { kind: 'bot', id: '4711', name: 'Ada', ip: null };

describe('the actor of a command', () => {
  it('is sealed once for each account, address and month, and in a chat for each command', () => {
    const journal = new TestLog();
    const by = (actor: Actor, at = T0) => journal.log.append([inboundAdded()], context({ actor, at }));
    const next = T0 + 31 * 86_400_000;
    const appended = [by(admin), by(admin), by(elsewhere), by(admin, next), by(inChat), by(inChat)].flat();
    const boxes = journal.log.stored.rows(0, 10).map(({ meta }) => boxOf(meta));
    expect(boxes[1]).toBe(boxes[0]);
    expect(new Set(boxes).size).toBe(5);
    expect(boxes).not.toContain(undefined);
    for (const events of [journal.all(), journal.reopen() && journal.all()])
      expect(events.map(({ meta }) => meta.actor)).toStrictEqual(appended.map(({ meta }) => meta.actor));
  });

  it('is readable when the transaction that made its key was rolled back', () => {
    const journal = new TestLog();
    const by = context({ actor: admin });
    expect(() => journal.log.append([inboundAdded(), { type: 'Unheard', data: {} } as never], by)).toThrow();
    journal.log.append([inboundAdded()], by);
    expect(journal.reopen().complaint).toBeNull();
    expect(journal.all()[0]?.meta.actor).toStrictEqual(admin);
  });

  it('does not return from memory after its key was destroyed', () => {
    const journal = new TestLog();
    const by = context({ actor: admin });
    journal.log.append([inboundAdded()], by);
    journal.append(DataKeyDestroyed({ key: 'actors/2023-11', reason: 'erased' }));
    expect(() => journal.log.append([clientAdded()], by)).toThrow('cannot seal again');
    expect(journal.all()[0]?.meta.actor).toMatchObject({ name: 'erased', ip: null });
  });

  it('in the form of earlier releases, sealed for each command, is read', () => {
    const { log } = new TestLog();
    const correlation = randomUUID();
    const { kind, id, name, ip } = admin;
    const who = close(log.stored.keyring, 'actors/2023-11', [name, ip], `${correlation}|actor`);
    const meta = JSON.stringify({ actor: { kind, id, who }, correlation });
    expect(decodeMeta({ at: T0, meta }, log.stored.keyring).actor).toStrictEqual(admin);
  });
});
