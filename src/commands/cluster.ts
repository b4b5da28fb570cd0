import {
  ClusterLeft,
  LeaderElected,
  LeadershipHandedOver,
  MemberAddressChanged,
  MemberApproved,
  MemberRemoved,
  StreamRebuilt,
  TailSetAside,
} from '../events/cluster.js';
import type { Command, Decider } from './command.js';
import { reject } from './rejection.js';

export type ClusterCommand =
  | Command<'RecordLeaderElected', Parameters<typeof LeaderElected>[0]>
  | Command<'RecordMemberApproved', Parameters<typeof MemberApproved>[0]>
  | Command<'RecordTailSetAside', Parameters<typeof TailSetAside>[0]>
  | Command<'HandOverLeadership', Parameters<typeof LeadershipHandedOver>[0]>
  | Command<'RecordClusterLeft', Parameters<typeof ClusterLeft>[0]>
  | Command<'RecordStreamRebuilt', Parameters<typeof StreamRebuilt>[0]>
  | Command<
      'RemoveMember',
      Parameters<typeof MemberRemoved>[0] & { /** Also with inbounds. */ readonly force: boolean }
    >
  | Command<'RecordMemberAddress', Parameters<typeof MemberAddressChanged>[0]>;

export const cluster: Decider<ClusterCommand> = {
  RecordLeaderElected: (data) => [LeaderElected(data)],
  RecordMemberApproved: (data) => [MemberApproved(data)],
  RecordTailSetAside: (data) => [TailSetAside(data)],
  HandOverLeadership: (data) => [LeadershipHandedOver(data)],
  RecordClusterLeft: (data) => [ClusterLeft(data)],
  RecordStreamRebuilt: (data) => [StreamRebuilt(data)],
  RemoveMember({ member, force }, { inbounds }) {
    const homed = [...inbounds.values()].filter(({ machine }) => machine === member).map(({ tag }) => tag);
    return homed.length > 0 && !force
      ? reject('CLUSTER_MEMBER_HAS_INBOUNDS', { member, inbounds: homed })
      : [MemberRemoved({ member })];
  },
  RecordMemberAddress: (data, { members }) =>
    members.get(data.member) === data.address ? [] : [MemberAddressChanged(data)],
};

/** What is recorded when a machine may join. */
export type Approval = Parameters<typeof MemberApproved>[0];

/** A machine that wants to join. */
export interface JoinRequest {
  readonly member: string;
  readonly role: 'member' | 'subscriptions';
  /** Of its public key. The machine shows the same. */
  readonly fingerprint: string;
  /** ms since 1970. */
  readonly expiresAt: number;
}

/** The machines that wait for an approval, on the leader. */
export interface JoinRequests {
  requests(): readonly JoinRequest[];
  /**
   * Hands the master key over to a machine, or to a mirror its own key. `record` is called before, and may throw. Returns the
   * fingerprint of that key. Throws `MessageError` for an unknown or expired request and for another fingerprint.
   */
  approve(
    member: string,
    fingerprint: string,
    record: (data: Approval) => void,
  ): { readonly masterFingerprint: string };
}
