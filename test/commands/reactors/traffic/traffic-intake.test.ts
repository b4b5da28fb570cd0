import { rmSync } from 'node:fs';
import { array, asyncProperty, assert as check, integer, nat, record } from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { CountedCommand } from '../../../../src/commands/counter-commands.js';
import { type CoreCounters, CoreError } from '../../../../src/commands/ports/core.js';
import { type Baselines, growthOf } from '../../../../src/commands/reactors/traffic/readings.js';
import { Rejection } from '../../../../src/commands/rejection.js';
import { CounterTable } from '../../../../src/events/traffic/counter-table.js';
import { verbatim } from '../../../../src/messages/message.js';
import { admin, alice, bob, draft, HOUR, one, T0 } from '../../../kit/builders.js';
import type { Count } from '../core/fake-core.js';
import { addClients, addInbound, holdTimers, Place, started } from '../kit.js';

/** Of a client by its number, of an inbound or an outbound by its tag. */
const count = (kind: 'client' | 'inbound' | 'outbound', name: number | string, up: number, down = 0): Count =>
  ({ kind, name, up, down }) as Count;
const past = [addInbound(1), addClients(alice, bob)] as const;
const used = (place: Place, email = 'alice') => {
  const client = place.panel.read.clients.firstByEmail(email);
  return client ? place.panel.read.usage.client(client) : undefined;
};

describe('the growth of counters', () => {
  const recorded = (over: Partial<Baselines> = {}): Baselines => ({
    run: 'r',
    clients: new CounterTable(),
    inbounds: new Map(),
    outbounds: new Map(),
    ownerOf: (tag) => (tag === 'in' ? 5 : undefined),
    toPassOn: () => [],
    ...over,
  });
  const counters = (...counts: readonly (readonly [number, number, number?])[]): CoreCounters => ({
    clients: CounterTable.of(counts.map(([client, up, down = 0]) => [client, { up, down }])),
    inbounds: new Map([
      ['in', { up: 1, down: 0 }],
      ['unknown', { up: 1, down: 0 }],
    ]),
    outbounds: new Map([['out', { up: 2, down: 0 }]]),
  });

  it('is the full value of a new counter', () => {
    expect(growthOf(counters([1, 3, 4]), recorded())).toStrictEqual({
      clients: [[1, 3, 4]],
      inbounds: [[5, 1, 0]],
      outbounds: [['out', 2, 0]],
    });
  });

  it('is the difference to the recorded value', () => {
    const known = recorded({ clients: CounterTable.of([[1, { up: 3, down: 4 }]]) });
    expect(growthOf(counters([1, 5, 4]), known).clients).toStrictEqual([[1, 2, 0]]);
    expect(growthOf(counters([1, 3, 4]), known).clients).toStrictEqual([]);
  });

  it('is zero when a counter has decreased', () => {
    const known = recorded({ clients: CounterTable.of([[1, { up: 30, down: 4 }]]) });
    expect(growthOf(counters([1, 1, 9]), known).clients).toStrictEqual([[1, 0, 5]]);
  });

  it.each([Number.NaN, 2 ** 63, Number.POSITIVE_INFINITY, 0.5])('ignores a counter of %d', (bytes) => {
    expect(growthOf(counters([1, bytes], [2, 1]), recorded()).clients).toStrictEqual([[2, 1, 0]]);
  });
});

describe('a poll', () => {
  it('counts the first value of a counter', async () => {
    const place = await started(undefined, ...past);
    place.core.counts = [count('client', 1, 7, 1), count('inbound', 'in-1', 7, 1), count('outbound', 'direct', 8)];
    await place.wait(5000);
    expect(used(place)).toStrictEqual({ up: 7, down: 1 });
    expect(place.data('TrafficRecorded')).toStrictEqual([
      { run: 'run-1', clients: [[1, 7, 1]], inbounds: [[1, 7, 1]], outbounds: [['direct', 8, 0]] },
    ]);
  });

  it('without growth records nothing', async () => {
    const place = await started(undefined, ...past);
    place.core.counts = [count('client', 1, 7)];
    await place.wait(5000);
    const { position } = place.panel.log.head();
    await place.wait(60_000);
    expect(place.panel.log.head().position).toBe(position);
  });

  it('runs at the interval of the settings', async () => {
    const place = await started(undefined, ...past);
    place.must({ type: 'ChangeSettings', data: { changes: { pollSeconds: 1 } } });
    await place.wait(5000); // the one that was under way
    for (let i = 1; i <= 4; i += 1) {
      place.core.counts = [count('client', 1, i)];
      await place.wait(1000);
    }
    expect(place.data('TrafficRecorded')).toHaveLength(4);
  });

  it('after a failed one counts everything', async () => {
    const place = await started(undefined, ...past);
    place.core.counts = [count('client', 1, 7)];
    place.core.fail.set('counters', new CoreError('unreachable', verbatim('no answer')));
    await place.wait(5000);
    expect([used(place), place.warnings]).toStrictEqual([
      { up: 0, down: 0 },
      ['the counters of the core could not be read'],
    ]);
    place.core.counts = [count('client', 1, 9)];
    await place.wait(5000);
    expect(used(place)).toStrictEqual({ up: 9, down: 0 });
  });

  it('starts at zero with a new run of the core', async () => {
    const place = await started(undefined, ...past);
    place.core.counts = [count('client', 1, 100)];
    await place.wait(5000);
    place.core.crash('killed');
    await place.wait(1100);
    place.core.counts = [count('client', 1, 30)];
    await place.wait(5000);
    expect(used(place)).toStrictEqual({ up: 130, down: 0 });
  });

  it('runs once more before a planned stop', async () => {
    const place = await started(undefined, ...past);
    place.core.counts = [count('client', 1, 11)];
    place.must({ type: 'StopCore', data: {} });
    await place.calm();
    expect(used(place)).toStrictEqual({ up: 11, down: 0 });
  });

  it('does not count twice after a new credential, also after a full replay', async () => {
    const place = await started(undefined, ...past);
    place.core.counts = [count('client', 1, 100)];
    await place.wait(5000);
    place.must({ type: 'UpdateClient', data: { inbound: one, client: { email: 'alice' }, draft: draft('alice', 9) } });
    await place.close(true);
    rmSync(`${place.root}/run/snapshots`, { recursive: true });
    await place.open();
    await place.panel.reactors.poll();
    expect(used(place)).toStrictEqual({ up: 100, down: 0 });
  });

  it('shows connected clients with their addresses, and records an address once an hour', async () => {
    const place = await started(undefined, ...past);
    place.core.connected = [{ client: 1, ips: [{ ip: '198.51.100.1', at: 0 }] }];
    await place.wait(5000);
    expect(place.panel.read.usage.onlineEmails(place.clock.now())).toStrictEqual(['alice']);
    expect(place.data('ClientIpsSeen')).toStrictEqual([
      { client: 1, ips: [{ ip: '198.51.100.1', seenAt: T0 + 5000 }] },
    ]);
    await place.wait(60_000);
    expect(place.data('ClientIpsSeen')).toHaveLength(1);
    place.clock.advance(HOUR);
    await place.wait(5000);
    expect(place.data('ClientIpsSeen')).toHaveLength(2);
    place.core.connected = [];
    await place.wait(5000);
    expect(place.panel.read.usage.onlineEmails(place.clock.now())).toStrictEqual([]);
  });

  it('does nothing while no core runs', async () => {
    const place = await started(undefined, ...past, { type: 'StopCore', data: {} });
    place.core.counts = [count('client', 1, 11)];
    await place.wait(20_000);
    expect(place.data('TrafficRecorded')).toStrictEqual([]);
  });
});

describe('a change of counters', () => {
  const reset = { type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } } as const;
  const change = (place: Place, command: CountedCommand) =>
    place.panel.change(() => command, { actor: admin, correlationId: 'test' });
  const types = (place: Place, from: number) => place.panel.log.read(from, 100).map(({ type }) => type);
  const moved = async () => {
    const place = await started(undefined, ...past);
    place.core.counts = [count('client', 1, 7), count('inbound', 'in-1', 7), count('outbound', 'direct', 7)];
    return { place, from: place.panel.log.head().position };
  };

  it.each<CountedCommand>([
    reset,
    { type: 'ResetAllClientTraffic', data: { inbound: 'all' } },
    { type: 'ResetInboundTraffic', data: { inbound: one } },
    { type: 'ResetAllTraffic', data: {} },
    { type: 'ResetOutboundTraffic', data: { tag: null } },
    { type: 'AdjustClientTraffic', data: { email: 'alice', up: 0, down: 0 } },
    { type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } },
    { type: 'UpdateClient', data: { inbound: one, client: { email: 'alice' }, draft: draft('amy', 1) } },
    { type: 'DeleteInbound', data: { inbound: one } },
  ])('is recorded after the traffic before it: $type', async (command) => {
    const { place, from } = await moved();
    expect(await change(place, command)).not.toBeInstanceOf(Rejection);
    const [first, ...rest] = types(place, from);
    expect([first, rest.length > 0]).toStrictEqual(['TrafficRecorded', true]);
    await place.panel.reactors.poll();
    expect(types(place, from).filter((type) => type === 'TrafficRecorded')).toHaveLength(1);
  });

  it('that does not concern the email does not query the core', async () => {
    const { place, from } = await moved();
    const data = { inbound: one, client: { email: 'Alice' }, draft: draft('alice', 1, { spec: { limitIp: 3 } }) };
    await change(place, { type: 'UpdateClient', data });
    expect(types(place, from)).toStrictEqual(['ClientUpdated']);
  });

  it('shares a query with others, but not one that began before it', async () => {
    const { place, from } = await moved();
    let readings = 0;
    const counters = place.core.stats.counters.bind(place.core);
    place.core.stats.counters = () => {
      readings += 1;
      return counters();
    };
    const polled = place.panel.reactors.poll();
    const changes = [1, 2, 3].map(() => change(place, reset));
    place.core.counts = [count('client', 1, 9)];
    await Promise.all([polled, ...changes]);
    expect([readings, used(place)]).toStrictEqual([2, { up: 0, down: 0 }]);
    expect(types(place, from).filter((type) => type === 'TrafficRecorded').length).toBeGreaterThan(0);
  });

  it('is made also when the core does not answer, with a warning', async () => {
    const { place } = await moved();
    const none = { clients: new CounterTable(), inbounds: new Map(), outbounds: new Map() };
    let answer: (late: CoreCounters) => void = () => undefined;
    place.core.stats.counters = () => new Promise((resolve) => (answer = resolve));
    const changed = change(place, reset);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await changed).toMatchObject({ events: [{ type: 'ClientTrafficReset' }] });
    place.core.stats.counters = () => Promise.resolve(none);
    answer(none);
    expect(place.warnings).toContain(
      'the counters could not be read before a change; their traffic will be recorded after it',
    );
  });

  it('by time is recorded after the bytes of the former term, which deplete no client', async () => {
    const place = await started(
      undefined,
      addInbound(1),
      addClients(draft('alice', 1, { spec: { expiresAt: T0 + 4000, renewalDays: 30 } })),
    );
    place.core.counts = [count('client', 1, 7)];
    const from = place.panel.log.head().position;
    await place.wait(5000);
    expect(types(place, from)).toStrictEqual(['TrafficRecorded', 'ClientRenewed', 'ClientTrafficReset']);
    expect(used(place)).toStrictEqual({ up: 0, down: 0 });
  });
});

describe('the sum of all polls', () => {
  it('equals the traffic of the core, however often panel and core restart', async () => {
    holdTimers();
    const steps = array(record({ bytes: nat(1000), then: integer({ min: 0, max: 9 }) }), {
      minLength: 3,
      maxLength: 25,
    });
    await check(
      asyncProperty(steps, async (moments) => {
        const place = await new Place().open();
        place.must(...past);
        await place.calm();
        let counter = 0;
        let through = 0;
        let lost = 0;
        for (const { bytes, then } of moments) {
          counter += bytes;
          through += bytes;
          place.core.counts = [count('client', 1, counter)];
          if (then < 5) await place.panel.reactors.poll();
          if (then === 5) {
            await place.close(true); // the core keeps running, and the next panel process adopts it
            await place.open();
          }
          if (then === 6) {
            await place.close(false);
            await place.open();
            counter = 0;
          }
          if (then === 7) {
            place.must({ type: 'RestartCore', data: {} });
            await place.calm();
            counter = 0;
          }
          if (then === 8) {
            lost += through - lost - (used(place)?.up ?? 0); // not read before the core exited
            place.core.crash('killed');
            await place.wait(61_000);
            counter = 0;
          }
          expect(used(place)?.up).toBeLessThanOrEqual(through - lost);
        }
        await place.panel.reactors.poll();
        expect(used(place)).toStrictEqual({ up: through - lost, down: 0 });
        await place.close(false);
      }),
      { numRuns: 15 },
    );
  });
});
