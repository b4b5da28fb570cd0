import type { ClusterMember, ClusterState } from '../../api/contract.generated';
import type { Tone } from '../../ui/display/Status';

/** How the cluster is, in one word: the gravest first. */
export type Health = 'damaged' | 'unreachable' | 'noLeader' | 'noQuorum' | 'away' | 'copies' | 'single' | 'well';

export function healthOf(state: ClusterState, members: readonly ClusterMember[]): Health {
  if (state.fault !== '') return 'damaged';
  if (state.awayAt > 0) return 'unreachable';
  if (state.leader === '') return 'noLeader';
  if (!state.quorum) return 'noQuorum';
  if (members.some((member) => member.state === 'away')) return 'away';
  if (state.servers.some(({ isCurrent }) => !isCurrent)) return 'copies';
  return members.length === 1 ? 'single' : 'well';
}

export const TONES: Readonly<Record<Health, Tone>> = {
  ...{ damaged: 'bad', unreachable: 'bad', noLeader: 'bad', noQuorum: 'bad' },
  ...{ away: 'warn', copies: 'warn', single: 'good', well: 'good' },
};

/** Names of members, and those of servers that lag, for the sentence of a health. */
export function namesIn(health: Health, state: ClusterState, members: readonly ClusterMember[]): readonly string[] {
  if (health === 'away') return members.filter((member) => member.state === 'away').map(({ name }) => name);
  if (health === 'copies') return state.servers.filter(({ isCurrent }) => !isCurrent).map(({ name }) => name);
  return [];
}
