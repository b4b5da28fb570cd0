import type { ElectionLog } from '../election.js';

/** The last approval of a subscription mirror. */
export interface MirrorApproval {
  /** Of the public key with which it joined. */
  readonly fingerprint: string;
  readonly isRemoved: boolean;
}

/** How a mirror was last approved; null = the last approval under this name was that of a member, or there was none. */
export function approvalOf(log: Pick<ElectionLog, 'lastOf'>, member: string): MirrorApproval | null {
  const approved = log.lastOf('cluster', ['MemberApproved'], ({ data }) => 'member' in data && data.member === member);
  if (approved?.type !== 'MemberApproved' || approved.data.role !== 'subscriptions') return null;
  const removed = log.lastOf('cluster', ['MemberRemoved'], ({ data }) => 'member' in data && data.member === member);
  return { fingerprint: approved.data.fingerprint, isRemoved: (removed?.position ?? 0) > approved.position };
}
