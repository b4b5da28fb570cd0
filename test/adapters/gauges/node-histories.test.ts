import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RingNodeHistories } from '../../../src/adapters/gauges/node-histories.js';
import { NodeId } from '../../../src/events/ids.js';
import { T0 } from '../../kit/builders.js';
import { Clock } from '../../kit/clock.js';
import { temporaryFolder } from '../../kit/log.js';

const [one, two] = [NodeId.parse(1), NodeId.parse(2)];

function place() {
  const file = join(temporaryFolder(), 'node-gauges.bin');
  const clock = new Clock(Math.ceil(T0 / 300_000) * 300_000);
  const warnings: string[] = [];
  const open = (...known: number[]): RingNodeHistories => {
    const warn = (message: string): void => void warnings.push(message);
    const histories = new RingNodeHistories({ file, has: (node) => known.includes(node), now: clock.now, warn });
    histories.start();
    onTestFinished(() => histories.stop());
    return histories;
  };
  return { file, clock, warnings, open };
}

describe('the histories of nodes', () => {
  it('are exact means over buckets, for each node and metric', () => {
    const { clock, open } = place();
    const histories = open();
    const start = clock.now() / 1000;
    for (let n = 0; n < 12; n += 1) {
      histories.add(one, { cpu: n, mem: 50 });
      if (n === 0) histories.add(two, { cpu: 99, mem: 1 });
      clock.advance(5000);
    }
    expect(histories.history(one, 'cpu', 30)).toEqual([
      { t: start, v: 2.5 },
      { t: start + 30, v: 8.5 },
    ]);
    expect(histories.history(one, 'mem', 60)).toEqual([{ t: start, v: 50 }]);
    expect(histories.history(two, 'cpu', 300)).toEqual([{ t: start, v: 99 }]);
    expect(histories.history(NodeId.parse(3), 'cpu', 2)).toEqual([]);
  });

  it('have the waiting changes of a node that does not answer, and gaps in the rest', () => {
    const { clock, open } = place();
    const histories = open();
    const start = clock.now() / 1000;
    histories.add(one, { cpu: 10, mem: 20, latency: 40, lag: 0 });
    clock.advance(30_000);
    histories.add(one, { lag: 3 });
    expect(histories.history(one, 'lag', 30)).toEqual([
      { t: start, v: 0 },
      { t: start + 30, v: 3 },
    ]);
    for (const [metric, v] of [
      ['cpu', 10],
      ['mem', 20],
      ['latency', 40],
    ] as const)
      expect(histories.history(one, metric, 30)).toEqual([{ t: start, v }]);
  });

  it('end six hours ago, even without a newer value', () => {
    const { clock, open } = place();
    const histories = open();
    histories.add(one, { cpu: 1, mem: 1 });
    clock.advance(5 * 3_600_000);
    expect(histories.history(one, 'cpu', 300)).toHaveLength(1);
    clock.advance(3_600_000 + 300_000);
    expect(histories.history(one, 'cpu', 300)).toEqual([]);
  });

  it('survive a restart, except for deleted nodes', async () => {
    const { clock, open, warnings } = place();
    const before = open();
    before.add(one, { cpu: 7, mem: 8 });
    before.add(two, { cpu: 9, mem: 9 });
    await before.stop();
    clock.advance(10_000);
    const after = open(1);
    expect(after.history(one, 'mem', 2).map(({ v }) => v)).toEqual([8]);
    expect(after.history(two, 'mem', 2)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('are stored completely when they are long', async () => {
    const { clock, open } = place();
    const before = open();
    for (let n = 0; n < 4000; n += 1) {
      before.add(one, { cpu: n % 100, mem: 1 });
      clock.advance(5000);
    }
    const told = before.history(one, 'cpu', 2);
    await before.stop();
    expect(told.length).toBe(4000);
    expect(open(1).history(one, 'cpu', 2)).toEqual(told);
  });

  it('start again after an invalid file, with a warning', async () => {
    const { file, open, warnings } = place();
    writeFileSync(file, 'something else');
    const histories = open(1);
    histories.add(one, { cpu: 1, mem: 1 });
    expect(warnings).toEqual(['the histories of the nodes start empty: their file was not written by this panel']);
    await histories.stop();
    expect(readFileSync(file, 'latin1').startsWith('portolan gauges')).toBe(true);
  });

  it('of a node are deleted with it', () => {
    const histories = place().open();
    histories.add(one, { cpu: 1, mem: 1 });
    histories.forget(one);
    expect(histories.history(one, 'cpu', 2)).toEqual([]);
  });
});
