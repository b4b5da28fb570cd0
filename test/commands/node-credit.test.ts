import { array, assert as check, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ClientCredit,
  type Credit,
  creditOf,
  type Followed,
  heldToInbounds,
} from '../../src/commands/node-credit.js';

const at = (up: number, down: number, allTime = up + down) => ({ up, down, allTime });
const from = (up: number, down: number, allTime = up + down, moved = 3): Followed => ({ up, down, allTime, moved });
const bytes = ({ growth }: Credit): number => growth.up + growth.down;
const SECOND = 1000;

describe('the growth of a counter', () => {
  it.each([
    ['that goes on', from(10, 20), at(15, 40), { up: 5, down: 20 }, null],
    ['that is met for the first time', undefined, at(500, 500), { up: 0, down: 0 }, 'first'],
    ['that went back to zero', from(10, 20), at(0, 0), { up: 0, down: 0 }, 'fell'],
    ['of which one half went back', from(10, 20), at(50, 19), { up: 0, down: 0 }, 'fell'],
    [
      'that doubled while the bytes of all time did not move',
      from(10, 20),
      at(20, 40, 30),
      { up: 0, down: 0 },
      'clipped',
    ],
    ['of which a part is in the bytes of all time', from(0, 0), at(100, 300, 40), { up: 10, down: 30 }, 'clipped'],
    ['on a panel that keeps no bytes of all time', from(0, 0, 0, 0), at(7, 8, 0), { up: 7, down: 8 }, null],
    ['that is faster than any machine', from(0, 0), at(0, 1e12), { up: 0, down: 0 }, 'implausible'],
    ['that says something else than a number', from(10, 20), at(Number.NaN, 30), { up: 0, down: 0 }, null],
    ['that is no whole number', from(10, 20), at(11.5, 30), { up: 0, down: 0 }, null],
    ['beyond what can be counted', from(0, 0), at(2 ** 53, 0), { up: 0, down: 0 }, null],
    ['below zero', from(10, 20), at(-5, 30), { up: 0, down: 0 }, null],
  ])('%s', (_, before, seen, growth, note) => {
    const credit = creditOf(before, seen, SECOND);
    expect([credit.growth, credit.note]).toStrictEqual([growth, note]);
  });

  it('goes on from what it says now, whatever that was; from where it was when that is unreadable', () => {
    expect(creditOf(from(10, 20), at(3, 4), SECOND).next).toStrictEqual({ ...at(3, 4), moved: 3 });
    expect(creditOf(from(10, 20), at(Number.NaN, 4), SECOND).next).toBeNull();
    expect(creditOf(undefined, at(3, 4), SECOND).next).toStrictEqual({ ...at(3, 4), moved: 0 });
  });

  it('may be what a slow reading brings at once', () => {
    expect(bytes(creditOf(from(0, 0), at(0, 3e10), SECOND))).toBe(3e10);
    expect(bytes(creditOf(from(0, 0), at(0, 3e12), 3600 * SECOND))).toBe(3e12);
  });
});

describe('the clients of a node', () => {
  const client = (grown: number, uncounted = false) => ({ ...creditOf(from(0, 0), at(0, grown), SECOND), uncounted });
  const inbound = (grown: number) => creditOf(from(0, 0), at(0, grown), SECOND);
  const held = (clients: ReturnType<typeof client>[], ...inbounds: Credit[]) =>
    heldToInbounds(clients, inbounds).map((credit) => [bytes(credit), credit.note]);

  it('have used what the inbounds carried', () => {
    expect(held([client(600), client(300)], inbound(1000))).toStrictEqual([
      [600, null],
      [300, null],
    ]);
  });

  it('cannot have used much more: who claims far more is not credited, and the others do not suffer', () => {
    expect(held([client(60_000_000), client(300)], inbound(1000))).toStrictEqual([
      [0, 'implausible'],
      [300, null],
    ]);
    expect(held([client(50)], creditOf(from(5, 5), at(5, 5), SECOND))).toStrictEqual([[0, 'implausible']]);
  });

  it('are cut down together when they claim somewhat more', () => {
    expect(held([client(1500), client(1500)], inbound(1000))).toStrictEqual([
      [500, 'clipped'],
      [500, 'clipped'],
    ]);
  });

  it('are not held to an inbound that cannot tell, or has never counted', () => {
    expect(held([client(600)], creditOf(from(50, 50, 0, 2), at(0, 0, 0), SECOND))).toStrictEqual([[600, null]]);
    expect(held([client(600, true)], creditOf(from(0, 0, 0, 0), at(0, 0, 0), SECOND))).toStrictEqual([[600, null]]);
  });
});

describe('a node that lies about its counters in any order', () => {
  const fault = constantFrom('none', 'none', 'none', 'reset', 'lost', 'old', 'doubled', 'set', 'nonsense', 'unheard');
  const round = record({ fault, up: nat(5_000_000), down: nat(5_000_000), set: nat(100_000_000) });

  it('never makes the centre credit more than was carried, in all or for one client that was alone', () => {
    check(
      property(array(round, { maxLength: 60 }), (rounds) => {
        const counter = { up: 0, down: 0, allTime: 0 };
        const carried = { up: 0, down: 0, allTime: 0 };
        const inbound = { ...carried };
        let old = { counter: { ...counter }, inbound: { ...inbound } };
        let before: Followed | undefined = from(0, 0, 0, 0);
        let inboundBefore: Followed | undefined = from(0, 0, 0, 0);
        let credited = 0;
        for (const { fault: what, up, down, set } of rounds) {
          const now = { up, down, allTime: up + down };
          for (const one of [counter, carried, inbound])
            for (const key of ['up', 'down', 'allTime'] as const) one[key] += now[key];
          if (what === 'reset') Object.assign(counter, { up: 0, down: 0 });
          if (what === 'lost') Object.assign(counter, { up: 0, down: 0, allTime: 0 });
          if (what === 'old') {
            Object.assign(counter, old.counter);
            Object.assign(inbound, old.inbound);
          }
          if (what === 'doubled') Object.assign(counter, { up: 2 * counter.up, down: 2 * counter.down });
          // By hand, and a panel raises the bytes of all time with it.
          if (what === 'set')
            Object.assign(counter, { up: set, down: set, allTime: Math.max(counter.allTime, 2 * set) });
          if (up % 3 === 0) old = { counter: { ...counter }, inbound: { ...inbound } };
          if (what === 'unheard') continue;
          const seen = what === 'nonsense' ? { up: -1, down: 2 ** 60, allTime: Number.NaN } : counter;
          const own: Credit = creditOf(inboundBefore, inbound, 5 * SECOND);
          inboundBefore = own.next ?? inboundBefore;
          const client: ClientCredit = {
            ...creditOf(before, seen, 5 * SECOND),
            uncounted: (own.next?.moved ?? 0) === 0,
          };
          before = client.next ?? before;
          const [credit = client] = heldToInbounds([client], [own]);
          credited += bytes(credit);
          expect(bytes(credit)).toBeGreaterThanOrEqual(0);
        }
        // What two readings may be apart, once for each of them.
        expect(credited).toBeLessThanOrEqual(carried.allTime * (1 + 1 / 32) + rounds.length * 65_536);
      }),
      { numRuns: 500 },
    );
  });
});
