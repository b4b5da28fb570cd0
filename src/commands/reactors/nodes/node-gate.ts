import type { ClientNumber, InboundId } from '../../../events/ids.js';
import type { ListedInbound } from '../../ports/remote-panel.js';

/** What is done about an account that is wanted under another name. */
export type Renaming = 'now' | 'later' | /** By way of a free name, or it waits for itself. */ 'detour';

/** When a name on a node may change hands, so that no byte is lost with it or counted for another client. */
export interface Gate {
  /** Whether an account that is not wanted any more may be taken away. Until then it is shut. */
  readonly leaves: (email: string) => boolean;
  /** Whether an inbound that is not wanted any more may be taken away. Until then it is off. */
  readonly removes: (inbound: InboundId, listed: ListedInbound) => boolean;
  /** Whether no account that is to leave, or to get another name, has this one. */
  readonly isFree: (email: string) => boolean;
  readonly renames: (from: string, client: { readonly number: ClientNumber; readonly email: string }) => Renaming;
  /** Whether a 3x-ui would go on to let an account in that is taken out of an inbound by itself: it is in another one. */
  readonly isShared: (email: string) => boolean;
  /** Whether the node has lost the counter of a client, and counts nothing for it until it is added again. */
  readonly isUncounted: (client: ClientNumber) => boolean;
  /** An account is told to take another credential than `old`. */
  readonly rotates: (email: string, old: string) => void;
}

/** Nothing is waited for. */
export const atOnce: Gate = {
  leaves: () => true,
  removes: () => true,
  isFree: () => true,
  renames: () => 'now',
  isShared: () => false,
  isUncounted: () => false,
  rotates: () => undefined,
};
