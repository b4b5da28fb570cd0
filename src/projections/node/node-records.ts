import type { RecordedEvent } from '../../events/catalog.js';
import type { ClientNumber, InboundId, NodeId } from '../../events/ids.js';
import type { ReadModels } from '../read-models.js';
import { DesiredNodes } from './desired-node.js';

type Known = 'identity' | 'nodes' | 'inbounds' | 'clients' | 'usage';

/** The parts of the read models that the synchronization of nodes needs. `head`: the position of the log. */
export function nodeRecords(read: Pick<ReadModels, Known>, head: () => number) {
  const bytes = ({ up, down }: { readonly up: number; readonly down: number }): number => up + down;
  const desired = new DesiredNodes({ id: () => read.identity.panelId, uid: read.identity.uid.bind(read.identity) });
  return {
    ownId: () => read.identity.panelId,
    nodes: () => read.nodes.all(),
    node: (id: NodeId) => read.nodes.get(id),
    wasOnline: (node: NodeId) => read.nodes.connectivity(node)?.online,
    failing: (node: NodeId) => read.nodes.failing(node),
    async desired(node: NodeId) {
      const position = head();
      const inbounds = read.inbounds.all().filter((inbound) => inbound.node === node);
      const all = inbounds.map((inbound) => ({ inbound, clients: read.clients.ofInbound(inbound.id) }));
      return { position, inbounds: await desired.of(all) };
    },
    outgoing: (node: NodeId) => read.nodes.outbox(node),
    foreign: (node: NodeId) => read.nodes.unmanagedItems(node),
    baselines: {
      client(node: NodeId, number: ClientNumber) {
        const baseline = read.nodes.baseline('clients', number);
        return baseline?.node === node ? baseline : undefined;
      },
      inbound: (id: InboundId) => read.nodes.baseline('inbounds', id),
      leaving: (id: InboundId) => read.nodes.leaving(id),
      readAt: (node: NodeId) => read.nodes.readAt(node),
    },
    used: {
      client(number: ClientNumber) {
        const client = read.clients.get(number);
        return client ? bytes(read.usage.client(client)) : 0;
      },
      inbound(id: InboundId) {
        const inbound = read.inbounds.get(id);
        return inbound ? bytes(read.usage.inbound(inbound)) : 0;
      },
    },
    ipSeen: (client: number, ip: string) => read.usage.addressSeen(client, ip),
    affected: (event: RecordedEvent) => read.nodes.affected(event),
  };
}
