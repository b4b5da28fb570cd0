import { describe, expect, it } from 'vitest';
import { draft } from '../../../kit/builders.js';
import { withPortolan } from './kit.js';

const anna = (n: number, name = 'anna') => draft(name, n, { identity: { subId: 'anna' } });

/** A node with two inbounds: client 1 in the first, client 2 in the second. */
async function withTwo(first: string, second: string) {
  const centre = await withPortolan();
  const { addInbound, round, remote, used } = centre;
  const one = addInbound([anna(1, first), draft('other', 8)]);
  const two = addInbound([anna(2, second), draft('others', 9)], { spec: { port: 8443, tag: 'in-2' } });
  await round();
  remote.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
  /** Only the client counter of the node grows, as with small connections. */
  const flow = async (...bytes: readonly (readonly [name: string, up: number])[]): Promise<number> => {
    const clients = bytes.map(([name, up]) => [remote.read.clients.firstByEmail(name)?.number ?? 0, up, 0] as const);
    remote.given({ type: 'RecordTraffic', data: { run: 'r', clients, inbounds: [], outbounds: [] } });
    await round();
    return used('anna');
  };
  return { ...centre, one, two, flow };
}

describe('the counter of one email in two inbounds of a node', () => {
  it('counts once when a lower number joins and is deleted later', async () => {
    const { one, edit, remove, used, flow } = await withTwo('bert', 'anna');
    expect([await flow(['anna', 1000], ['bert', 100]), used('bert')]).toStrictEqual([1000, 100]);
    edit(one, 'bert', anna(1));
    expect(await flow(['anna', 50], ['bert', 5])).toBe(1155);
    expect(await flow(['anna', 20])).toBe(1175);
    remove(one, 'anna');
    expect(await flow(['anna', 10])).toBe(1185);
    expect(await flow(['anna', 1])).toBe(1186);
  });

  it('counts once when the lowest number gets an email of its own', async () => {
    const { one, edit, used, flow } = await withTwo('anna', 'anna');
    expect(await flow(['anna', 1000])).toBe(1000);
    edit(one, 'anna', anna(1, 'bert'));
    expect(await flow(['anna', 10])).toBe(1010);
    await flow(['bert', 7]);
    expect([used('anna'), used('bert')]).toStrictEqual([1010, 7]);
  });

  it('counts from the first byte also for the other numbers', async () => {
    const { one, remove, flow } = await withTwo('anna', 'anna');
    remove(one, 'anna');
    expect(await flow(['anna', 10])).toBe(10);
  });
});
