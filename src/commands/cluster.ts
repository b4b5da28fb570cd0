import { LeaderElected, LeadershipHandedOver, MemberApproved, MemberRemoved, TailSetAside } from '../events/cluster.js';
import type { Command, Decider } from './command.js';

export type ClusterCommand =
  | Command<'RecordLeaderElected', Parameters<typeof LeaderElected>[0]>
  | Command<'RecordMemberApproved', Parameters<typeof MemberApproved>[0]>
  | Command<'RecordTailSetAside', Parameters<typeof TailSetAside>[0]>
  | Command<'HandOverLeadership', Parameters<typeof LeadershipHandedOver>[0]>
  | Command<'RemoveMember', Parameters<typeof MemberRemoved>[0]>;

export const cluster: Decider<ClusterCommand> = {
  RecordLeaderElected: (data) => [LeaderElected(data)],
  RecordMemberApproved: (data) => [MemberApproved(data)],
  RecordTailSetAside: (data) => [TailSetAside(data)],
  HandOverLeadership: (data) => [LeadershipHandedOver(data)],
  RemoveMember: (data) => [MemberRemoved(data)],
};
