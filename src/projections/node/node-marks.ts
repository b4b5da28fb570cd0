import { type Client, emailKey } from '../../events/client/client-document.js';
import type { NodeId } from '../../events/ids.js';
import type { Mark } from '../../lib/ownership-mark.js';
import { credentialMember } from '../../lib/panel-wire.js';
import type { ReadModels } from '../read-models.js';

type Known = 'identity' | 'inbounds' | 'nodes' | 'clients';

/** Checks ownership marks in listings of nodes: whether this panel wrote them, according to its log. */
export function nodeMarks(read: Pick<ReadModels, Known>) {
  /**
   * Whether the log assigned the number to the client or inbound that the mark names. Null = unknown: an older mark has no
   * uid, and after a restored backup its number may have been assigned twice.
   */
  const isOwn = (kind: 'clients' | 'inbounds', { number, uid }: Mark): boolean | null => {
    const known = read.identity.uid(kind, number);
    if (known === '') return false;
    if (uid === '') return read.identity.fromBackup ? null : true;
    return uid === known;
  };
  const credentialOf = ({ inbound, credential }: Client): string =>
    credential[credentialMember(read.inbounds.get(inbound)?.protocol ?? '')];
  return {
    centre: (): string => read.identity.panelId,

    /** Tags of inbounds that were imported from a panel that managed the node before, and were not seen on the node yet. */
    adopted: (node: NodeId): ReadonlySet<string> =>
      new Set(read.nodes.outbox(node).flatMap(({ adopted, deleted, tags }) => (adopted && !deleted ? tags : []))),

    /** An older mark counts only together with a tag that the inbound had on the node. */
    isInbound: (mark: Mark, tag: string): boolean =>
      isOwn('inbounds', mark) ?? read.nodes.outboxEntry(mark.number)?.tags.includes(tag) ?? false,

    /** An older mark counts only together with the email or the credential of the client, or the email it was deleted with. */
    isClient(mark: Mark, email: string, credential: string): boolean {
      const own = isOwn('clients', mark);
      if (own !== null) return own;
      const client = read.clients.get(mark.number);
      if (client) return emailKey(client.identity.email) === emailKey(email) || credentialOf(client) === credential;
      return read.clients.deleted(email).some(({ number }) => number === mark.number);
    },
  };
}
