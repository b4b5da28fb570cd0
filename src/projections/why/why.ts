import type { RecordedEvent } from '../../events/catalog.js';
import { message, type Text } from '../../messages/message.js';
import { actorText } from './history.js';
import { expiryOf, ofEmail, remainingQuota } from './limit-texts.js';
import { addressRules } from './why-addresses.js';
import type { AccessStatus, Also, Facts, Moment, Rule } from './why-facts.js';
import { placeRules } from './why-place.js';
import { termRules } from './why-terms.js';

/** Why a client may or may not connect. */
export interface Why {
  readonly status: AccessStatus;
  readonly mayConnect: boolean;
  /** The first rule that holds, with the numbers that it compared. */
  readonly rule: Text;
  /** Null when it is not recorded. */
  readonly since: Moment | null;
  /** How to fix it. */
  readonly remedies: readonly Text[];
  /** The other rules that hold, in the order in which they apply: each of them has to be changed too. */
  readonly also: readonly Also[];
}

export function whyOf(facts: Facts): Why {
  const rules = [...termRules(facts), ...placeRules(facts), ...addressRules(facts)];
  const [first = activeRule(facts), ...others] = rules.filter(({ holds }) => holds);
  const mayConnect = [first, ...others].every(({ harmless = false }) => harmless);
  const { status, ...explained } = explain(first);
  return { status, mayConnect, ...explained, also: others.map(explain) };
}

function explain({ status, rule, remedies, since }: Rule): Also {
  const event = since();
  const moment = event ? { at: event.meta.at, position: event.position, by: actorText(event.meta) } : null;
  return { status, rule, since: moment, remedies };
}

function activeRule({ client, inbound, used, siblings, history, log }: Facts): Rule {
  const terms = message('why.active', { quota: remainingQuota(client, used), expiry: expiryOf(client) });
  return {
    status: client.spec.expiresAt < 0 ? 'not used yet' : 'active',
    holds: true,
    harmless: true,
    rule: ofEmail(terms, siblings),
    since: () => {
      const own = history.findLast(admitsClient);
      const ofInbound = log.lastOf(`inbound-${inbound.id}`, ['InboundEnabled', 'InboundReactivated']);
      return ofInbound && ofInbound.position > (own?.position ?? 0) ? ofInbound : own;
    },
    remedies: [],
  };
}

/** Whether the client may connect after this event but could not before. */
function admitsClient(event: RecordedEvent): boolean {
  if (event.type === 'ClientUpdated') return event.data.changes.enabled === true;
  return event.type === 'ClientAdded' || event.type === 'ClientReactivated';
}
