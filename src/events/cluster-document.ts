import type { RecordedEvent } from './catalog.js';

/** The members of the cluster by name, with the address at which clients reach their inbounds; empty = unknown. */
export type ClusterMembers = ReadonlyMap<string, string>;

export function evolveMembers(members: ClusterMembers, event: RecordedEvent): ClusterMembers {
  switch (event.type) {
    case 'LeaderElected':
    case 'MemberApproved': {
      const { member } = event.data;
      return members.has(member) ? members : new Map(members).set(member, '');
    }
    case 'MemberAddressChanged':
      return new Map(members).set(event.data.member, event.data.address);
    case 'MemberRemoved':
      return new Map([...members].filter(([name]) => name !== event.data.member));
    default:
      return members;
  }
}
