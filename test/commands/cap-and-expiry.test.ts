import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { depletionOf } from '../../src/commands/client/limits.js';
import { type PanelState, panelState } from '../../src/commands/state.js';
import { ClientDepleted } from '../../src/events/client/client.js';
import { type Depletion, InboundDepleted } from '../../src/events/inbound/inbound.js';
import { begin, catchUp } from '../../src/events/log/replay.js';
import { type Counter, zero } from '../../src/events/traffic/counters.js';
import { clientAdded, DAY, draft, first, HOUR, inboundAdded, inboundDraft, one, T0, traffic } from '../kit/builders.js';
import { busOver, TestLog } from '../kit/log.js';

interface Rules {
  readonly capBytes: number;
  readonly expiresAt: number;
  readonly renewalDays?: number;
}
interface Limited {
  readonly depletion: Depletion | null;
  readonly rules: Rules;
  readonly used: Counter;
}
const CAP = { reason: 'cap', usedBytes: 200, capBytes: 100 } as const;
const EXPIRY = { reason: 'expiry', expiresAt: T0 - HOUR } as const;
const BOTH: Rules = { capBytes: 100, expiresAt: T0 - HOUR };
const poll: AnyCommand = { type: 'DepleteExpired', data: {} };
const grown = (clients: number, inbounds: number): AnyCommand => ({
  type: 'RecordTraffic',
  data: {
    ...{ run: 'r1', outbounds: [] },
    clients: clients > 0 ? [[1, clients, 0]] : [],
    inbounds: inbounds > 0 ? [[1, inbounds, 0]] : [],
  },
});

/** The same operations for a client and for an inbound. */
const kinds = {
  client: {
    past: (rules: Rules) => [
      inboundAdded(),
      clientAdded(draft('alice', 1, { spec: rules })),
      traffic({ clients: [[first, 200, 0]] }),
    ],
    out: (depletion: Depletion) => ClientDepleted({ client: first, depletion }),
    change: (rules: Rules): AnyCommand => ({
      type: 'UpdateClient',
      data: { inbound: one, client: { email: 'alice' }, draft: draft('alice', 1, { spec: rules }) },
    }),
    reset: { type: 'ResetClientTraffic', data: { inbound: null, email: 'alice' } } as AnyCommand,
    uses: (bytes: number) => grown(bytes, 0),
    limitedOf: ({ clients, counters }: PanelState): Limited => {
      const { depletion = null, spec: rules = { capBytes: 0, expiresAt: 0 } } = clients.get(first) ?? {};
      return { depletion, rules, used: counters.clients.get(first) ?? zero };
    },
  },
  inbound: {
    past: (rules: Rules) => [
      inboundAdded({ spec: { capBytes: rules.capBytes, expiresAt: rules.expiresAt } }),
      clientAdded(),
      traffic({ inbounds: [[one, 200, 0]] }),
    ],
    out: (depletion: Depletion) => InboundDepleted({ inbound: one, depletion }),
    change: ({ capBytes, expiresAt }: Rules): AnyCommand => ({
      type: 'UpdateInbound',
      data: { inbound: one, ...inboundDraft({ spec: { capBytes, expiresAt }, clients: [draft('alice', 1)] }) },
    }),
    reset: { type: 'ResetInboundTraffic', data: { inbound: one } } as AnyCommand,
    uses: (bytes: number) => grown(0, bytes),
    limitedOf: ({ inbounds, counters }: PanelState): Limited => {
      const { depletion = null, capBytes = 0, expiresAt = 0 } = inbounds.get(one) ?? {};
      return { depletion, rules: { capBytes, expiresAt }, used: counters.inbounds.get(one) ?? zero };
    },
  },
} as const;

describe.each(Object.entries(kinds))(
  'a %s with a cap and an expiry',
  (_, { past, out, change, reset, uses, limitedOf }) => {
    /** Has reached its cap, is past its expiry, and was depleted by one of them. */
    function shutOut(recorded: Depletion | null, rules = BOTH) {
      const journal = new TestLog();
      journal.append(...past(rules), ...(recorded ? [out(recorded)] : []));
      const { must, state } = busOver(journal.log, journal.clock);
      /** The depletions that a command records; `null` is a reactivation. */
      const said = (command: AnyCommand): readonly (Depletion | null)[] =>
        must(command).flatMap(({ type, data }) => {
          if (type === 'ClientDepleted' || type === 'InboundDepleted') return [data.depletion];
          return type === 'ClientReactivated' || type === 'InboundReactivated' ? [null] : [];
        });
      return { journal, state, said };
    }

    it.each<readonly [string, Depletion, AnyCommand, Depletion]>([
      ['its cap is removed', CAP, change({ ...BOTH, capBytes: 0 }), EXPIRY],
      ['its cap is raised above what it used', CAP, change({ ...BOTH, capBytes: 201 }), EXPIRY],
      ['its traffic is reset', CAP, reset, EXPIRY],
      ['its expiry is removed', EXPIRY, change({ ...BOTH, expiresAt: 0 }), CAP],
      ['its expiry is in the future', EXPIRY, change({ ...BOTH, expiresAt: T0 + DAY }), CAP],
      [
        'its expiry is another one in the past',
        EXPIRY,
        change({ ...BOTH, expiresAt: T0 - 1 }),
        { ...EXPIRY, expiresAt: T0 - 1 },
      ],
    ])(
      'is depleted by the remaining limit when %s, without being reactivated in between',
      (_what, recorded, command, left) => {
        const { said, state } = shutOut(recorded);
        expect(said(command)).toStrictEqual([left]);
        expect(limitedOf(state).depletion).toStrictEqual(left);
        expect(said(poll)).toStrictEqual([]);
      },
    );

    it('is depleted by a new cap that is reached too', () => {
      const rules = { capBytes: 100, expiresAt: T0 + DAY };
      const { said } = shutOut(CAP, rules);
      expect(said(poll)).toStrictEqual([]);
      expect(said(change({ ...rules, capBytes: 150 }))).toStrictEqual([{ ...CAP, capBytes: 150 }]);
    });

    it('has its expiry recorded although its cap is reached, so that setting the clock back undoes neither', () => {
      const { said, state, journal } = shutOut(CAP);
      expect(said(poll)).toStrictEqual([EXPIRY]);
      journal.clock.advance(-DAY);
      for (const command of [poll, reset, change({ ...BOTH, capBytes: 0 }), poll])
        expect(said(command)).toStrictEqual([]);
      expect(limitedOf(state).depletion).toStrictEqual(EXPIRY);
      expect(said(change({ capBytes: 0, expiresAt: T0 - HOUR + 1 }))).toStrictEqual([null]);
    });

    it.each<readonly [string, Depletion, AnyCommand, AnyCommand]>([
      ['its cap and then its expiry', CAP, change({ ...BOTH, capBytes: 0 }), change({ capBytes: 0, expiresAt: 0 })],
      ['its traffic and then its expiry', CAP, reset, change({ ...BOTH, expiresAt: T0 + DAY })],
      ['its expiry and then its cap', EXPIRY, change({ ...BOTH, expiresAt: 0 }), change({ capBytes: 0, expiresAt: 0 })],
      ['its expiry and then its traffic', EXPIRY, change({ ...BOTH, expiresAt: T0 + DAY }), reset],
    ])('is reactivated only after a change of %s', (_what, recorded, once, again) => {
      const { said, state } = shutOut(recorded);
      expect(said(once)).not.toContain(null);
      expect(said(again)).toStrictEqual([null]);
      expect(limitedOf(state).depletion).toBeNull();
    });

    it.each<readonly [string, Depletion, Rules, Depletion]>([
      ['a cap that is gone', CAP, { ...BOTH, capBytes: 0 }, EXPIRY],
      ['an expiry that is gone', EXPIRY, { ...BOTH, expiresAt: 0 }, CAP],
    ])('gets the reason that applies at the next poll if an older log names %s', (_what, stale, rules, left) => {
      const { said } = shutOut(stale, rules);
      expect(said(poll)).toStrictEqual([left]);
      expect(said(poll)).toStrictEqual([]);
    });

    it('is not reactivated by a poll if an older log names a limit that no longer exists', () => {
      const { said, state } = shutOut(CAP, { capBytes: 0, expiresAt: 0 });
      expect(said(poll)).toStrictEqual([]);
      expect(limitedOf(state).depletion).toStrictEqual(CAP);
    });

    it('has a reason that applies after any history, and the same one after a replay', () => {
      const rules = fc.record({
        capBytes: fc.constantFrom(0, 100, 300),
        expiresAt: fc.constantFrom(0, T0 - HOUR, T0 + HOUR, T0 + 5 * HOUR),
      });
      let latest = 0;
      const steps = fc.oneof(
        rules.map(change),
        fc.constant(reset),
        fc.constantFrom(50, 150, 300).map(uses),
        fc.constantFrom('an hour' as const, 'an hour back' as const),
      );
      fc.assert(
        fc.property(rules, fc.array(steps, { minLength: 1, maxLength: 12 }), (before, some) => {
          const { journal, state, said } = shutOut(null, before);
          latest = journal.clock.now();
          said(poll);
          for (const step of some) {
            const expired = limitedOf(state).depletion;
            if (step === 'an hour') journal.clock.advance(HOUR);
            else if (step === 'an hour back') journal.clock.advance(-HOUR);
            else {
              said(step);
              hasTrueReason(limitedOf(state), journal.clock.now(), latest, false);
            }
            latest = Math.max(latest, journal.clock.now());
            said(poll);
            hasTrueReason(limitedOf(state), journal.clock.now(), latest, true);
            expect(said(poll)).toStrictEqual([]);
            // After its expiry, only another expiry reactivates it.
            if (expired?.reason === 'expiry' && limitedOf(state).rules.expiresAt === expired.expiresAt)
              expect(limitedOf(state).depletion).toStrictEqual(expired);
          }
          const again = begin(panelState);
          catchUp(journal.log, [again]);
          expect(limitedOf(again.state)).toStrictEqual(limitedOf(state));
        }),
        { numRuns: 60 },
      );
    });
  },
);

/** A recorded depletion applies now or did at the latest time of the clock; after a poll each one is recorded. */
function hasTrueReason({ depletion, rules, used }: Limited, now: number, latest: number, polled: boolean): void {
  const found = depletionOf(rules.capBytes, rules.expiresAt, used, now);
  if (depletion?.reason === 'cap') {
    expect(depletion.capBytes).toBe(rules.capBytes);
    expect(used.up + used.down).toBeGreaterThanOrEqual(rules.capBytes);
  } else if (depletion) {
    expect(depletion.expiresAt).toBe(rules.expiresAt);
    expect(depletion.expiresAt).toBeLessThanOrEqual(latest);
  } else if (polled && found?.reason === 'expiry') expect.fail('it is past its expiry, and nothing says so');
}

describe('a client with automatic renewal', () => {
  it('is not depleted by its expiry when its cap has depleted it: the renewal reactivates it', () => {
    const rules = { ...BOTH, renewalDays: 30 };
    const { past, out, reset } = kinds.client;
    const journal = new TestLog();
    journal.append(...past(rules), out(CAP));
    const { must, state } = busOver(journal.log, journal.clock);
    expect(must(reset).map(({ type }) => type)).toStrictEqual(['ClientTrafficReset']);
    expect(must(poll)).toStrictEqual([]);
    expect(must({ type: 'BeginPeriods', data: {} }).map(({ type }) => type)).toStrictEqual([
      'ClientRenewed',
      'ClientReactivated',
    ]);
    expect(state.clients.get(first)?.depletion).toBeNull();
  });
});
