import type { RecordedEvent } from '../../events/catalog.js';
import type { Counter } from '../../events/counters.js';
import type { Depletion } from '../../events/inbound/inbound.js';
import { timeText } from '../../lib/words.js';
import type { Facts, Rule, Standing } from './why-facts.js';
import { capText, expiryText, nextPeriod, renewal, together } from './why-words.js';

/** What the terms of a client and of its inbound say, in the order in which they count. */
export function termRules(facts: Facts): readonly Rule[] {
  const { client, inbound, history, log } = facts;
  return [
    {
      standing: 'disabled',
      holds: !client.spec.enabled,
      rule: 'the client is switched off',
      since: () => history.findLast(switchesOff),
      remedies: ['switch the client on'],
    },
    ...clientLimits(facts),
    {
      standing: 'inbound disabled',
      holds: !inbound.enabled,
      rule: `inbound ${inbound.tag} is switched off`,
      since: () => log.lastOf(`inbound-${inbound.id}`, ['InboundDisabled', 'InboundAdded']),
      remedies: ['switch the inbound on'],
    },
    ...inboundLimits(facts),
  ];
}

function clientLimits({ client, used, siblings, history, now, zone }: Facts): readonly Rule[] {
  const { spec, depletion } = client;
  const inbounds = siblings.map(({ inbound }) => inbound);
  return limitRules(
    // A term that renews itself is over only until the next poll.
    { depletion, used, capBytes: spec.capBytes, expiresAt: spec.renewalDays > 0 ? 0 : spec.expiresAt },
    now,
    {
      cap: {
        standing: 'cap reached',
        rule: (cap) => `${capText(cap, used.up + used.down)}${together(siblings)}`,
        remedies: [
          ...['reset its traffic', 'raise or remove its cap', ...renewal(client)],
          ...nextPeriod(inbounds, now, zone, 'its traffic'),
        ],
      },
      expiry: {
        standing: 'expired',
        rule: (expiry) => `${expiryText(expiry)}${firstUse(history)}`,
        remedies: ['move its expiry into the future, or remove it', ...renewal(client)],
      },
      since: () => history.findLast(({ type }) => type === 'ClientDepleted'),
    },
  );
}

function inboundLimits({ inbound, inboundUsed: used, log, now, zone }: Facts): readonly Rule[] {
  return limitRules({ ...inbound, used }, now, {
    cap: {
      standing: 'inbound cap reached',
      rule: (cap) => `inbound ${inbound.tag}: ${capText(cap, used.up + used.down)}`,
      remedies: [
        ...['reset the traffic of the inbound', 'raise or remove the cap of the inbound'],
        ...nextPeriod([inbound], now, zone, 'the traffic of the inbound'),
      ],
    },
    expiry: {
      standing: 'inbound expired',
      rule: (expiry) => `inbound ${inbound.tag}: ${expiryText(expiry)}`,
      remedies: ['move the expiry of the inbound into the future, or remove it'],
    },
    since: () => log.lastOf(`inbound-${inbound.id}`, ['InboundDepleted']),
  });
}

interface Limited {
  readonly depletion: Depletion | null;
  readonly capBytes: number;
  readonly expiresAt: number;
  readonly used: Counter;
}

interface LimitWords {
  readonly standing: Standing;
  readonly rule: (depletion: Depletion) => string;
  readonly remedies: readonly string[];
}

/**
 * A cap and an expiry. The one that was recorded comes first; the other one holds beside it where it is reached too, and the
 * log does not say since when.
 */
function limitRules(
  { depletion, capBytes, expiresAt, used }: Limited,
  now: number,
  words: { readonly cap: LimitWords; readonly expiry: LimitWords; readonly since: Rule['since'] },
): readonly Rule[] {
  const usedBytes = used.up + used.down;
  const ruleOf = (other: Depletion, isReached: boolean): Rule => {
    const recorded = depletion?.reason === other.reason ? depletion : null;
    const { standing, rule, remedies } = words[other.reason];
    return {
      standing,
      holds: recorded !== null || (depletion !== null && isReached),
      rule: rule(recorded ?? other),
      since: recorded ? words.since : () => null,
      remedies,
    };
  };
  const cap = ruleOf({ reason: 'cap', usedBytes, capBytes }, capBytes > 0 && usedBytes >= capBytes);
  const expiry = ruleOf({ reason: 'expiry', expiresAt }, expiresAt > 0 && expiresAt <= now);
  return depletion?.reason === 'expiry' ? [expiry, cap] : [cap, expiry];
}

function switchesOff(event: RecordedEvent): boolean {
  if (event.type === 'ClientUpdated') return event.data.changes.enabled === false;
  return event.type === 'ClientAdded' && !event.data.spec.enabled;
}

/** When the term began that is over, if the first use began it and nobody set another one since. */
function firstUse(history: readonly RecordedEvent[]): string {
  const set = history.findLast(
    ({ type, data }) =>
      type === 'ClientExpiryStarted' ||
      type === 'ClientRenewed' ||
      (type === 'ClientUpdated' && data.changes.expiresAt !== undefined),
  );
  return set?.type === 'ClientExpiryStarted' ? `; its term began with its first use at ${timeText(set.meta.at)}` : '';
}
