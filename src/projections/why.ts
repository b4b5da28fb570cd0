import type { Client } from '../events/client-document.js';
import type { Counter } from '../events/counters.js';
import type { Depletion } from '../events/inbound.js';
import type { Inbound } from '../events/inbound-document.js';
import { bytesText, timeText } from '../lib/words.js';
import type { CoreState } from './core-state.js';
import type { Chapter } from './story.js';

/** In which state a client is: the first of these that holds. */
export type Standing =
  | 'disabled'
  | 'cap reached'
  | 'expired'
  | 'inbound disabled'
  | 'inbound cap reached'
  | 'inbound expired'
  | 'inbound refused by the core'
  | 'core not running'
  | 'not used yet'
  | 'active';

/** Why a client may or may not connect, with what an admin would ask next. */
export interface Why {
  readonly standing: Standing;
  readonly mayConnect: boolean;
  /** The rule and the numbers that it compared, in plain words. */
  readonly rule: string;
  /** When it came to be so (ms), the event that says so, and who caused that; null where it was never otherwise. */
  readonly since: { readonly at: number; readonly position: number; readonly by: string } | null;
  /** What would change it. */
  readonly remedies: readonly string[];
}

/** A client of the same email, the one in question among them, with its inbound and its part of what was used. */
export interface Sibling {
  readonly inbound: Inbound;
  readonly own: Counter;
}

interface Facts {
  readonly client: Client;
  readonly inbound: Inbound;
  /** Of all siblings. */
  readonly used: Counter;
  readonly siblings: readonly Sibling[];
  readonly core: Pick<CoreState, 'process' | 'refused'>;
  /** What happened to the client, oldest first. */
  readonly story: readonly Chapter[];
}

/** One rule: whether it holds, what it says, which events bring it about, and what undoes it. */
interface Rule {
  readonly standing: Standing;
  readonly holds: boolean;
  readonly rule: string;
  readonly events: readonly string[];
  readonly remedies: readonly string[];
}

export function whyOf(facts: Facts): Why {
  const found = rulesOf(facts).find(({ holds }) => holds) ?? activeRule(facts);
  const chapter = facts.story.findLast(({ type }) => found.events.includes(type));
  const since = chapter ? { at: chapter.at, position: chapter.position, by: chapter.by } : null;
  const mayConnect = found.standing === 'active' || found.standing === 'not used yet';
  return { standing: found.standing, mayConnect, rule: found.rule, since, remedies: found.remedies };
}

function rulesOf({ client, inbound, used, core, siblings }: Facts): readonly Rule[] {
  const { terms, depletion } = client;
  const usedBytes = used.up + used.down;
  return [
    {
      standing: 'disabled',
      holds: !terms.enabled,
      rule: 'an admin switched the client off',
      events: ['ClientUpdated', 'ClientAdded'],
      remedies: ['switch the client on'],
    },
    {
      standing: 'cap reached',
      holds: depletion?.reason === 'cap',
      rule: `${capRule(depletion, usedBytes)}${together(siblings)}`,
      events: ['ClientDepleted'],
      remedies: ['reset its traffic', 'raise or remove its cap', ...renewal(client)],
    },
    {
      standing: 'expired',
      holds: depletion?.reason === 'expiry',
      rule: expiryRule(depletion),
      events: ['ClientDepleted'],
      remedies: ['move its expiry into the future, or remove it', ...renewal(client)],
    },
    {
      standing: 'inbound disabled',
      holds: !inbound.enabled,
      rule: `inbound ${inbound.tag} is switched off`,
      events: ['InboundDisabled'],
      remedies: ['switch the inbound on'],
    },
    {
      standing: 'inbound cap reached',
      holds: inbound.depletion?.reason === 'cap',
      rule: `inbound ${inbound.tag}: ${capRule(inbound.depletion, 0)}`,
      events: ['InboundDepleted'],
      remedies: ['reset the traffic of the inbound', 'raise or remove the cap of the inbound'],
    },
    {
      standing: 'inbound expired',
      holds: inbound.depletion?.reason === 'expiry',
      rule: `inbound ${inbound.tag}: ${expiryRule(inbound.depletion)}`,
      events: ['InboundDepleted'],
      remedies: ['move the expiry of the inbound into the future, or remove it'],
    },
    {
      standing: 'inbound refused by the core',
      holds: core.refused.has(inbound.id),
      rule: `the core does not take inbound ${inbound.tag}`,
      events: [],
      remedies: ['correct the settings of the inbound'],
    },
    {
      standing: 'core not running',
      // The core of a node is another one.
      holds: core.process.run === null && inbound.node === null,
      rule: core.process.error === '' ? 'the core is stopped' : `the core is down: ${core.process.error}`,
      events: [],
      remedies: ['restart the core'],
    },
  ];
}

function activeRule({ client, used, siblings }: Facts): Rule {
  const { capBytes, expiresAt } = client.terms;
  const usedBytes = used.up + used.down;
  const cap =
    capBytes === 0 ? 'no cap' : `${bytesText(Math.max(0, capBytes - usedBytes))} left of ${bytesText(capBytes)}`;
  const end =
    expiresAt === 0
      ? 'no expiry'
      : expiresAt > 0
        ? `until ${timeText(expiresAt)}`
        : 'its term begins with its first use';
  return {
    standing: expiresAt < 0 ? 'not used yet' : 'active',
    holds: true,
    rule: `it may connect: ${cap}, ${end}${together(siblings)}`,
    events: ['ClientRestored', 'ClientUpdated', 'ClientAdded', 'ClientRenewed'],
    remedies: [],
  };
}

function capRule(depletion: Depletion | null, usedBytes: number): string {
  if (depletion?.reason !== 'cap') return '';
  const more = usedBytes > depletion.usedBytes ? ` (now ${bytesText(usedBytes)})` : '';
  return `it used ${bytesText(depletion.usedBytes)} of ${bytesText(depletion.capBytes)}${more}`;
}

/** Where the bytes of one email come from: the core of this panel counts all of its inbounds as one, each node for itself. */
function together(siblings: readonly Sibling[]): string {
  if (siblings.length < 2) return '';
  const tags = siblings.map(({ inbound }) => inbound.tag).join(', ');
  const bytes = (some: readonly Sibling[]): number => some.reduce((sum, { own }) => sum + own.up + own.down, 0);
  const away = siblings.filter(({ inbound }) => inbound.node !== null);
  const here = siblings.filter(({ inbound }) => inbound.node === null);
  const split =
    away.length > 0 && here.length > 0
      ? `; ${bytesText(bytes(here))} on this machine, ${bytesText(bytes(away))} on nodes`
      : '';
  return ` (one email in ${siblings.length} inbounds counts together: ${tags}${split})`;
}

function expiryRule(depletion: Depletion | null): string {
  return depletion?.reason === 'expiry' ? `it expired at ${timeText(depletion.expiresAt)}` : '';
}

function renewal({ terms }: Client): readonly string[] {
  if (terms.resetDays === 0 || terms.expiresAt <= 0) return [];
  return [`wait: it renews itself at ${timeText(terms.expiresAt)}`];
}
