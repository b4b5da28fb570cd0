import { type Client, emailKey } from '../../events/client/client-document.js';
import type { NodeId } from '../../events/ids.js';
import { credentialMember, type Mark } from '../../lib/node-words.js';
import type { ReadModels } from '../read-models.js';

type Known = 'identity' | 'inbounds' | 'nodes' | 'clients';

/** Which marks that stand in nodes this panel has written, as far as its log goes. */
export function nodeMarks(read: Pick<ReadModels, Known>) {
  /**
   * Whether the log knows the number, and has given it to this one. A mark of before does not say that: null where the
   * number may have been given out twice, because the log was taken from a backup.
   */
  const isBorn = (kind: 'clients' | 'inbounds', { number, born }: Mark): boolean | null => {
    const known = read.identity.born(kind, number);
    if (known === '') return false;
    if (born === '') return read.identity.fromBackup ? null : true;
    return born === known;
  };
  const credentialOf = ({ inbound, credential }: Client): string =>
    credential[credentialMember(read.inbounds.get(inbound)?.protocol ?? '')];
  return {
    centre: (): string => read.identity.panelId,

    /** Tags of what a panel before this one put there, and of which nothing was seen yet. */
    inherited: (node: NodeId): ReadonlySet<string> =>
      new Set(read.nodes.outbox(node).flatMap(({ inherited, deleted, had }) => (inherited && !deleted ? had : []))),

    /** A mark of before is believed under a name under which the inbound was seen there, if in doubt. */
    isInbound: (mark: Mark, tag: string): boolean =>
      isBorn('inbounds', mark) ?? read.nodes.outboxEntry(mark.number)?.had.includes(tag) ?? false,

    /** The same with the email or the credential of the client, or the email it was deleted with. */
    isClient(mark: Mark, email: string, credential: string): boolean {
      const isBornSo = isBorn('clients', mark);
      if (isBornSo !== null) return isBornSo;
      const client = read.clients.get(mark.number);
      if (client) return emailKey(client.identity.email) === emailKey(email) || credentialOf(client) === credential;
      return read.clients.former(email).some(({ number }) => number === mark.number);
    },
  };
}
