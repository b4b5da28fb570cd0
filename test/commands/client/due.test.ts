import { array, assert as check, constantFrom, property, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { clientDepletionEvents } from '../../../src/commands/client/client-rules.js';
import { renewsItself } from '../../../src/commands/client/limits.js';
import { clientsDue } from '../../../src/commands/client/renewal.js';
import { usedBy } from '../../../src/commands/client/siblings.js';
import { type PanelState, panelState } from '../../../src/commands/state.js';
import type { PanelEvent } from '../../../src/events/catalog.js';
import type { Client } from '../../../src/events/client/client-document.js';
import { begin, catchUp } from '../../../src/events/log/replay.js';
import { clientAdded, clientNumber, DAY, draft, inboundAdded, T0 } from '../../kit/builders.js';
import { History, playedLogs, steps } from '../../kit/history/history.js';
import { busOver } from '../../kit/log.js';

const added = (i: number) =>
  clientAdded(
    draft(`seed-${i}`, 50 + i, {
      spec: { expiresAt: i % 4 === 3 ? 0 : T0 + i * 7 * DAY, renewalDays: i % 3 === 0 ? 30 : 0, capBytes: 500 },
    }),
    clientNumber(i + 1),
  );

const isOver = ({ spec }: Client, now: number): boolean => spec.expiresAt > 0 && spec.expiresAt <= now;

/** What is recorded about these clients when time has passed. */
function depletions(state: PanelState, clients: readonly Client[], now: number): readonly PanelEvent[] {
  const events = clients.flatMap((client) => clientDepletionEvents(client, usedBy(state, client), now));
  return events.filter(({ type }) => type === 'ClientDepleted');
}

it('clients that are due are those that a scan of all clients finds', () => {
  const open = playedLogs();
  let [depleted, renewed] = [0, 0];
  check(
    property(array(tuple(steps(60), constantFrom(0, 1, 40, -2)), { minLength: 1, maxLength: 4 }), (pieces) => {
      const { journal } = open();
      journal.append(inboundAdded(), ...Array.from({ length: 12 }, (_, i) => added(i)));
      const bus = busOver(journal.log, journal.clock);
      const player = new History(bus, journal.log);
      for (const [history, days] of pieces) {
        player.play(history);
        journal.clock.advance(days * DAY);
        const { state } = bus;
        for (const now of [bus.clock.now(), bus.clock.now() + 2 * DAY, bus.clock.now() + 90 * DAY]) {
          const all = [...state.clients.values()];
          const due = clientsDue(state, now);
          const found = depletions(state, due, now);
          expect(found).toStrictEqual(
            depletions(
              state,
              all.filter((client) => client.depletion !== null || isOver(client, now)),
              now,
            ),
          );
          const renewing = due.filter((client) => renewsItself(client) && isOver(client, now));
          expect(renewing).toStrictEqual(all.filter((client) => renewsItself(client) && isOver(client, now)));
          depleted += found.length;
          renewed += renewing.length;
        }
      }
      const replayed = begin(panelState);
      catchUp(journal.log, [replayed]);
      const later = bus.clock.now() + 90 * DAY;
      expect(clientsDue(replayed.state, later)).toStrictEqual(clientsDue(bus.state, later));
      const loaded = panelState.load?.(panelState.save?.(bus.state) as never);
      expect(loaded && clientsDue(loaded, later)).toStrictEqual(clientsDue(bus.state, later));
      journal.log.close();
    }),
    { numRuns: 60 },
  );
  expect(depleted).toBeGreaterThan(50);
  expect(renewed).toBeGreaterThan(20);
});
