import { LeaderElected, TailSetAside } from '../events/cluster.js';
import type { Command, Decider } from './command.js';

export type ClusterCommand =
  | Command<'RecordLeaderElected', { readonly member: string }>
  | Command<'RecordTailSetAside', Parameters<typeof TailSetAside>[0]>;

export const cluster: Decider<ClusterCommand> = {
  RecordLeaderElected: (data) => [LeaderElected(data)],
  RecordTailSetAside: (data) => [TailSetAside(data)],
};
