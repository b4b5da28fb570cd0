import { describe, expect, it } from 'vitest';
import { asSystem } from '../../../../src/commands/bus.js';
import { Retention } from '../../../../src/commands/reactors/traffic/retention.js';
import { planRollUp, rollUpSteps } from '../../../../src/commands/reactors/traffic/roll-up.js';
import { heldFrom } from '../../../../src/events/personal-data/hold-document.js';
import { clientAdded, clientNumber, DAY, draft, HOUR, inboundAdded, T0, traffic } from '../../../kit/builders.js';
import { busOver, TestLog } from '../../../kit/log.js';

function setup() {
  const journal = new TestLog();
  journal.append(inboundAdded(), ...Array.from({ length: 400 }, (_, i) => added(i + 1)));
  const bus = busOver(journal.log, journal.clock);
  const warnings: string[] = [];
  const retention = new Retention({
    log: journal.log,
    rolledTo: () => bus.state.rolledTo,
    hours: () => 48,
    heldFrom: (since) => heldFrom(bus.state.holds, since),
    dispatch: (command) => bus.dispatch(command, asSystem('retention')),
    now: journal.clock.now,
    warn: (text) => warnings.push(text),
  });
  return { journal, bus, retention, warnings };
}

const added = (n: number) => clientAdded(draft(`client-${n}`, n), clientNumber(n));

describe('the retention', () => {
  it('erases many deleted clients with several commands, and all of them', async () => {
    const { journal, bus, retention, warnings } = setup();
    bus.must({ type: 'DeleteClients', data: { clients: [...bus.state.clients.keys()] } });
    journal.clock.advance(31 * DAY);
    const batches: number[] = [];
    journal.log.appended$.subscribe((events) =>
      batches.push(events.filter(({ type }) => type === 'DataKeyDestroyed').length),
    );
    expect(await retention.run()).toBe(HOUR);
    expect(batches).toStrictEqual(Array(8).fill(100));
    expect(bus.state.erasable.size).toBe(0);
    expect(warnings).toStrictEqual([]);
    await retention.end();
  });

  it('rolls up while events are appended, as if it had been at once', async () => {
    const { journal, bus, retention } = setup();
    const used = (n: number) => traffic({ run: 'r1', clients: Array.from({ length: 400 }, (_, i) => [i + 1, n, n]) });
    for (let n = 1; n <= 200; n += 1) journal.append(used(n));
    journal.clock.advance(49 * HOUR);
    const expected = planRollUp(journal.log, 0, T0 + HOUR, journal.clock.now());
    const steps = rollUpSteps(journal.log, 0, T0 + HOUR, journal.clock.now());
    let planned: unknown;
    for (let step = steps.next(); ; step = steps.next()) {
      planned = step.value;
      if (step.done) break;
      journal.append(used(7));
    }
    expect(planned).toStrictEqual(expected);
    expect(await retention.run()).toBe(1000);
    expect(bus.state.rolledTo).toBe(601);
    await retention.end();
  });

  it('stops between two slices', async () => {
    const { journal, bus, retention } = setup();
    journal.append(traffic({ run: 'r1', clients: [[1, 1, 1]] }));
    journal.clock.advance(49 * HOUR);
    await retention.end();
    await expect(retention.run()).rejects.toThrow();
    expect(bus.state.rolledTo).toBe(0);
  });
});
