import type { RecordedEvent } from '../../events/catalog.js';
import type { Facts, Rule } from './why-facts.js';

type Limited = Extract<RecordedEvent, { type: 'ClientIpsBlocked' }>;

/** Addresses from which a client gets nowhere, though it may connect: it has too many at once. */
export function addressRules({ history }: Pick<Facts, 'history'>): readonly Rule[] {
  const admitted = history.findLastIndex(({ type }) => type === 'ClientIpsUnblocked');
  const said = history.slice(admitted + 1).filter((event): event is Limited => event.type === 'ClientIpsBlocked');
  const last = said.at(-1);
  if (!last) return [];
  const { limit, keep, ips: addresses } = last.data;
  return [
    {
      standing: 'too many addresses',
      holds: true,
      harmless: true,
      rule:
        `it may connect from ${limit} ${limit === 1 ? 'address' : 'addresses'} at once, and the ${keep} stay: ` +
        `${addresses.allowed.join(', ')} may, ${addresses.blocked.join(', ')} may not`,
      since: () => said[0],
      remedies: [
        'disconnect one of those that may: its place is free a little later',
        'raise or remove its limit of addresses',
        'reset its traffic, to let all of them in for a while',
      ],
    },
  ];
}
