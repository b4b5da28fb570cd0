import { type Client, emailKey } from '../events/client/client-document.js';
import type { InboundId, NodeId } from '../events/ids.js';
import type { AnyCommand } from './catalog.js';
import { findByKey } from './client/client-rules.js';
import { clientIn, clientsNamed, siblingsOf } from './client/siblings.js';
import type { PanelState } from './state.js';

const types = [
  'ResetClientTraffic',
  'ResetAllClientTraffic',
  'ResetInboundTraffic',
  'ResetAllTraffic',
  'ResetOutboundTraffic',
  'AdjustClientTraffic',
  'ResetClientsTraffic',
  'AdjustClientsTraffic',
  'RecountTraffic',
  'DeleteClients',
  'MoveClients',
  'DeleteDepletedClients',
  'DeleteClient',
  'UpdateClient',
  'DeleteInbound',
  'EraseClients',
  'UpdateInbound',
  'Sequence',
] as const;

/** Commands that change counters or who they belong to. Traffic that was counted before must be recorded first. */
export type CountedCommand = Extract<AnyCommand, { readonly type: (typeof types)[number] }>;
const isCounted = (command: AnyCommand): command is CountedCommand =>
  (types as readonly string[]).includes(command.type);
/** Commands of which many may arrive at once. They are committed in groups. */
export type GroupedCommand = CountedCommand | Extract<AnyCommand, { readonly type: 'AddClients' }>;
/** All commands that change no counters. */
export type PlainCommand = Exclude<AnyCommand, CountedCommand>;

/** Whether the counters must be read before this command. An update that keeps the email does not need it. */
export function needsCounters(command: GroupedCommand, state: PanelState): command is CountedCommand {
  if (command.type === 'AddClients') return false;
  if (command.type === 'Sequence')
    return command.data.commands.some((one) => isCounted(one) && needsCounters(one, state));
  if (command.type !== 'UpdateClient') return true;
  const { inbound: id, client: name, draft } = command.data;
  const inbound = state.inbounds.get(id);
  if (!inbound) return false;
  const client = 'key' in name ? findByKey(state, inbound, name.key) : clientIn(state, id, name.email);
  return client !== undefined && emailKey(client.identity.email) !== emailKey(draft.identity.email);
}

/**
 * The nodes whose counters this command resets or sets. Deleted and renamed clients are counted on their node until the node
 * has applied the change.
 */
export function countingNodes(command: CountedCommand, state: PanelState): readonly NodeId[] {
  const nodes = new Set([...countingInbounds(command, state)].flatMap((id) => state.inbounds.get(id)?.node ?? []));
  return [...nodes].filter((node) => state.nodes.get(node)?.enabled);
}

function countingInbounds(command: CountedCommand, state: PanelState): Iterable<InboundId> {
  const ofClients = (clients: readonly Client[]): readonly InboundId[] =>
    clients.flatMap((client) => siblingsOf(state, client).map(({ inbound }) => inbound));
  switch (command.type) {
    case 'Sequence':
      return command.data.commands.flatMap((one) => (isCounted(one) ? [...countingInbounds(one, state)] : []));
    case 'ResetClientTraffic':
    case 'AdjustClientTraffic':
      return ofClients(clientsNamed(state, command.data.email));
    case 'ResetClientsTraffic':
      return ofClients(command.data.clients.flatMap((number) => state.clients.get(number) ?? []));
    case 'AdjustClientsTraffic':
      return ofClients(command.data.counters.flatMap(({ email }) => clientsNamed(state, email)));
    case 'RecountTraffic':
      return ofClients(command.data.changes.flatMap(({ client }) => state.clients.get(client) ?? []));
    case 'ResetAllClientTraffic': {
      const { inbound } = command.data;
      if (inbound === 'all') return state.inbounds.keys();
      const numbers = [...(state.clientsOf.get(inbound) ?? [])];
      return ofClients(numbers.flatMap((number) => state.clients.get(number) ?? []));
    }
    case 'ResetInboundTraffic':
      return [command.data.inbound];
    case 'ResetAllTraffic':
      return state.inbounds.keys();
    default:
      return [];
  }
}
