import { array, asyncProperty, boolean, assert as check, constantFrom, nat, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedInbound, SeenCounter } from '../../../../src/commands/ports/remote-panel.js';
import { observe } from '../../../../src/commands/reactors/nodes/read-counters.js';
import type { DesiredInbound } from '../../../../src/events/node/desired-state.js';
import { type CounterBaseline, untested } from '../../../../src/events/node/node-sync.js';
import { clientNumber, inboundId, T0 } from '../../../kit/builders.js';

type Sums = 'adds up' | 'keeps the other';
const zero: SeenCounter = { up: 0, down: 0, allTime: 0 };
const at = (up: number): CounterBaseline => ({ up, down: 0, allTime: up, marks: [], high: 0 });

/** A node with clients 1, 2, … each in an inbound of its own, and a centre that follows it. */
class Model {
  readonly names = new Map<number, string>();
  readonly counters = new Map<string, number>();
  readonly followed = new Map<number, CounterBaseline>();
  readonly credited = new Map<number, number>();
  carried = 0;
  readonly #sums: Sums;

  constructor(sums: Sums, names: readonly string[]) {
    this.#sums = sums;
    for (const [i, name] of names.entries()) this.add(i + 1, name);
  }

  add(number: number, name: string): void {
    this.names.set(number, name);
    this.counters.set(name, this.counters.get(name) ?? 0);
  }

  flow(name: string, bytes: number): void {
    this.counters.set(name, (this.counters.get(name) ?? 0) + bytes);
    this.carried += bytes;
  }

  /** The counter of an email stays with its clients; a client that was its only one takes it along or loses it. */
  rename(number: number, to: string): void {
    const from = this.names.get(number);
    if (from === undefined || from === to) return;
    const taken = [...this.names.values()].includes(to);
    this.names.set(number, to);
    const followed = this.followed.get(number);
    if (followed)
      this.followed.set(number, { ...followed, marks: [...new Set([...followed.marks, 'renamed' as const])] });
    const alone = ![...this.names.values()].includes(from);
    const brought = alone && (!taken || this.#sums === 'adds up') ? (this.counters.get(from) ?? 0) : 0;
    this.counters.set(to, (taken ? (this.counters.get(to) ?? 0) : 0) + brought);
    if (alone) this.counters.delete(from);
  }

  remove(number: number): void {
    this.names.delete(number);
    this.followed.delete(number);
  }

  async read(): Promise<void> {
    const numbers = [...this.names.keys()].sort((a, b) => a - b);
    const { traffic, newClients } = await observe(
      numbers.map((number) => this.#wanted(number)),
      { inbounds: numbers.map((number) => this.#listed(number)), unreadable: [] },
      {
        ...{ sent: [], allowed: () => 1e12, now: T0 },
        client: (number) => this.followed.get(number),
        // It has counted before, and nothing since.
        inbound: () => at(1),
      },
    );
    for (const number of [...newClients.values()].flat())
      this.followed.set(number, { ...zero, marks: untested, high: 0 });
    const rows = traffic.flatMap(({ clients }) => clients);
    for (const [number, up, down, seenUp, seenDown, allTime, marks, high] of rows) {
      this.followed.set(number, { up: seenUp, down: seenDown, allTime, marks, high });
      this.credited.set(number, (this.credited.get(number) ?? 0) + up + down);
    }
  }

  get sum(): number {
    return [...this.credited.values()].reduce((a, b) => a + b, 0);
  }

  #wanted(number: number): DesiredInbound {
    const email = this.names.get(number) ?? '';
    const client = {
      number: clientNumber(number),
      email,
      enabled: true,
      capBytes: 0,
      digest: '',
      credential: '',
      text: '',
    };
    return {
      ...{ id: inboundId(number), tag: `in-${number}`, protocol: 'vless', port: number, enabled: true, capBytes: 0 },
      ...{ digest: '', members: { settings: '{}' }, clients: [client] },
    };
  }

  #listed(number: number): ListedInbound {
    const name = this.names.get(number) ?? '';
    const bytes = Float64Array.of(this.counters.get(name) ?? 0);
    const clients = {
      ...{
        emails: [name],
        keys: [''],
        digests: [''],
        credentials: [''],
        marks: [number],
        raws: [''],
        open: Uint8Array.of(1),
        counted: Uint8Array.of(1),
      },
      ...{ up: bytes, down: Float64Array.of(0), allTime: bytes, lastOnline: Float64Array.of(0) },
    };
    return {
      ...{ id: number, tag: `in-${number}`, protocol: 'vless', port: number, enabled: true, digest: '', mark: number },
      ...{ counter: at(1), clients },
    };
  }
}

describe('a counter of a node that several clients share', () => {
  it.each<Sums>(['adds up', 'keeps the other'])('is followed for all of them where the node %s', async (sums) => {
    const node = new Model(sums, ['bert', 'anna']);
    await node.read();
    node.flow('anna', 1000);
    node.flow('bert', 100);
    await node.read();
    node.rename(1, 'anna');
    node.flow('anna', 50);
    await node.read();
    expect([...node.credited]).toStrictEqual([
      [1, 150],
      [2, 1000],
    ]);
    expect(node.followed.get(1)).toStrictEqual(node.followed.get(2));
    node.remove(1);
    node.flow('anna', 7);
    await node.read();
    expect(node.credited.get(2)).toBe(1007);
  });

  it('starts at zero for all of them, also for one that joins later', async () => {
    const node = new Model('adds up', ['anna', 'anna']);
    await node.read();
    expect([...node.followed.keys()]).toStrictEqual([1, 2]);
    node.flow('anna', 5);
    await node.read();
    node.add(3, 'anna');
    await node.read();
    node.remove(1);
    node.remove(2);
    node.flow('anna', 2);
    await node.read();
    expect([...node.credited]).toStrictEqual([
      [1, 5],
      [2, 0],
      [3, 2],
    ]);
  });

  const name = constantFrom('a', 'b', 'c');
  const step = record({
    number: nat(3),
    name,
    what: constantFrom('flow', 'flow', 'rename', 'rename', 'remove', 'add'),
    flows: array(name, { maxLength: 3 }),
    quiet: boolean(),
  });

  it('credits no byte twice when clients join and leave, and every byte if none flows meanwhile', async () => {
    await check(
      asyncProperty(
        constantFrom<Sums>('adds up', 'keeps the other'),
        array(step, { maxLength: 12 }),
        async (sums, steps) => {
          const node = new Model(sums, ['a', 'b', 'c']);
          await node.read();
          let isQuiet = true;
          // Each flow has a size of its own, so that no sum of some is that of others.
          let bytes = 1;
          for (const { number, what, name: to, flows, quiet } of steps) {
            const one = number + 1;
            if (what === 'rename') node.rename(one, to);
            if (what === 'remove') node.remove(one);
            if (what === 'add' && !node.names.has(one)) node.add(one, to);
            if (what !== 'flow' && quiet) await node.read();
            else if (what !== 'flow' && flows.length > 0) isQuiet = false;
            for (const other of flows.filter((flow) => [...node.names.values()].includes(flow))) {
              node.flow(other, bytes);
              bytes *= 2;
            }
            await node.read();
            expect(node.sum).toBeLessThanOrEqual(node.carried);
          }
          if (isQuiet) expect(node.sum).toBe(node.carried);
        },
      ),
      { numRuns: 120 },
    );
  });
});
