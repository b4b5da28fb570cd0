import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { storedData } from '../../../src/adapters/sqlite/codec.js';
import { eventType, type PanelEvent } from '../../../src/events/catalog.js';
import type { Actor } from '../../../src/events/log/event.js';
import { samples, secretTexts } from '../../events/samples.js';
import { caused, clientAdded, inboundAdded, T0, traffic } from '../../kit/builders.js';
import { context, readAll, TestLog } from '../../kit/log.js';
import { chainBreak, rawBytes } from './raw.js';

/** Every sample of the current versions, as an event. Events that destroy keys or payloads have their own tests. */
const events = samples
  .filter(({ type, version }) => eventType(type)?.schemaVersion === version)
  .filter(({ type }) => type !== 'DataKeyDestroyed' && type !== 'MeasurementsRolledUp')
  .map(({ type, data }) => ({ type, data }) as PanelEvent);

const actor: Actor = { kind: 'user', id: '7', name: 'canary-actor', ip: '192.0.2.222' };

/** Texts that must be unreadable without a key. */
const canaries = [...secretTexts, actor.name, '192.0.2.222'];

describe('the log', () => {
  it('returns every event unchanged, before and after it was closed', () => {
    const journal = new TestLog();
    const recorded = journal.log.append(
      events,
      context({ actor, causationId: 'cause', commandId: { key: 'k', fingerprint: 'f' } }),
    );
    expect(recorded.map(({ type, data }) => ({ type, data }))).toStrictEqual(events);
    expect(journal.all()).toStrictEqual(recorded);
    journal.reopen();
    expect(journal.all()).toStrictEqual(recorded);
    expect(readAll(journal.log, 7)).toStrictEqual(recorded);
  });

  it('numbers events without gaps, in the log and in each stream', () => {
    const journal = new TestLog();
    for (const event of events) journal.append(event);
    const all = journal.all();
    expect(all.map(({ position }) => position)).toStrictEqual(events.map((_, i) => i + 1));
    const streams = new Map<string, number[]>();
    for (const { stream, version } of all) streams.set(stream, [...(streams.get(stream) ?? []), version]);
    for (const [stream, versions] of streams) {
      expect(versions).toStrictEqual(versions.map((_, i) => i + 1));
      expect(journal.log.readStream(stream).map(({ version }) => version)).toStrictEqual(versions);
    }
    expect(journal.log.readStream('client-1', 2, 2).map(({ version }) => version)).toStrictEqual([3, 4]);
  });

  it('assigns ids that ascend with the position', () => {
    const journal = new TestLog();
    for (const event of events) journal.append(event, event);
    const ids = journal.all().map(({ id }) => id);
    expect(ids).toStrictEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('stores actors and causes', () => {
    const journal = new TestLog();
    const ids = { correlationId: randomUUID(), causationId: randomUUID() };
    const [added, moved] = journal.log.append(
      [inboundAdded(), caused(0, traffic({ inbounds: [[1, 1, 1]] }))],
      context({ actor, ...ids }),
    );
    expect(added?.meta).toStrictEqual({ at: T0, actor, ...ids, commandId: null });
    expect(moved?.meta.causationId).toBe(added?.id);
    journal.reopen();
    expect(journal.all().map(({ meta }) => meta)).toStrictEqual([added?.meta, moved?.meta]);
  });

  it('is one chain', () => {
    const journal = new TestLog();
    for (const event of events) journal.append(event);
    const rows = journal.log.stored.rows(0, 1000);
    expect(chainBreak(rows)).toBeNull();
    expect(rows.at(-1)?.hash.toString('hex')).toBe(journal.log.head().hash);
    expect(journal.log.hashAt(3)).toBe(rows[2]?.hash.toString('hex'));
    expect(journal.log.hashAt(events.length + 1)).toBeNull();
  });

  it('compresses long payloads without sealed fields', () => {
    const journal = new TestLog();
    const long = traffic({
      clients: Array.from({ length: 2000 }, (_, i): [number, number, number] => [i + 1, 1000, 2000]),
    });
    journal.append(long);
    const [row] = journal.log.stored.rows(0, 1);
    expect(row?.payload?.length).toBeLessThan(JSON.stringify(long.data).length / 3);
    expect(row && storedData(row)).toStrictEqual(long.data);
    expect(journal.all()[0]?.data).toStrictEqual(long.data);
  });

  it('rejects an event that violates its schema, with the whole batch', () => {
    const journal = new TestLog();
    // JSON, because the types allow no such events.
    const broken = JSON.parse('{"type":"InboundEnabled","data":{"inbound":"one"}}') as PanelEvent;
    expect(() => journal.append(inboundAdded(), broken)).toThrow();
    const unknown = JSON.parse('{"type":"Unknown","data":{}}') as PanelEvent;
    expect(() => journal.append(unknown)).toThrow('not in the catalogue');
    expect(journal.log.head().position).toBe(0);
    journal.append(inboundAdded());
    expect(journal.all().map(({ position, version }) => [position, version])).toStrictEqual([[1, 1]]);
  });

  it('finds positions by time and by id', () => {
    const journal = new TestLog();
    const [first] = journal.append(inboundAdded());
    journal.clock.advance(1000);
    journal.append(clientAdded());
    expect([T0 - 1, T0, T0 + 999, T0 + 1000].map((at) => journal.log.positionAt(at))).toStrictEqual([0, 1, 1, 2]);
    expect(journal.log.place(first?.id ?? '', 2)).toStrictEqual({ position: 1, type: 'InboundAdded' });
    expect(journal.log.place(first?.id ?? '', 1)).toBeNull();
    expect([...journal.log.stored.ofTypes(['ClientAdded'])].map(({ position }) => position)).toStrictEqual([2]);
  });
});

describe('a secret', () => {
  it('is never on the disk in plain text', async () => {
    const journal = new TestLog();
    expect(canaries.length).toBeGreaterThan(15);
    journal.log.append(events, context({ actor }));
    const { directory } = journal;
    const states = [rawBytes(directory.database)];
    journal.log.checkpoint();
    states.push(rawBytes(directory.database));
    await journal.journal.snapshots.save('all', 1, 1, events);
    await journal.journal.anchor.flush();
    states.push(readFileSync(`${directory.snapshots}/all.snapshot`), readFileSync(directory.anchor));
    for (const state of states) expect(canaries.filter((canary) => state.includes(canary))).toStrictEqual([]);
    // Control: unsealed text is found.
    expect(states[1]?.includes('client:1/1')).toBe(true);
    expect(states[0]?.includes('ClientAdded')).toBe(true);
  });

  it('has a different box each time', () => {
    const journal = new TestLog();
    journal.append(clientAdded());
    journal.append(clientAdded());
    const boxes = journal.log.stored.rows(0, 2).map((row) => JSON.stringify(storedData(row)?.['$sealed']));
    expect(boxes[0]).not.toBe(boxes[1]);
  });
});
