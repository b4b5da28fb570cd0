import type { RecordedEvent } from '../events/catalog.js';
import { timeText } from '../lib/words.js';
import type { Facts, Rule } from './why-facts.js';
import { capText, expiryText, renewal, together } from './why-words.js';

/** What the terms of a client and of its inbound say, in the order in which they count. */
export function termRules({ client, inbound, used, siblings, history, log }: Facts): readonly Rule[] {
  const { terms, depletion } = client;
  const stream = `inbound-${inbound.id}`;
  const depleted = (): RecordedEvent | undefined => history.findLast(({ type }) => type === 'ClientDepleted');
  return [
    {
      standing: 'disabled',
      holds: !terms.enabled,
      rule: 'the client is switched off',
      since: () => history.findLast(switchesOff),
      remedies: ['switch the client on'],
    },
    {
      standing: 'cap reached',
      holds: depletion?.reason === 'cap',
      rule: `${capText(depletion, used.up + used.down)}${together(siblings)}`,
      since: depleted,
      remedies: ['reset its traffic', 'raise or remove its cap', ...renewal(client)],
    },
    {
      standing: 'expired',
      holds: depletion?.reason === 'expiry',
      rule: `${expiryText(depletion)}${firstUse(history)}`,
      since: depleted,
      remedies: ['move its expiry into the future, or remove it', ...renewal(client)],
    },
    {
      standing: 'inbound disabled',
      holds: !inbound.enabled,
      rule: `inbound ${inbound.tag} is switched off`,
      since: () => log.lastOf(stream, ['InboundDisabled', 'InboundAdded']),
      remedies: ['switch the inbound on'],
    },
    {
      standing: 'inbound cap reached',
      holds: inbound.depletion?.reason === 'cap',
      rule: `inbound ${inbound.tag}: ${capText(inbound.depletion, 0)}`,
      since: () => log.lastOf(stream, ['InboundDepleted']),
      remedies: ['reset the traffic of the inbound', 'raise or remove the cap of the inbound'],
    },
    {
      standing: 'inbound expired',
      holds: inbound.depletion?.reason === 'expiry',
      rule: `inbound ${inbound.tag}: ${expiryText(inbound.depletion)}`,
      since: () => log.lastOf(stream, ['InboundDepleted']),
      remedies: ['move the expiry of the inbound into the future, or remove it'],
    },
  ];
}

function switchesOff(event: RecordedEvent): boolean {
  if (event.type === 'ClientUpdated') return event.data.changes.enabled === false;
  return event.type === 'ClientAdded' && !event.data.terms.enabled;
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
