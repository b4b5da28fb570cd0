import type { InboundId } from '../../events/ids.js';
import { type Inbound, serves } from '../../events/inbound/inbound-document.js';
import type { CoreState } from './core-state.js';

/** Inbounds that the core of this machine shall run and does not take, each with its reason. */
export function refusedHere(
  inbounds: ReadonlyMap<InboundId, Inbound>,
  { refused }: Pick<CoreState, 'refused'>,
): readonly { readonly inbound: Inbound; readonly reason: string }[] {
  return [...inbounds.values()].flatMap((inbound) => {
    const reason = refused.get(inbound.id);
    return reason !== undefined && inbound.node === null && serves(inbound) ? [{ inbound, reason }] : [];
  });
}
