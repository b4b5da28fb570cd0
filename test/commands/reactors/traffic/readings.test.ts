import { describe, expect, it } from 'vitest';
import {
  type Baselines,
  type Reading,
  readingOf,
  recordingOf,
  sentOf,
} from '../../../../src/commands/reactors/traffic/readings.js';
import { CoreStarted } from '../../../../src/events/core.js';
import { CounterTable } from '../../../../src/events/traffic/counter-table.js';
import { TrafficRecorded } from '../../../../src/events/traffic/traffic.js';
import { baselines, baselinesOf, counterOwner, tagsToPassOn } from '../../../../src/projections/core/baselines.js';
import { inboundAdded } from '../../../kit/builders.js';
import { folded } from '../../../kit/spec.js';

const started = (machine: string, run: string) => CoreStarted({ run, version: '26', reason: 'start', machine });
const recorded = (run: string, up: number) =>
  TrafficRecorded({ run, clients: [[1, up, 0]], inbounds: [[1, up, 0]], outbounds: [] });
const past = [inboundAdded(), started('north', 'r1'), started('south', 'r2')] as const;

/** What a log has of the core of `south`. */
function known(...events: Parameters<typeof folded>[1][]): Baselines {
  const found = baselinesOf(folded(baselines, ...past, ...events), 'south');
  return { ...found, ownerOf: (tag) => counterOwner(found, tag), toPassOn: () => tagsToPassOn(found) };
}

const reading = (run: string, up: number): Reading => ({
  run,
  counters: {
    clients: CounterTable.of([[1, { up, down: 0 }]]),
    inbounds: new Map([['in-1', { up, down: 0 }]]),
    outbounds: new Map(),
  },
  released: [],
});
const sent = (up: number, before = known()) => {
  const found = sentOf(reading('r2', up), before);
  if (found === null) throw new Error('nothing is sent');
  return readingOf(found);
};
const growth = (up: number) => ({
  type: 'RecordTraffic',
  data: { run: 'r2', clients: [[1, up, 0]], inbounds: [[1, up, 0]], outbounds: [], passedOn: [] },
});

describe('the counters that a machine sends', () => {
  it('are recorded once, however often and in which order they arrive', () => {
    expect(recordingOf(sent(7), known())).toStrictEqual(growth(7));
    expect(recordingOf(sent(7), known(recorded('r2', 7)))).toBeNull();
    expect(recordingOf(sent(3), known(recorded('r2', 7)))).toBeNull();
    expect(recordingOf(sent(9), known(recorded('r2', 7)))).toStrictEqual(growth(2));
  });

  it('have what the log of a new leader lacks, although an earlier leader had recorded it', () => {
    expect(recordingOf(sent(9), known())).toStrictEqual(growth(9));
  });

  it('are apart from those of other machines', () => {
    expect(recordingOf(sent(9), known(recorded('r1', 100)))).toStrictEqual(growth(9));
  });

  it('count nothing for a run that is not the last one of the machine', () => {
    expect(recordingOf(sent(9), known(started('south', 'r3')))).toBeNull();
  });

  it('are not sent when the log has them', () => {
    expect(sentOf(reading('r2', 7), known(recorded('r2', 7)))).toBeNull();
  });

  it('continue when a panel joins a cluster, or leaves it, with its core running', () => {
    const before = known(recorded('r2', 7), CoreStarted({ run: 'r2', version: '26', reason: 'adopted' }));
    expect(before.run).toBeNull();
    const back = known(
      recorded('r2', 7),
      CoreStarted({ run: 'r2', version: '26', reason: 'adopted' }),
      started('south', 'r2'),
    );
    expect(recordingOf(sent(9), back)).toStrictEqual(growth(2));
  });
});
