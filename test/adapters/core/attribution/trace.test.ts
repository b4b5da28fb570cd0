import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostOf, readAccepted, timeOf } from '../../../../src/adapters/core/attribution/access-log.js';
import { createTrace, type Trace } from '../../../../src/adapters/core/attribution/trace.js';

const TARGET = 'tcp:web.test:443';
const alice = { client: 1, source: '192.0.2.1:1000' };
const bob = { client: 2, source: '192.0.2.2:2000' };

/** One request in both logs. Times in µs; null: the core dropped the entry. */
interface Request {
  readonly client: number;
  readonly source: string;
  readonly target?: string;
  readonly dispatched: number | null;
  readonly accepted: number | null;
}

/** `2026/11/21 04:00:01.000000` for 1,000,000. */
function stamp(us: number): string {
  const iso = new Date(Date.UTC(2026, 10, 21, 4) + Math.floor(us / 1000)).toISOString();
  return `${iso.slice(0, 10).replaceAll('-', '/')} ${iso.slice(11, 23)}${String(us % 1000).padStart(3, '0')}`;
}

const localOf = (n: number): string => `127.0.0.1:${30_000 + n}`;

interface Entry {
  readonly at: number;
  readonly text: string;
}

/** Returns the new lines written up to a time. */
function upTo(entries: readonly Entry[]): (at: number) => readonly string[] {
  const log = entries.toSorted((a, b) => a.at - b.at);
  let next = 0;
  return (at) => {
    const from = next;
    while ((log[next]?.at ?? Number.POSITIVE_INFINITY) <= at) next += 1;
    return log.slice(from, next).map(({ text }) => text);
  };
}

/** The logs of a core that served these, read up to some moments by one reader. */
function logsOf(requests: readonly Request[], trace: Trace) {
  const trail: Entry[] = [];
  const access: Entry[] = [];
  for (const [n, { client, source, target = TARGET, dispatched, accepted }] of requests.entries()) {
    const say = (at: number, from: string, message: string): void =>
      void trail.push({ at, text: `${stamp(at)} [Info] [${n + 1}] ${from}: ${message}` });
    const about = dispatched ?? accepted ?? 0;
    say(about, 'proxy/vless/inbound', `received request for ${target}`);
    if (dispatched !== null) say(dispatched, 'app/dispatcher', `default route for ${target}`);
    const opened = `connection opened to ${target}, local endpoint ${localOf(n)}, remote endpoint 203.0.113.1:443`;
    say(about + 100, 'proxy/freedom', opened);
    if (accepted === null) continue;
    const text = `${stamp(accepted)} from ${source} accepted ${target} [in >> direct] email: ${client}:alice@x`;
    access.push({ at: accepted, text });
  }
  const [traced, lines] = [upTo(trail), upTo(access)];
  return {
    /** Reads the trace up to one moment and the access log up to a later one, µs. */
    read: (began: number, ended: number = began): void => {
      for (const text of traced(began)) trace.addLine(text);
      for (const text of lines(ended)) {
        const accepted = readAccepted(text);
        if (accepted) trace.addAccepted(accepted);
      }
      trace.join(began / 1000, ended / 1000);
    },
  };
}

function socketsOf(trace: Trace, client: number, host?: string): readonly string[] {
  const from = host === undefined ? undefined : (source: string): boolean => hostOf(source) === host;
  return trace.of('in', new Set([client]), from).map(({ local }) => local);
}

/** The sockets of each account after reading these requests at these times, µs. */
function told(requests: readonly Request[], ...reads: readonly number[]) {
  const trace = createTrace();
  const { read } = logsOf(requests, trace);
  for (const at of reads) read(at);
  return { alice: socketsOf(trace, alice.client), bob: socketsOf(trace, bob.client), trace };
}

describe('the account of a socket', () => {
  it('is known for sequential requests, but not before it is certain', () => {
    const requests = [
      { ...alice, dispatched: 1000, accepted: 1030 },
      { ...bob, dispatched: 50_000, accepted: 50_020 },
    ];
    expect(told(requests, 100_000)).toMatchObject({ alice: [], bob: [] });
    expect(told(requests, 100_000, 300_000)).toMatchObject({ alice: [], bob: [] });
    expect(told(requests, 100_000, 500_000)).toMatchObject({ alice: [localOf(0)], bob: [localOf(1)] });
  });

  it('is unknown when two accounts request the same target at the same time, in any order of the log lines', () => {
    const requests = [
      { ...alice, dispatched: 1000, accepted: 1030 },
      { ...bob, dispatched: 1300, accepted: 1900 },
    ];
    expect(told(requests, 1500, 1_000_000, 2_000_000)).toMatchObject({ alice: [], bob: [] });
  });

  it('is not that of a closer log line when a log is written late', () => {
    const requests = [
      { ...bob, dispatched: 2100, accepted: 1000 },
      { ...alice, dispatched: 2150, accepted: 1140 },
    ];
    expect(told(requests, 10_000, 1_000_000)).toMatchObject({ alice: [], bob: [] });
  });

  it('is not that of another account when the core dropped a line or did not log the session', () => {
    const lost = [
      { ...alice, dispatched: 1000, accepted: 1030 },
      { ...bob, dispatched: 1100, accepted: null },
    ];
    expect(told(lost, 10_000, 1_000_000)).toMatchObject({ alice: [], bob: [] });
    const untold = [
      { ...alice, dispatched: null, accepted: 1030 },
      { ...bob, dispatched: 1100, accepted: 1130 },
    ];
    expect(told(untold, 10_000, 1_000_000)).toMatchObject({ alice: [], bob: [] });
    expect(told(untold.slice(0, 1), 10_000, 1_000_000)).toMatchObject({ alice: [localOf(0)] });
  });

  it('is known without the address when the account requests the target from two at the same time', () => {
    const other = '198.51.100.9:9';
    const requests = [
      { ...alice, dispatched: 1000, accepted: 1030 },
      { ...alice, source: other, dispatched: 1040, accepted: 1900 },
    ];
    const { trace, ...all } = told(requests, 1500, 1_000_000, 2_000_000);
    expect(all.alice).toStrictEqual([localOf(0), localOf(1)]);
    expect([hostOf(alice.source), hostOf(other)].map((host) => socketsOf(trace, alice.client, host))).toStrictEqual([
      [],
      [],
    ]);
  });

  it('is known in a long burst of one account', () => {
    const flood = Array.from({ length: 600 }, (_, n) => ({ ...alice, dispatched: n * 5000, accepted: n * 5000 + 30 }));
    expect(told(flood, 1_000_000, 2_000_000, 3_000_000, 4_000_000).alice).toHaveLength(600);
    const dense = flood.map((one, n) => ({ ...one, dispatched: n * 500, accepted: n * 500 + 30 }));
    expect(told(dense, 100_000, 200_000, 400_000, 800_000).alice).toHaveLength(600);
  });

  it('is unknown in a burst without a pause, and known again after it', () => {
    const flood = Array.from({ length: 14_000 }, (_, n) => ({ ...alice, dispatched: n * 900, accepted: n * 900 + 30 }));
    const after = { ...bob, dispatched: 16_000_000, accepted: 16_000_030 };
    const seconds = Array.from({ length: 18 }, (_, n) => (n + 1) * 1_000_000);
    const { bob: ofBob, trace } = told([...flood, after], ...seconds);
    expect(ofBob).toStrictEqual([localOf(14_000)]);
    expect(socketsOf(trace, alice.client).length).toBeLessThan(14_000);
  });
});

const people = [alice, { ...alice, source: '192.0.2.77:1' }, bob, { client: 3, source: bob.source }];
const targets = [TARGET, TARGET, 'tcp:other.test:80'];
/** Time, account and target of a request, and the delay of each log; times in µs. */
const request = (span: number, late: number) =>
  fc.record({
    at: fc.integer({ min: 0, max: span }),
    person: fc.constantFrom(...people),
    target: fc.constantFrom(...targets),
    late: fc.tuple(fc.integer({ min: 0, max: late }), fc.integer({ min: 0, max: late })),
    lost: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });
const readings = fc.array(fc.tuple(fc.integer({ min: 1, max: 400_000 }), fc.integer({ min: 0, max: 5000 })), {
  maxLength: 12,
});

/** Reads at these intervals to the end, and checks after each reading that no account has the socket of another one. */
function neverWrong(requests: readonly Request[], rhythm: readonly (readonly [number, number])[], end: number): Trace {
  const trace = createTrace();
  const { read } = logsOf(requests, trace);
  const check = (): void => {
    for (const { client, source } of people) {
      const host = hostOf(source);
      for (const [sockets, known] of [
        [socketsOf(trace, client), requests.map((one) => one.client === client)],
        [socketsOf(trace, client, host), requests.map((one) => one.client === client && hostOf(one.source) === host)],
      ] as const) {
        for (const local of sockets) expect(known[Number(local.split(':')[1]) - 30_000]).toBe(true);
      }
    }
  };
  let now = 0;
  for (const [pause, length] of rhythm) {
    read(now + pause, now + pause + length);
    now += pause + length;
    check();
  }
  for (const later of [0, 1_000_000, 2_000_000]) {
    read(Math.max(now, end) + later);
    check();
  }
  return trace;
}

describe('no socket is assigned to a wrong account or address', () => {
  it.each(['nothing', 'sessions', 'lines'] as const)(
    'in any order and at any time, with %s of the core missing',
    (what) => {
      fc.assert(
        fc.property(fc.array(request(600_000, 20_000), { maxLength: 40 }), readings, (some, rhythm) => {
          const requests = some.map(({ at, person, target, late, lost }) => ({
            ...person,
            target,
            dispatched: what === 'sessions' && lost ? null : at + late[0],
            accepted: what === 'lines' && lost ? null : at + late[1],
          }));
          neverWrong(requests, rhythm, 700_000);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('with repeated stalls of the writers of both logs', () => {
    const stalls = fc.array(fc.tuple(fc.integer({ min: 0, max: 900_000 }), fc.integer({ min: 0, max: 150_000 })), {
      maxLength: 5,
    });
    const written = (at: number, still: readonly (readonly [number, number])[]): number => {
      const [from, length] = still.find(([begin, span]) => at >= begin && at < begin + span) ?? [at, 0];
      return length === 0
        ? at
        : written(
            from + length,
            still.filter(([begin]) => begin !== from),
          );
    };
    fc.assert(
      fc.property(
        fc.array(request(900_000, 300), { minLength: 20, maxLength: 60 }),
        stalls,
        stalls,
        readings,
        (some, traceStalls, accessStalls, rhythm) => {
          const requests = some.map(({ at, person, target, late }) => ({
            ...person,
            target,
            dispatched: written(at + late[0], traceStalls),
            accepted: written(at + late[0] + late[1], accessStalls),
          }));
          neverWrong(requests, rhythm, 2_000_000);
        },
      ),
      { seed: 26, numRuns: 300 },
    );
  });

  it('and a request without a concurrent one is always assigned', () => {
    fc.assert(
      fc.property(fc.array(request(0, 20_000), { minLength: 1, maxLength: 20 }), readings, (some, rhythm) => {
        const requests = some.map(({ person, late }, n) => ({
          ...person,
          dispatched: n * 500_000 + late[0],
          accepted: n * 500_000 + late[1],
        }));
        const trace = neverWrong(requests, rhythm, some.length * 500_000);
        for (const [n, { client, source }] of requests.entries()) {
          expect(socketsOf(trace, client, hostOf(source))).toContain(localOf(n));
        }
      }),
      { numRuns: 100 },
    );
  });
});

it('the times of both logs are read alike', () => expect(timeOf(stamp(1_000_001)) - timeOf(stamp(1))).toBe(1_000_000));
