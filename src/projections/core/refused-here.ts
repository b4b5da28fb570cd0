import type { InboundId } from '../../events/ids.js';
import { type Inbound, serves } from '../../events/inbound/inbound-document.js';
import type { Text } from '../../messages/message.js';
import type { MachineCore } from './core-state.js';

/** Inbounds that the core of this machine, or of another member of its cluster, should run and rejects, each with the reason. */
export function refusedHere(
  inbounds: ReadonlyMap<InboundId, Inbound>,
  { refused }: Pick<MachineCore, 'refused'>,
): readonly { readonly inbound: Inbound; readonly reason: Text }[] {
  return [...inbounds.values()].flatMap((inbound) => {
    const reason = refused.get(inbound.id);
    return reason !== undefined && inbound.node === null && serves(inbound) ? [{ inbound, reason }] : [];
  });
}
