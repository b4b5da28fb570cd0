import { emailKey } from '../events/client-document.js';
import type { AnyCommand } from './catalog.js';
import { findByKey } from './client-rules.js';
import { clientIn } from './siblings.js';
import type { PanelState } from './state.js';

const types = [
  'ResetClientTraffic',
  'ResetAllClientTraffic',
  'ResetInboundTraffic',
  'ResetAllTraffic',
  'ResetOutboundTraffic',
  'AdjustClientTraffic',
  'DeleteDepletedClients',
  'DeleteClient',
  'UpdateClient',
  'DeleteInbound',
  'UpdateInbound',
] as const;

/** Commands that change counters, or whose bytes they are: what was counted before them has to be recorded before them. */
export type CountedCommand = Extract<AnyCommand, { readonly type: (typeof types)[number] }>;
/** Commands for which it makes no difference. */
export type PlainCommand = Exclude<AnyCommand, CountedCommand>;

/** Whether the counters have to be read before this one. An edit that leaves the email alone is not worth a reading. */
export function needsCounters(command: CountedCommand, state: PanelState): boolean {
  if (command.type !== 'UpdateClient') return true;
  const { inbound: id, client: name, draft } = command.data;
  const inbound = state.inbounds.get(id);
  if (!inbound) return false;
  const client = 'key' in name ? findByKey(state, inbound, name.key) : clientIn(state, id, name.email);
  return client !== undefined && emailKey(client.identity.email) !== emailKey(draft.identity.email);
}
