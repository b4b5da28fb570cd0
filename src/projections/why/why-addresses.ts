import type { RecordedEvent } from '../../events/catalog.js';
import { message } from '../../messages/message.js';
import { addressList } from './event-texts.js';
import type { Facts, Rule } from './why-facts.js';

type Blocked = Extract<RecordedEvent, { type: 'ClientIpsBlocked' }>;

/** The IP limit blocks single addresses; the client itself may connect. */
export function addressRules({ history }: Pick<Facts, 'history'>): readonly Rule[] {
  const unblocked = history.findLastIndex(({ type }) => type === 'ClientIpsUnblocked');
  const blocks = history.slice(unblocked + 1).filter((event): event is Blocked => event.type === 'ClientIpsBlocked');
  const last = blocks.at(-1);
  if (!last) return [];
  const { limit, keep, ips } = last.data;
  return [
    {
      status: 'too many addresses',
      holds: true,
      harmless: true,
      rule: message('why.tooManyAddresses', {
        count: limit,
        kept: keep === 'newest' ? message('why.newestKept') : message('why.oldestKept'),
        allowed: addressList(ips.allowed),
        blocked: addressList(ips.blocked),
      }),
      since: () => blocks[0],
      remedies: [message('why.disconnectAddress'), message('why.raiseIpLimit'), message('why.resetTrafficAdmits')],
    },
  ];
}
