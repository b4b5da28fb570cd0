import { array, boolean, assert as check, constantFrom, nat, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Credit, carriedBy, creditOf, unlessDoubled } from '../../../src/commands/node/node-credit.js';
import type { SeenCounter } from '../../../src/commands/ports/remote-panel.js';
import { type CounterBaseline, type CounterMark, untested } from '../../../src/events/node/node-sync.js';

const at = (up: number, down: number, allTime = up + down) => ({ up, down, allTime });
const from = (
  up: number,
  down: number,
  allTime = up + down,
  marks: readonly CounterMark[] = [],
  high = 0,
): CounterBaseline => ({
  ...{ up, down, allTime, marks, high },
});
const bytes = ({ growth }: Credit): number => growth.up + growth.down;
/** The allowed growth of a counter, in bytes: half a minute at 10 Gbit/s. */
const MOST = 37.5e9;
const MIB = 1024 * 1024;
const nothing = { up: 0, down: 0 };

/** The credited bytes, with reasons, of a counter that starts at zero and is read repeatedly. */
function readings(...seen: readonly SeenCounter[]) {
  let before: CounterBaseline | undefined = from(0, 0, 0, untested);
  return seen.map((one) => {
    const credit = creditOf(before, one, MOST);
    before = credit.next ?? before;
    return [bytes(credit), credit.note];
  });
}

describe('the growth of a counter', () => {
  it.each([
    ['that goes on', from(10, 20), at(15, 40), { up: 5, down: 20 }, null],
    ['that is met for the first time', undefined, at(500, 500), nothing, 'first'],
    ['that went back to zero', from(10, 20), at(0, 0), nothing, 'decreased'],
    ['of which one half went back', from(10, 20), at(50, 19), nothing, 'decreased'],
    ['that doubled while the bytes of all time did not move', from(10, 20), at(20, 40, 30), nothing, 'capped'],
    ['of which a part is in the bytes of all time', from(0, 0), at(100, 300, 40), { up: 10, down: 30 }, 'capped'],
    ['while the bytes of all time went back', from(10, 20, 90), at(20, 40, 60), nothing, 'decreased'],
    ['on a panel that keeps no bytes of all time', from(0, 0, 0, untested), at(7, 8, 0), { up: 7, down: 8 }, null],
    ['on a panel that keeps them no more', from(7, 8, 0), at(17, 8, 0), { up: 10, down: 0 }, null],
    ['that is faster than any machine', from(0, 0), at(0, 1e12), nothing, 'implausible'],
    ['that says something else than a number', from(10, 20), at(Number.NaN, 30), nothing, null],
    ['that is no whole number', from(10, 20), at(11.5, 30), nothing, null],
    ['beyond what can be counted', from(0, 0), at(2 ** 53, 0), nothing, null],
    ['below zero', from(10, 20), at(-5, 30), nothing, null],
  ])('%s', (_, before, seen, growth, note) => {
    const credit = creditOf(before, seen, MOST);
    expect([credit.growth, credit.note]).toStrictEqual([growth, note]);
  });

  it('continues from the new value, or from the former one if the new one is unreadable', () => {
    expect(creditOf(from(10, 20), at(13, 24), MOST).next).toStrictEqual(from(13, 24));
    expect(creditOf(from(10, 20), at(Number.NaN, 4), MOST).next).toBeNull();
    expect(creditOf(undefined, at(3, 4), MOST).next).toStrictEqual(from(3, 4, 7, untested));
  });

  it('is credited up to the allowance to the byte, and not at all beyond it', () => {
    expect(bytes(creditOf(from(0, 0), at(0, 3e12), 3e12))).toBe(3e12);
    const lie = creditOf(from(0, 0), at(0, 3e12), 3e12 - 1);
    expect([lie.growth, lie.note, lie.next]).toStrictEqual([nothing, 'implausible', from(0, 3e12)]);
  });
});

describe('a counter that decreased', () => {
  it('and returns at once to its former value counts only beyond that value', () => {
    const states = [at(2020, 4040), at(0, 0), at(2020, 4040), at(2030, 4050)];
    expect(readings(...states)).toStrictEqual([
      [6060, null],
      [0, 'decreased'],
      [0, 'recovered'],
      [20, null],
    ]);
    expect(readings(at(0, 6000), at(0, 100), at(0, 6500))).toStrictEqual([
      [6000, null],
      [0, 'decreased'],
      [500, 'recovered'],
    ]);
  });

  it('and returns to an almost former value counts nothing, and keeps the former value as its limit', () => {
    expect(readings(at(0, 6000), at(0, 0), at(0, 5000), at(0, 6100), at(0, 6200))).toStrictEqual([
      [6000, null],
      [0, 'decreased'],
      [0, 'recovered'],
      [100, 'recovered'],
      [100, null],
    ]);
  });

  it('and alternates between two disks counts nothing twice', () => {
    expect(readings(at(0, 6000), at(0, 5000), at(0, 6010), at(0, 5010), at(0, 6020))).toStrictEqual([
      [6000, null],
      [0, 'decreased'],
      [10, 'recovered'],
      [0, 'decreased'],
      [10, 'recovered'],
    ]);
  });

  it('counts in full when it grows in small steps, also beyond its former value', () => {
    const steps = [1000, 3000, 5000, 7000, 9000].map((down) => at(0, down));
    expect(readings(at(0, 6000), at(0, 0), ...steps)).toStrictEqual([
      [6000, null],
      [0, 'decreased'],
      ...[1000, 2000, 2000, 2000, 2000].map((step) => [step, null]),
    ]);
    expect(readings(at(0, 6000), at(0, 5000), at(0, 5500), at(0, 7500))).toStrictEqual([
      [6000, null],
      [0, 'decreased'],
      [500, null],
      [2000, null],
    ]);
  });

  it('counts in full when its client was renamed and has another counter now', () => {
    const renamed = from(0, 1000, 1000, ['renamed']);
    const fallen = creditOf(renamed, at(0, 0), MOST);
    expect(fallen.next).toStrictEqual(from(0, 0, 0));
    expect(bytes(creditOf(fallen.next ?? undefined, at(0, 5000), MOST))).toBe(5000);
    // The counter keeps its name; the later decrease is that of the new one.
    const grown = creditOf(renamed, at(0, 1100), MOST);
    expect([bytes(grown), grown.next]).toStrictEqual([100, from(0, 1100, 1100, ['renamed'])]);
  });

  it('counts in full after a reset, which keeps the all-time bytes', () => {
    expect(readings(at(0, 1000), at(0, 0, 1000), at(0, 5000, 6000))).toStrictEqual([
      [1000, null],
      [0, 'decreased'],
      [5000, null],
    ]);
  });
});

describe('a counter that doubles exactly', () => {
  const twice = (carried: { up: number; down: number } | null, up = MIB, down = 5 * MIB) => {
    const before = from(up, down);
    const credit = unlessDoubled(creditOf(before, at(2 * up, 2 * down), MOST), before, carried);
    return [bytes(credit), credit.note];
  };

  it('counts nothing if its inbounds carried far less', () => {
    expect(twice(nothing)).toStrictEqual([0, 'doubled']);
    expect(twice({ up: 500, down: 2 * MIB })).toStrictEqual([0, 'doubled']);
    expect(twice({ up: 0, down: 0 }, 0)).toStrictEqual([0, 'doubled']);
  });

  it.each([
    ['they carried half of it', { up: 0, down: 3 * MIB }, MIB],
    [
      'they carried half of what went up: the core counts small replies not at all there',
      { up: MIB / 2, down: 0 },
      MIB,
    ],
    ['they cannot tell', null, MIB],
  ])('is credited if %s', (_, carried, up) => {
    expect(twice(carried, up)).toStrictEqual([6 * MIB, null]);
  });

  it('is credited if it is small, or not doubled in both directions', () => {
    expect(twice(nothing, 1000, 1000)).toStrictEqual([2000, null]);
    const before = from(MIB, MIB);
    const credit = creditOf(before, at(2 * MIB, 2 * MIB + 1), MOST);
    expect(unlessDoubled(credit, before, nothing)).toBe(credit);
  });

  it('is compared only with inbounds whose counters work', () => {
    const grown = creditOf(from(10, 10), at(15, 30), MOST);
    expect(carriedBy([grown, grown])).toStrictEqual({ up: 10, down: 40 });
    expect(carriedBy([grown, undefined])).toBeNull();
    expect(carriedBy([creditOf(undefined, at(5, 5), MOST)])).toBeNull();
    expect(carriedBy([creditOf(from(10, 10), at(5, 5), MOST)])).toBeNull();
    // Some panels do not count an inbound at all.
    expect(carriedBy([creditOf(from(0, 0, 0, untested), at(0, 0, 0), MOST)])).toBeNull();
  });
});

const flow = oneof(nat(20), nat(9000), nat(5_000_000));
const flows = array(record({ up: flow, down: flow }), { maxLength: 4 });
type Flow = Readonly<{ up: number; down: number }>;

/** A client and its inbound on a node. The core counts up to 8 KiB of each download less for the inbound. */
class Node {
  client = at(0, 0);
  inbound = at(0, 0);
  readonly #keepsAllTime: boolean;
  #before: CounterBaseline = from(0, 0, 0, untested);
  #inboundBefore: CounterBaseline = from(0, 0, 0, untested);
  credited = 0;
  heard: SeenCounter = this.client;

  constructor(keepsAllTime: boolean) {
    this.#keepsAllTime = keepsAllTime;
  }

  carry(some: readonly Flow[]): number {
    for (const { up, down } of some) {
      this.client = grownBy(this.client, up, down);
      this.inbound = grownBy(this.inbound, up, Math.max(0, down - 8192));
    }
    return some.reduce((sum, { up, down }) => sum + up + down, 0);
  }

  read(seen = this.client): void {
    const said = (one: SeenCounter) => (this.#keepsAllTime ? one : { ...one, allTime: 0 });
    const inbound = creditOf(this.#inboundBefore, said(this.inbound), MOST);
    const client = creditOf(this.#before, said(seen), MOST);
    this.credited += bytes(unlessDoubled(client, this.#before, carriedBy([inbound])));
    this.#inboundBefore = inbound.next ?? this.#inboundBefore;
    this.#before = client.next ?? this.#before;
    this.heard = client.next ? seen : this.heard;
  }

  /** Bytes of all time, or of both counters where those are not kept. */
  height({ up, down, allTime }: SeenCounter): number {
    return this.#keepsAllTime ? allTime : up + down;
  }
}

function grownBy({ up, down, allTime }: SeenCounter, moreUp: number, moreDown: number): SeenCounter {
  return { up: up + moreUp, down: down + moreDown, allTime: allTime + moreUp + moreDown };
}

describe('an honest node', () => {
  const round = record({ flows, reset: boolean(), unheard: boolean() });

  it('is credited every byte, also of small connections that its inbound does not count', () => {
    check(
      property(array(round, { maxLength: 40 }), boolean(), (rounds, keepsAllTime) => {
        const node = new Node(keepsAllTime);
        let carried = 0;
        for (const { flows: some, reset, unheard } of rounds) {
          carried += node.carry(some);
          if (unheard) continue;
          node.read();
          if (!reset || !keepsAllTime) continue;
          // Nothing flows between the two readings.
          node.client = { ...node.client, up: 0, down: 0 };
          node.read();
        }
        node.read();
        expect(node.credited).toBe(carried);
      }),
      { numRuns: 500 },
    );
  });

  it('is credited the same amount every time', () => {
    const node = new Node(true);
    const small = Array.from({ length: 300 }, () => ({ up: 84, down: 7000 }));
    for (let n = 0; n < 3; n += 1) {
      node.carry(small);
      node.read();
    }
    expect(node.credited).toBe(3 * 300 * 7084);
  });
});

describe('a node that loses and restores its counters', () => {
  const honest = ['none', 'none', 'none', 'unheard', 'reset', 'nonsense'] as const;
  const faults = ['lost', 'older', 'back', 'flips', 'doubled', 'doubled in all', 'set by hand'] as const;
  const round = record({ fault: constantFrom(...honest, ...faults), flows, of: nat(99), set: nat(100_000_000) });

  it('is never credited more than was carried', () => {
    check(
      property(array(round, { maxLength: 60 }), boolean(), (rounds, keepsAllTime) => {
        const node = new Node(keepsAllTime);
        const states: SeenCounter[] = [];
        let highest: SeenCounter = node.client;
        let carried = 0;
        for (const { fault, flows: some, of, set } of rounds) {
          carried += node.carry(some);
          if (node.height(node.client) > node.height(highest)) highest = node.client;
          states.push(node.client);
          const { client } = node;
          const older = states[of % states.length] ?? client;
          const isUnchanged = client.up === node.heard.up && client.down === node.heard.down;
          const isLow = 2 * node.height(node.heard) <= node.height(highest);
          switch (fault) {
            case 'reset':
              node.client = { ...client, up: 0, down: 0 };
              break;
            case 'lost':
              node.client = at(0, 0);
              break;
            case 'older':
              if (node.height(older) <= node.height(client)) node.client = older;
              break;
            case 'back':
              if (isLow) node.client = highest;
              break;
            case 'flips':
              if (highest === client) node.read(node.height(older) <= node.height(client) ? older : client);
              break;
            case 'doubled':
              if (keepsAllTime) node.client = { ...client, up: 2 * client.up, down: 2 * client.down };
              break;
            case 'doubled in all':
              if (client.up + client.down >= MIB && isUnchanged)
                node.client = at(2 * client.up, 2 * client.down, 2 * client.allTime);
              break;
            case 'set by hand':
              // A panel that never counted bytes of all time may not keep any.
              if (keepsAllTime && node.heard.allTime > 0) node.client = { ...client, up: set, down: set };
              break;
            case 'nonsense':
              node.read({ up: -1, down: 2 ** 60, allTime: Number.NaN });
              break;
            default:
          }
          if (node.height(node.client) > node.height(highest)) highest = node.client;
          if (fault !== 'unheard') node.read();
          expect(node.credited).toBeLessThanOrEqual(carried);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
