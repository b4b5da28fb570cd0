import type { StreamEnds, StreamFault } from '../../commands/ports/cluster.js';
import { type MessageCode, message, type Text } from '../../messages/message.js';

/** What is wrong with a stream. `known`: the last sequence that this member has had from it; 0 = it does not know. */
export function faultIn(
  { before, last, messages, removed, isBuilding }: StreamEnds,
  known: number,
): StreamFault | null {
  if (isBuilding) return 'building';
  if (last < known) return 'shortened';
  if (before > removed) return 'purged';
  return messages < last - before ? 'incomplete' : null;
}

/** For the logs. */
export const DAMAGED = 'the stream of the cluster is damaged: changes are refused until it is rebuilt';

const TEXTS = {
  missing: 'cluster.faultMissing',
  purged: 'cluster.faultPurged',
  shortened: 'cluster.faultShortened',
  incomplete: 'cluster.faultIncomplete',
  building: 'cluster.faultBuilding',
} as const satisfies Record<StreamFault, MessageCode>;

export const faultText = (fault: StreamFault): Text => message(TEXTS[fault]);
