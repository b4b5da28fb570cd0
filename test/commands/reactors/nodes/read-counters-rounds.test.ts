import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { clientSpec, draft, HOUR } from '../../../kit/builders.js';
import { alice, bob, nodeOne, withPortolan, withXui } from './kit.js';

const MOST = 1e15;
const notesOf = (events: readonly RecordedEvent[]) =>
  events.flatMap((event) => (event.type === 'NodeTrafficRecorded' ? event.data.anomalies : []));
const capped = (name: string, n: number, capBytes: number) => draft(name, n, { spec: { ...clientSpec({ capBytes }) } });
function bound<T>(document: T | undefined): T {
  if (!document) throw new Error('it is not there');
  return document;
}
const isReset = (line: string): boolean => line.includes('reset');

describe('the growth of a node counter after a gap', () => {
  it('is limited to what can flow since the last recorded reading', async () => {
    const { addInbound, round, roundOfNewLife, xui, used, clock } = await withXui();
    addInbound([alice]);
    await round();
    xui.count('in-1', 'alice', 0, 3000);
    await round();
    clock.advance(10_000);
    xui.count('in-1', 'alice', 0, MOST);
    expect(notesOf(await roundOfNewLife())).toStrictEqual([
      ['client', 1, 'implausible'],
      ['inbound', 1, 'implausible'],
    ]);
    expect(used('alice')).toBe(3000);
  });

  it('is credited in full if it can have flowed, also after a restart', async () => {
    const { addInbound, round, roundOfNewLife, xui, used, clock } = await withXui();
    addInbound([alice]);
    await round();
    clock.advance(HOUR);
    xui.count('in-1', 'alice', 0, 3e12);
    expect(notesOf(await roundOfNewLife())).toStrictEqual([]);
    expect(used('alice')).toBe(3e12);
  });

  it('has a burst of half a minute only once, however often it is read', async () => {
    const { addInbound, round, roundOfNewLife, xui, used, clock } = await withXui();
    addInbound([alice]);
    await round();
    for (let n = 0; n < 20; n += 1) {
      clock.advance(1000);
      xui.count('in-1', 'alice', 0, 37e9);
      await (n % 5 === 4 ? roundOfNewLife() : round());
    }
    expect(used('alice')).toBe(37e9);
    // Small readings are credited at once, and the rest as the allowance grows.
    xui.count('in-1', 'alice', 0, 1e6);
    await round();
    clock.advance(HOUR);
    xui.count('in-1', 'alice', 0, 3e12);
    expect([notesOf(await round()), used('alice')]).toStrictEqual([[], 37e9 + 1e6 + 3e12]);
  });

  it('has the same limit at a new address', async () => {
    const { addInbound, round, remote, must, identify, used } = await withPortolan();
    addInbound([alice]);
    await round();
    remote.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '1', reason: 'start' } });
    const flow = (up: number) => {
      const grown = [[1, up, 0]] as const;
      const data = { run: 'r', clients: grown, inbounds: grown, outbounds: [] };
      remote.given({ type: 'RecordTraffic', data });
    };
    flow(3000);
    await round();
    must({ type: 'UpdateNode', data: { node: nodeOne, changes: { host: 'localhost' }, token: 'node-token' } });
    identify('portolan', remote.read.identity.panelId);
    flow(MOST);
    expect(notesOf(await round())).toContainEqual(['client', 1, 'implausible']);
    flow(5);
    await round();
    expect(used('alice')).toBe(3005);
  });

  it('can be that of an hour in which only another inbound was readable', async () => {
    const { addInbound, round, xui, used, clock } = await withXui();
    addInbound([alice]);
    addInbound([bob], { spec: { port: 8443, tag: 'in-2' } });
    await round();
    const { streamSettings } = xui.byTag('in-1');
    xui.count('in-1', 'alice', 0, 3e12);
    xui.byTag('in-1').streamSettings = '{';
    clock.advance(HOUR);
    xui.count('in-2', 'bob', 0, 10);
    await round();
    clock.advance(1000);
    xui.byTag('in-1').streamSettings = streamSettings;
    expect(notesOf(await round())).toStrictEqual([]);
    expect([used('alice'), used('bob')]).toStrictEqual([3e12, 10]);
  });
});

describe('the traffic of the clients of a node', () => {
  it('counts to the byte, although the inbound counts almost nothing of small connections', async () => {
    const { addInbound, round, xui, used, read } = await withXui();
    const inbound = addInbound([alice, bob]);
    await round();
    const fetch = (n: number, bytes: number): void => {
      for (let i = 0; i < n; i += 1) xui.count('in-1', 'alice', 84, bytes);
    };
    fetch(60, 1000);
    expect(notesOf(await round())).toStrictEqual([]);
    expect(used('alice')).toBe(60 * 1084);
    for (const n of [1, 2]) {
      fetch(300, 7000);
      expect(notesOf(await round())).toStrictEqual([]);
      expect(used('alice')).toBe(60 * 1084 + n * 300 * 7084);
    }
    fetch(20, 20_000);
    await round();
    const { up, down } = xui.row('alice');
    expect(used('alice')).toBe(up + down);
    // The inbound is credited what it reported.
    const { up: wireUp, down: wireDown } = xui.byTag('in-1');
    expect([read.usage.inbound(bound(read.inbounds.get(inbound))), wireDown < down]).toStrictEqual([
      { up: wireUp, down: wireDown },
      true,
    ]);
  });

  it('does not include a counter that was added to itself', async () => {
    const { addInbound, round, xui, used } = await withXui();
    addInbound([alice, bob]);
    await round();
    xui.count('in-1', 'alice', 1_000_000, 5_000_000);
    await round();
    Object.assign(xui.row('alice'), { up: 2_000_000, down: 10_000_000, allTime: 12_000_000 });
    xui.count('in-1', 'bob', 500, 500);
    expect(notesOf(await round())).toStrictEqual([['client', 1, 'doubled']]);
    xui.count('in-1', 'alice', 7, 0);
    await round();
    expect([used('alice'), used('bob')]).toStrictEqual([6_000_007, 1000]);
  });

  it('does not count twice when a disk is lost and restored', async () => {
    const { addInbound, round, xui, used } = await withXui();
    addInbound([alice]);
    await round();
    xui.count('in-1', 'alice', 2020, 4040);
    await round();
    const kept = structuredClone(xui.row('alice'));
    Object.assign(xui.row('alice'), { up: 0, down: 0, allTime: 0 });
    expect(notesOf(await round())).toStrictEqual([['client', 1, 'decreased']]);
    Object.assign(xui.row('alice'), kept);
    xui.count('in-1', 'alice', 3, 4);
    expect(notesOf(await round())).toStrictEqual([['client', 1, 'recovered']]);
    expect(used('alice')).toBe(6067);
  });
});

describe('a node counter that is higher than the traffic recorded here', () => {
  it('is left alone while the node keeps the client enabled', async () => {
    const { addInbound, round, xui, used, asked } = await withXui();
    addInbound([capped('alice', 1, 2 * MOST), bob], { spec: { capBytes: 3 * MOST } });
    await round();
    asked();
    xui.count('in-1', 'alice', 0, MOST);
    expect(notesOf(await round())).toStrictEqual([
      ['client', 1, 'implausible'],
      ['inbound', 1, 'implausible'],
    ]);
    await round();
    expect([xui.row('alice').down, xui.byTag('in-1').down > 0]).toStrictEqual([MOST, true]);
    xui.count('in-1', 'alice', 0, 500);
    await round();
    expect([used('alice'), asked().filter(isReset)]).toStrictEqual([500, []]);
  });

  it('is reset once when the node has disabled a client that is within its cap', async () => {
    const { addInbound, round, xui, used, asked, appended } = await withXui();
    addInbound([capped('alice', 1, 1_000_000), bob]);
    await round();
    asked();
    xui.count('in-1', 'alice', 0, MOST);
    expect(xui.row('alice').enable).toBe(false);
    expect(notesOf(await round())).toContainEqual(['client', 1, 'depleted-on-node']);
    expect(asked().filter(isReset)).toStrictEqual([expect.stringMatching(/resetClientTraffic\/alice$/)]);
    expect(xui.row('alice')).toMatchObject({ enable: true, up: 0, down: 0 });
    xui.count('in-1', 'alice', 0, 700);
    await round();
    expect([used('alice'), notesOf(appended()), asked().filter(isReset)]).toStrictEqual([700, [], []]);
  });

  it('of an inbound is reset only when it has reached its cap', async () => {
    const { addInbound, round, xui, asked } = await withXui();
    addInbound([alice], { spec: { capBytes: 1_000_000 } });
    await round();
    asked();
    const inbound = xui.byTag('in-1');
    Object.assign(inbound, { up: 900_000, allTime: 5 });
    await round();
    expect([asked(), inbound.up]).toStrictEqual([[], 900_000]);
    Object.assign(inbound, { up: 1_000_000, enable: false });
    await round();
    expect([asked().filter(isReset), inbound.up, inbound.enable]).toStrictEqual([
      [expect.stringMatching(/resetTraffic$/)],
      0,
      true,
    ]);
  });
});
