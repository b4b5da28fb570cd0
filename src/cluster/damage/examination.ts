import type { openClusterStore } from '../../adapters/nats/cluster-store.js';
import type { ReportedMember, StreamFault } from '../../commands/ports/cluster.js';
import { type Alignment, align, type ComparedLog } from '../alignment.js';
import { type ElectionLog, isReplicated, lastElection } from '../election.js';
import { faultIn } from './stream-fault.js';

type Store = Pick<Awaited<ReturnType<typeof openClusterStore>>, 'stream' | 'lease' | 'members'>;

/** What a start finds: a damaged stream, or how the log and the stream relate. */
export type Examination =
  | { readonly fault: StreamFault }
  | {
      readonly fault: null;
      readonly found: Alignment;
      /** Whether events of the log that are not in the stream must be set aside, because another member leads. */
      readonly isFormer: boolean;
    };

/** Compares the log of a member that starts with the stream. `name`: of this member. Rejects with `ClusterAway`. */
export async function examine(
  { stream, lease, members }: Store,
  log: ComparedLog & Pick<ElectionLog, 'lastOf'>,
  name: string,
): Promise<Examination> {
  const fault = faultIn(await stream.ends(), 0);
  if (fault !== null) return { fault };
  const found = await align(stream, log);
  if (found.relation !== 'ahead') return { fault: null, found, isFormer: false };
  if (wasInStream(log, name) || acknowledgedIn(await members.all()) > found.position) return { fault: 'shortened' };
  const holder = await lease.holder();
  return { fault: null, found, isFormer: holder !== null && holder !== name };
}

/** Whether a log can continue with the stream without a change of what it has. */
export const continues = ({ relation }: Alignment): boolean => relation !== 'diverged' && relation !== 'gap';

/** A member that was not the last leader appends only what comes from the stream, unless it has run alone since. */
function wasInStream(log: Pick<ElectionLog, 'lastOf'>, name: string): boolean {
  return isReplicated(log) && lastElection(log)?.member !== name;
}

/** The last position that a member knows to be in the stream; 0 = unknown. */
const acknowledgedIn = (reports: readonly ReportedMember[]): number =>
  Math.max(0, ...reports.map(({ acknowledged }) => acknowledged?.position ?? 0));
