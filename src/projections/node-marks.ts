import { type Client, emailKey } from '../events/client-document.js';
import { keyMember, type Mark } from '../lib/node-words.js';
import type { ReadModels } from './read-models.js';

/** Which marks that stand in nodes this panel has written, as far as its log goes. */
export function nodeMarks(
  read: Pick<ReadModels, 'panelId' | 'born' | 'client' | 'inbound' | 'formerClients' | 'outboxEntry'>,
) {
  /** Whether the log knows the number, and has given it to this one; null = a mark of before does not say. */
  const isBorn = (kind: 'clients' | 'inbounds', { number, born }: Mark): boolean | null => {
    const known = read.born(kind, number);
    return known === '' ? false : born === '' ? null : born === known;
  };
  const keyOf = ({ inbound, identity, credential }: Client): string => {
    const member = keyMember(read.inbound(inbound)?.protocol ?? '');
    return member === 'email' ? identity.email : credential[member];
  };
  return {
    centre: (): string => read.panelId,

    /** A mark of before is believed only under a name under which the inbound was seen there. */
    isInbound: (mark: Mark, tag: string): boolean =>
      isBorn('inbounds', mark) ?? read.outboxEntry(mark.number)?.had.includes(tag) ?? false,

    /** A mark of before is believed only with the email or the credential of the client, or the email it was deleted with. */
    isClient(mark: Mark, email: string, key: string): boolean {
      const isBornSo = isBorn('clients', mark);
      if (isBornSo !== null) return isBornSo;
      const client = read.client(mark.number);
      if (client) return emailKey(client.identity.email) === emailKey(email) || keyOf(client) === key;
      return read.formerClients(email).some(({ number }) => number === mark.number);
    },
  };
}
