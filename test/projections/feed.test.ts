import { describe, expect, it } from 'vitest';
import { eventType, type RecordedEvent } from '../../src/events/catalog.js';
import { feedEvent } from '../../src/projections/feed.js';
import { samples } from '../events/samples.js';

/** Every event type in its current shape, each text in a sealed field replaced by a canary, as the ip of the actor is. */
const current = samples.filter(({ type, version }) => eventType(type)?.schemaVersion === version);
const CANARY = 'canary-7f3a';

function tainted(value: unknown): unknown {
  if (typeof value === 'string') return CANARY;
  if (Array.isArray(value)) return value.length === 0 ? [CANARY] : value.map(tainted);
  if (typeof value !== 'object' || value === null) return CANARY;
  const members = Object.entries(value).map(([key, member]) => [key, tainted(member)] as const);
  return members.length === 0 ? { [CANARY]: CANARY } : Object.fromEntries(members);
}

function recorded(type: string, data: unknown): RecordedEvent {
  const actor = { kind: 'user', id: '1', name: 'admin', ip: CANARY };
  const meta = { at: 1_700_000_000_000, actor, correlationId: 'c', causationId: null, commandId: CANARY };
  return { position: 7, id: 'e', type, stream: 's', version: 3, meta, data } as RecordedEvent;
}

/** The sums of a roll-up are in earlier events; a digest of passwords would confirm a guess. */
const OMITTED: Readonly<Record<string, readonly string[]>> = {
  MeasurementsRolledUp: ['sums', 'nodeSums'],
  NodeInboundApplied: ['digest'],
};

describe('an event in the feed', () => {
  it('exists for every type', () => {
    expect(current.length).toBeGreaterThan(50);
  });

  it.each(current.map(({ type, data }) => [type, data as Record<string, unknown>] as const))(
    'contains no sealed field of %s, and all others',
    (type, data) => {
      const seals = Object.keys(eventType(type)?.seals ?? {});
      const poisoned = { ...data, ...Object.fromEntries(seals.map((field) => [field, tainted(data[field])])) };
      const shown = feedEvent(recorded(type, poisoned), () => undefined);
      expect(JSON.stringify(shown)).not.toContain(CANARY);
      const omitted = OMITTED[type] ?? [];
      const open = Object.keys(data).filter((field) => !seals.includes(field) && !omitted.includes(field));
      expect(Object.keys(shown.data).sort()).toStrictEqual(open.sort());
      for (const field of open) expect(shown.data[field]).toStrictEqual(data[field]);
    },
  );

  it('has its position, actor, correlation and cause', () => {
    expect(feedEvent(recorded('ClientDeleted', { client: 3, inbound: 1 }), () => undefined)).toStrictEqual({
      ...{ position: 7, id: 'e', type: 'ClientDeleted', stream: 's', version: 3, at: 1_700_000_000_000 },
      actor: { kind: 'user', id: '1', name: 'admin' },
      ...{ correlationId: 'c', causationId: null, data: { client: 3, inbound: 1 } },
    });
  });

  it('has the current emails of the clients that it concerns', () => {
    const emails = new Map([
      [3, 'anna'],
      [4, 'bert'],
    ]);
    const emailsOf = (type: string, data: object) => feedEvent(recorded(type, data), (n) => emails.get(n)).emails;
    expect(emailsOf('ClientDepleted', { client: 3 })).toStrictEqual({ 3: 'anna' });
    const clients = [
      [3, 10, 20],
      [4, 1, 2],
      [9, 5, 5],
    ];
    expect(emailsOf('TrafficRecorded', { run: 'r', clients, inbounds: [], outbounds: [] })).toStrictEqual({
      3: 'anna',
      4: 'bert',
    });
    expect(emailsOf('ClientDeleted', { client: 9, inbound: 1 })).toBeUndefined();
    expect(emailsOf('InboundDeleted', { inbound: 3 })).toBeUndefined();
  });

  it('of an unknown type has no data', () => {
    expect(feedEvent(recorded('ClientTeleported', { secret: CANARY }), () => undefined).data).toStrictEqual({});
  });
});
