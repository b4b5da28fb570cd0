import type { RecordedEvent } from '../../events/catalog.js';
import type { Depletion } from '../../events/inbound/inbound.js';
import type { Counter } from '../../events/traffic/counters.js';
import { message, type Text } from '../../messages/message.js';
import { depletionText } from './event-texts.js';
import { nextReset, ofEmail, renewalOf } from './limit-texts.js';
import type { AccessStatus, Facts, Rule } from './why-facts.js';

/** The rules of the limits of a client and of its inbound, in the order in which they apply. */
export function termRules(facts: Facts): readonly Rule[] {
  const { client, inbound, history, log } = facts;
  return [
    {
      status: 'disabled',
      holds: !client.spec.enabled,
      rule: message('why.clientDisabled'),
      since: () => history.findLast(disablesClient),
      remedies: [message('why.enableClient')],
    },
    ...clientLimits(facts),
    {
      status: 'inbound disabled',
      holds: !inbound.enabled,
      rule: message('why.inboundDisabled', { tag: inbound.tag }),
      since: () => log.lastOf(`inbound-${inbound.id}`, ['InboundDisabled', 'InboundAdded']),
      remedies: [message('why.enableInbound')],
    },
    ...inboundLimits(facts),
  ];
}

function clientLimits({ client, used, siblings, history, now, zone }: Facts): readonly Rule[] {
  const { spec, depletion } = client;
  const inbounds = siblings.map(({ inbound }) => inbound);
  const reset = nextReset(inbounds, now, zone);
  return limitRules(
    // A term that is renewed ends only until the next poll.
    { depletion, used, capBytes: spec.capBytes, expiresAt: spec.renewalDays > 0 ? 0 : spec.expiresAt },
    now,
    {
      cap: {
        status: 'cap reached',
        rule: (cap) => ofEmail(limitText(cap, used), siblings),
        remedies: [
          message('why.resetTraffic'),
          message('why.raiseCap'),
          ...renewalOf(client),
          ...(reset === null ? [] : [message('why.waitForPeriod', { at: reset })]),
        ],
      },
      expiry: {
        status: 'expired',
        rule: (expiry) => expiredText(expiry, history),
        remedies: [message('why.moveExpiry'), ...renewalOf(client)],
      },
      since: () => history.findLast(({ type }) => type === 'ClientDepleted'),
    },
  );
}

function inboundLimits({ inbound, inboundUsed: used, log, now, zone }: Facts): readonly Rule[] {
  const { id, tag } = inbound;
  const reset = nextReset([inbound], now, zone);
  return limitRules({ ...inbound, used }, now, {
    cap: {
      status: 'inbound cap reached',
      rule: (cap) => message('why.ofInbound', { tag, rule: limitText(cap, used) }),
      remedies: [
        message('why.resetInboundTraffic'),
        message('why.raiseInboundCap'),
        ...(reset === null ? [] : [message('why.waitForInboundPeriod', { at: reset })]),
      ],
    },
    expiry: {
      status: 'inbound expired',
      rule: (expiry) => message('why.ofInbound', { tag, rule: depletionText(expiry) }),
      remedies: [message('why.moveInboundExpiry')],
    },
    since: () => log.lastOf(`inbound-${id}`, ['InboundDepleted']),
  });
}

interface Limited {
  readonly depletion: Depletion | null;
  readonly capBytes: number;
  readonly expiresAt: number;
  readonly used: Counter;
}

interface LimitTexts {
  readonly status: AccessStatus;
  readonly rule: (depletion: Depletion) => Text;
  readonly remedies: readonly Text[];
}

/**
 * The rules for a cap and an expiry. The recorded one comes first. The other one also holds when it is reached, but the time
 * of that is not recorded.
 */
function limitRules(
  { depletion, capBytes, expiresAt, used }: Limited,
  now: number,
  texts: { readonly cap: LimitTexts; readonly expiry: LimitTexts; readonly since: Rule['since'] },
): readonly Rule[] {
  const usedBytes = used.up + used.down;
  const ruleOf = (other: Depletion, isReached: boolean): Rule => {
    const recorded = depletion?.reason === other.reason ? depletion : null;
    const { status, rule, remedies } = texts[other.reason];
    return {
      status,
      holds: recorded !== null || (depletion !== null && isReached),
      rule: rule(recorded ?? other),
      since: recorded ? texts.since : () => null,
      remedies,
    };
  };
  const cap = ruleOf({ reason: 'cap', usedBytes, capBytes }, capBytes > 0 && usedBytes >= capBytes);
  const expiry = ruleOf({ reason: 'expiry', expiresAt }, expiresAt > 0 && expiresAt <= now);
  return depletion?.reason === 'expiry' ? [expiry, cap] : [cap, expiry];
}

function disablesClient(event: RecordedEvent): boolean {
  if (event.type === 'ClientUpdated') return event.data.changes.enabled === false;
  return event.type === 'ClientAdded' && !event.data.spec.enabled;
}

/** The limit that was reached, and what was used since if that is more. */
function limitText(depletion: Depletion, { up, down }: Counter): Text {
  if (depletion.reason !== 'cap' || up + down <= depletion.usedBytes) return depletionText(depletion);
  return message('why.capExceeded', { used: depletion.usedBytes, cap: depletion.capBytes, now: up + down });
}

/** Names the first use if that started the term and the expiry was not changed since. */
function expiredText(depletion: Depletion, history: readonly RecordedEvent[]): Text {
  const set = history.findLast(
    ({ type, data }) =>
      type === 'ClientExpiryStarted' ||
      type === 'ClientRenewed' ||
      (type === 'ClientUpdated' && data.changes.expiresAt !== undefined),
  );
  if (depletion.reason !== 'expiry' || set?.type !== 'ClientExpiryStarted') return depletionText(depletion);
  return message('why.expiredAfterFirstUse', { at: depletion.expiresAt, startedAt: set.meta.at });
}
