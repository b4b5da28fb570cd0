import type { RecordedEvent } from '../../events/catalog.js';
import { spanText, timeText } from '../../lib/words.js';
import { actorText } from '../story.js';
import { addressRules } from './why-addresses.js';
import type { Also, Facts, Moment, Rule, Standing } from './why-facts.js';
import { placeRules } from './why-place.js';
import { termRules } from './why-terms.js';
import { left, together } from './why-words.js';

/** Why a client may or may not connect, with what an admin would ask next. */
export interface Why {
  readonly standing: Standing;
  readonly mayConnect: boolean;
  /** The rule and the numbers that it compared, in plain words. */
  readonly rule: string;
  /** Null where the log does not say. */
  readonly since: Moment | null;
  /** What would change it. */
  readonly remedies: readonly string[];
  /** What holds as well, in the order in which it counts: each of these has to be changed too. */
  readonly also: readonly Also[];
}

export function whyOf(facts: Facts): Why {
  const rules = [...termRules(facts), ...placeRules(facts), ...addressRules(facts)];
  const [first = activeRule(facts), ...others] = rules.filter(({ holds }) => holds);
  const mayConnect = [first, ...others].every(({ harmless = false }) => harmless);
  const { standing, ...said } = told(first);
  return { standing, mayConnect, ...said, also: others.map(told) };
}

function told({ standing, rule, remedies, since }: Rule): Also {
  const event = since();
  const moment = event ? { at: event.meta.at, position: event.position, by: actorText(event.meta) } : null;
  return { standing, rule, since: moment, remedies };
}

function activeRule({ client, inbound, used, siblings, history, log }: Facts): Rule {
  const { expiresAt, renewalDays } = client.spec;
  const end =
    expiresAt === 0
      ? 'no expiry'
      : expiresAt > 0
        ? `until ${timeText(expiresAt)}${renewalDays > 0 ? `, when it renews itself for ${renewalDays} days` : ''}`
        : `its term of ${spanText(-expiresAt)} begins with its first use`;
  return {
    standing: expiresAt < 0 ? 'not used yet' : 'active',
    holds: true,
    harmless: true,
    rule: `it may connect: ${left(client, used)}, ${end}${together(siblings)}`,
    since: () => {
      const own = history.findLast(letsIn);
      const around = log.lastOf(`inbound-${inbound.id}`, ['InboundEnabled', 'InboundReactivated']);
      return around && around.position > (own?.position ?? 0) ? around : own;
    },
    remedies: [],
  };
}

/** Whether a client that could not connect before may do so after this event. */
function letsIn(event: RecordedEvent): boolean {
  if (event.type === 'ClientUpdated') return event.data.changes.enabled === true;
  return event.type === 'ClientAdded' || event.type === 'ClientReactivated';
}
