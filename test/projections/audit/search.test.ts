import { assert, constantFrom, integer, nat, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measuredTypes } from '../../../src/events/catalog.js';
import type { EventHeader, LogSearch } from '../../../src/events/log/log-search.js';
import { type AuditFilter, searchLog } from '../../../src/projections/audit/audit-search.js';
import { changesOf } from '../../../src/projections/audit/changes.js';
import { admin, alice, draft, first, HOUR, inboundDraft, one, T0, userId } from '../../kit/builders.js';
import { History, steps } from '../../kit/history/history.js';
import { busOver, TestLog } from '../../kit/log.js';

const EVERYTHING: AuditFilter = {
  ...{ types: null, actorKind: null, actorName: '', ip: '', from: 0, to: Number.MAX_SAFE_INTEGER },
  ...{ clients: null, inbound: 0, node: 0 },
};

const filters = record({
  types: constantFrom(null, new Set(['ClientAdded', 'ClientUpdated']), new Set(measuredTypes), new Set<string>()),
  actorKind: constantFrom(null, 'user' as const, 'system' as const),
  actorName: constantFrom('', 'oo', 'unknown'),
  ip: constantFrom('', '203.0.113.7', '203.0.113.0/24', '198.51.100.0/24', '2001:db8::/32'),
  from: constantFrom(0, T0 + HOUR),
  to: constantFrom(Number.MAX_SAFE_INTEGER, T0 + 5 * HOUR),
  clients: option(constantFrom([1], [2, 3], [])),
  inbound: constantFrom(0, 0, 1, 2),
  node: constantFrom(0, 0, 1),
});

/** By reading every event, the newest first. */
function fullScan(search: LogSearch, filter: AuditFilter): readonly number[] {
  const positions = Array.from({ length: search.head().position }, (_, n) => search.head().position - n);
  return positions.filter((position) => {
    const header = search.header(position);
    return header !== null && fits(search, header, filter);
  });
}

function fits(search: LogSearch, { position, type, stream, meta }: EventHeader, filter: AuditFilter): boolean {
  const event = search.event(position);
  const data = (event?.data ?? {}) as {
    inbound?: number;
    ips?: { ip: string }[] | { allowed: string[]; blocked: string[] };
    attempt?: { ip: string };
  };
  const { actor } = meta;
  const addresses = [
    actor.ip ?? '',
    data.attempt?.ip ?? '',
    ...(Array.isArray(data.ips)
      ? data.ips.map(({ ip }) => ip)
      : [...(data.ips?.allowed ?? []), ...(data.ips?.blocked ?? [])]),
  ];
  const prefix = filter.ip.replace(/(0\/24|:\/32)$/, '');
  const isOfInbound =
    stream === `inbound-${filter.inbound}` || (type.endsWith('ByCore') && data.inbound === filter.inbound);
  return (
    (filter.types?.has(type) ?? true) &&
    (filter.actorKind ?? actor.kind) === actor.kind &&
    actor.name.includes(filter.actorName) &&
    addresses.some((ip) => ip.startsWith(prefix)) &&
    meta.at >= filter.from &&
    meta.at <= filter.to &&
    (filter.clients?.some((client) => stream === `client-${client}`) ?? true) &&
    (filter.inbound === 0 || isOfInbound) &&
    (filter.node === 0 || [`node-${filter.node}`, `node-sync-${filter.node}`].includes(stream))
  );
}

/** In parts, each from where the one before it ended. */
function inParts(search: LogSearch, filter: AuditFilter, rows?: number): readonly number[] {
  const found: number[] = [];
  let next = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const step = searchLog(search, filter, next, 0, rows).next();
    if (step.done) return found;
    found.push(...step.value.found.map(({ position }) => position));
    expect(step.value.next).toBeLessThan(next);
    next = step.value.next;
  }
}

describe('a search of the log', () => {
  it('finds exactly what a scan of all events finds, newest first, in any history', () => {
    assert(
      property(steps(120), filters, nat(200), integer({ min: 1, max: 60 }), (history, filter, after, rows) => {
        const test = new TestLog();
        new History(busOver(test.log, test.clock), test.log).play(history);
        const { search } = test.log;
        const wanted = fullScan(search, filter);
        expect(inParts(search, filter, rows)).toStrictEqual(wanted);
        const newer = [...searchLog(search, filter, Number.MAX_SAFE_INTEGER, after, rows)].flatMap(
          ({ found }) => found,
        );
        expect(newer.map(({ position }) => position)).toStrictEqual(wanted.filter((position) => position > after));
        test.log.close();
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('finds the events of streams that are longer than one step, and of several streams in order', () => {
    const test = new TestLog();
    const { must } = busOver(test.log, test.clock);
    must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    must({ type: 'AddClients', data: { inbound: one, clients: [alice, draft('bob', 2)] } });
    for (let n = 1; n <= 1200; n += 1)
      must({ type: 'AdjustClientTraffic', data: { email: n % 3 === 0 ? 'bob' : 'alice', up: n, down: 0 } });
    const { search } = test.log;
    for (const clients of [[1], [2], [1, 2]]) {
      const filter = { ...EVERYTHING, clients };
      expect(inParts(search, filter)).toStrictEqual(fullScan(search, filter));
    }
  });

  it('starts anywhere', () => {
    assert(
      property(integer({ min: 1, max: 12 }), (before) => {
        const test = new TestLog();
        const { must } = busOver(test.log, test.clock);
        must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
        for (let n = 0; n < 9; n += 1) must({ type: 'ResetInboundTraffic', data: { inbound: one } });
        for (const filter of [EVERYTHING, { ...EVERYTHING, inbound: 1 }]) {
          const found = [...searchLog(test.log.search, filter, before)].flatMap((step) => step.found);
          const wanted = fullScan(test.log.search, filter).filter((position) => position < before);
          expect(found.map(({ position }) => position)).toStrictEqual(wanted);
        }
        test.log.close();
      }),
      { numRuns: 12 },
    );
  });
});

describe('a step of a search', () => {
  it('reads at most 60 headers, and those without an address are left to the database', () => {
    const test = new TestLog();
    const { must, clock } = busOver(test.log, test.clock);
    must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    for (let n = 0; n < 250; n += 1) must({ type: 'ResetInboundTraffic', data: { inbound: one } });
    const system = { kind: 'system', id: 'traffic-intake', name: 'traffic-intake', ip: null } as const;
    const reset = { type: 'InboundTrafficReset', data: { inbound: one, up: 0, down: 0 } } as const;
    test.log.append(
      Array.from({ length: 700 }, () => reset),
      { at: clock.now(), actor: system, correlationId: 'x' },
    );
    const steps = [...searchLog(test.log.search, EVERYTHING, Number.MAX_SAFE_INTEGER)];
    expect(Math.max(...steps.map(({ found }) => found.length))).toBe(60);
    const [ofAddress] = searchLog(test.log.search, { ...EVERYTHING, ip: '203.0.113.7' }, Number.MAX_SAFE_INTEGER);
    expect(ofAddress?.found).toHaveLength(60);
    expect(ofAddress?.found[0]?.position).toBe(test.log.head().position - 700);
  });
});

describe('an event in the log', () => {
  it('is found by its id, also in a long log, and its effects by its id', () => {
    const test = new TestLog();
    const { must, clock } = busOver(test.log, test.clock);
    must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    for (let n = 0; n < 1500; n += 1) {
      clock.advance(n % 7);
      must({ type: 'SetInboundEnabled', data: { inbound: one, enabled: n % 2 === 1 } });
    }
    const { search } = test.log;
    for (const position of [1, 2, 700, 1499]) {
      const id = search.header(position)?.id ?? '';
      expect(search.find(id, 1501)?.position).toBe(position);
      expect(search.find(id, position)).toBeNull();
    }
    expect(search.find('not an id', 1501)).toBeNull();
    const cause = search.header(3)?.id ?? '';
    test.log.append([{ type: 'InboundEnabled', data: { inbound: one } }], {
      ...{ at: clock.now(), actor: admin, correlationId: 'x', causationId: cause },
    });
    expect(search.causedBy(cause, 4, 2000).map(({ position }) => position)).toStrictEqual([1502]);
  });

  it('is found by its id when the clock was set back before or after it', () => {
    const test = new TestLog();
    const { must, clock } = busOver(test.log, test.clock);
    must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    for (let n = 0; n < 1800; n += 1) {
      clock.advance(n % 600 === 599 ? -2 * HOUR : 1);
      must({ type: 'ResetInboundTraffic', data: { inbound: one } });
    }
    const { search } = test.log;
    for (const position of [1, 300, 601, 602, 900, 1201, 1500, 1800])
      expect(search.find(search.header(position)?.id ?? '', 1801)?.position).toBe(position);
  });

  it('has the values before it', () => {
    const test = new TestLog();
    const { must } = busOver(test.log, test.clock);
    must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    must({ type: 'AddClients', data: { inbound: one, clients: [alice] } });
    const cap = (capBytes: number) =>
      must({ type: 'ChangeClientTerms', data: { terms: [{ client: first, capBytes }] } });
    const changes = (events: ReturnType<typeof must>) => events.flatMap((event) => changesOf(test.log.search, event));
    expect(changes(cap(5))).toStrictEqual([{ field: 'capBytes', before: 0, after: 5, secret: false }]);
    expect(changes(cap(7))).toStrictEqual([{ field: 'capBytes', before: 5, after: 7, secret: false }]);
    const settings = (pollSeconds: number) => must({ type: 'ChangeSettings', data: { changes: { pollSeconds } } });
    expect(changes(settings(7))).toMatchObject([{ field: 'pollSeconds', after: 7 }]);
    expect(changes(settings(9))).toStrictEqual([{ field: 'pollSeconds', before: 7, after: 9, secret: false }]);
    const reset = must({ type: 'ResetInboundTraffic', data: { inbound: one } });
    expect(changes(reset)).toStrictEqual([
      { field: 'up', before: 0, after: 0, secret: false },
      { field: 'down', before: 0, after: 0, secret: false },
    ]);
  });

  it('is verified by the chain of hashes', () => {
    const test = new TestLog();
    const { must } = busOver(test.log, test.clock);
    must({ type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } });
    for (let n = 0; n < 20; n += 1) must({ type: 'ResetInboundTraffic', data: { inbound: one } });
    expect(test.log.search.verify(0, 10)).toStrictEqual({ position: 10, fault: null });
    expect(test.log.search.verify(10, 100)).toStrictEqual({ position: 21, fault: null });
  });
});
