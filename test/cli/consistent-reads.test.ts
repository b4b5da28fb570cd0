import { describe, expect, it } from 'vitest';
import { openToRead } from '../../src/cli/reading.js';
import { planRollUp } from '../../src/commands/reactors/traffic/roll-up.js';
import { verifyLog } from '../../src/store/verify.js';
import { clientAdded, first, HOUR, inboundAdded, traffic } from '../kit/builders.js';
import { busOver, readAll, TestLog } from '../kit/log.js';

/** More than a page of measurements. */
const POLLS = 2500;

function busy() {
  const own = new TestLog();
  own.append(inboundAdded(), clientAdded());
  own.append(...Array.from({ length: POLLS }, () => traffic({ clients: [[first, 1, 0]] })));
  const { must } = busOver(own.log, own.clock);
  own.clock.advance(HOUR);
  const rollUp = (): void => {
    const now = own.clock.now();
    must(planRollUp(own.log, own.log.rolledTo, now, now) ?? expect.fail('there is nothing to roll up'));
  };
  return { own, rollUp };
}

const bytesIn = (events: ReturnType<typeof readAll>): number =>
  events.reduce((sum, event) => sum + (event.type === 'TrafficRecorded' ? (event.data.clients[0]?.[1] ?? 0) : 0), 0);

describe('a reader beside a panel that rolls up', () => {
  it('counts nothing twice: all pages are from one point in time', () => {
    const { own, rollUp } = busy();
    const { log } = openToRead(own.directory.root);
    try {
      const some = log.read(0, 1000);
      rollUp();
      const rest = readAll({ read: (position, limit) => log.read(Math.max(position, 1000), limit) });
      expect(bytesIn([...some, ...rest])).toBe(POLLS);
    } finally {
      log.close();
    }
    expect(bytesIn(own.all())).toBe(POLLS);
  });

  it('verifies the events that existed when it started', () => {
    const { own, rollUp } = busy();
    const { log } = openToRead(own.directory.root);
    let pages = 0;
    const verdict = verifyLog(log, () => {
      pages += 1;
      if (pages === 1) rollUp();
    });
    log.close();
    expect(verdict).toMatchObject({ events: POLLS + 2, pruned: 0, fault: null });
    const after = openToRead(own.directory.root);
    expect(verifyLog(after.log)).toMatchObject({ pruned: POLLS, fault: null });
    after.log.close();
  });

  it('that follows reads each page at one point in time, and later events with the next', () => {
    const { own, rollUp } = busy();
    const { log } = openToRead(own.directory.root, { live: true });
    try {
      const [some, rest] = log.stored.inSnapshot(() => {
        const page = log.read(0, 1000);
        rollUp();
        return [page, readAll({ read: (position, limit) => log.read(Math.max(position, 1000), limit) })];
      });
      expect(bytesIn([...some, ...rest])).toBe(POLLS);
      expect(log.stored.inSnapshot(() => log.read(POLLS + 2, 10))).toMatchObject([{ type: 'MeasurementsRolledUp' }]);
    } finally {
      log.close();
    }
  });
});
