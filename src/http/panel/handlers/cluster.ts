import { type ClusterView, hasWrongClock, quorumOf } from '../../../commands/ports/cluster.js';
import { Rejection, reject } from '../../../commands/rejection.js';
import { MessageError } from '../../../messages/error.js';
import { codeOf, message } from '../../../messages/message.js';
import { electionText } from '../../../projections/audit/election-text.js';
import type { ReadModels } from '../../../projections/read-models.js';
import type { HttpRequest, Needs } from '../context.js';
import type { ClusterMember, ClusterState, clusterRoutes } from '../contract/cluster.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';
import type { ClusterServices } from '../relay/cluster-services.js';

type Services = Needs<'read' | 'cluster' | 'logHead' | 'now'>;

export const clusterHandlers: Handlers<typeof clusterRoutes, Services> = {
  state: (_, { cluster, logHead }, { say }) => (cluster === null ? ALONE : stateOf(cluster, logHead().position, say)),

  members: (_, { read, cluster, now }, { say }) =>
    cluster === null ? [] : membersIn(read, cluster.admin.view(), now(), say),

  requests: (_, { cluster }) => {
    const joins = joinsOf(cluster);
    if (joins instanceof Rejection) return joins;
    return joins.requests().map(({ member, role, expiresAt }) => ({ member, role, expiresAt }));
  },

  approve({ body: { member, fingerprint } }, { cluster }, { dispatch }) {
    const joins = joinsOf(cluster);
    if (joins instanceof Rejection) return joins;
    try {
      return joins.approve(member, fingerprint, (data) => {
        const done = dispatch({ type: 'RecordMemberApproved', data });
        if (done instanceof Rejection) throw new MessageError(done.text);
      });
    } catch (error) {
      if (error instanceof MessageError) return reject('CLUSTER_JOIN_REFUSED', { why: error.text });
      throw error;
    }
  },

  async stepDown(_, { cluster }, { dispatch }) {
    if (cluster === null) return reject('CLUSTER_NONE');
    const { name: member } = cluster.admin.view();
    return (await cluster.admin.steer(null, dispatch)) ?? new Message(message('cluster.steppedDown', { member }));
  },

  async remove({ body: { member, force = false } }, { cluster }, { dispatch }) {
    if (cluster === null) return reject('CLUSTER_NONE');
    const refused = await cluster.admin.steer({ member, force }, dispatch);
    return refused ?? new Message(message('cluster.removed', { member }));
  },

  async verify(_, { cluster }, { say }) {
    if (cluster === null) return reject('CLUSTER_NONE');
    const found = await cluster.admin.verify();
    if (found instanceof Rejection) return found;
    const { fault, problems, ...others } = found;
    const problem = problems.length === 0 ? null : message('cluster.verifyFailed', { problems });
    return {
      ...others,
      ...{ sound: problem === null, fault: fault ?? '' },
      ...{ problem: problem ? say(problem) : '', problemCode: codeOf(problem) },
    };
  },
};

/** The machines that wait, at the leader. */
function joinsOf(cluster: ClusterServices | null) {
  if (cluster === null) return reject('CLUSTER_NONE');
  return cluster.admin.joins() ?? cluster.refusal() ?? reject('CLUSTER_NO_LEADER');
}

/** The answer of a panel that is in no cluster. */
const ALONE: ClusterState = {
  ...{ enabled: false, name: '', role: '', leader: '', position: 0, confirmed: 0, awayAt: 0 },
  ...{ quorum: false, needed: 0, servers: [], fault: '', problem: '', problemCode: null },
  ...{ failover: null, rebuilt: null, setAside: [] },
};

async function stateOf(cluster: ClusterServices, position: number, say: HttpRequest['say']): Promise<ClusterState> {
  const { admin } = cluster;
  const { name, role, leader, confirmed, awayAt, fault, servers } = admin.view();
  const { failover, rebuilt, setAside } = await admin.history();
  const needed = servers === null ? 0 : quorumOf(servers);
  const current = (servers ?? []).filter(({ isCurrent }) => isCurrent).length;
  const refused = cluster.refusal();
  // The leader makes the changes for this follower.
  const why = refused === null || refused.code === 'CLUSTER_FOLLOWER' ? null : refused.text;
  return {
    ...{ enabled: true, name, role, leader: leader ?? '', position, confirmed: confirmed ?? 0, awayAt: awayAt ?? 0 },
    ...{ quorum: servers !== null && current >= needed, needed, servers: [...(servers ?? [])] },
    ...{ fault: fault ?? '', problem: why ? say(why) : '', problemCode: codeOf(why) },
    failover: failover && {
      ...{ at: failover.at, member: failover.member, former: failover.former ?? '', reason: failover.reason ?? '' },
      why: failover.reason ? say(electionText(failover.reason, failover.former ?? '')) : '',
    },
    rebuilt: rebuilt && { at: rebuilt.at, member: rebuilt.member, reason: rebuilt.reason },
    setAside: [...setAside],
  };
}

/** The members that report, and those that only the log names, by name. */
function membersIn(
  { records, inbounds }: ReadModels,
  view: ClusterView,
  now: number,
  say: HttpRequest['say'],
): ClusterMember[] {
  const addresses = records.members();
  const reported = new Map(view.members.map((member) => [member.name, member]));
  const names = [...new Set([...reported.keys(), ...addresses.keys()])].sort();
  return names.map((name): ClusterMember => {
    const report = reported.get(name);
    const own = inbounds.all().filter(({ machine }) => machine === name);
    const shared = {
      ...{ name, isSelf: name === view.name, address: addresses.get(name) ?? '' },
      inbounds: own.map(({ id, remark, tag }) => ({ id, remark, tag })),
    };
    if (report === undefined) return { ...shared, ...UNKNOWN };
    const { role, state, version, host, panel, subscription, position, lag, lagMs, since, ageMs } = report;
    const { clockMs, unknownAt, missingFiles } = report;
    return {
      ...{ ...shared, role, state, version, host, position, lag, lagMs },
      ...{ panel: panel ?? '', subscription: subscription ?? '', seenAt: now - ageMs, startedAt: since },
      ...{ clockMs: clockMs ?? 0, clockWrong: hasWrongClock(report), unknownAt: unknownAt ?? 0 },
      missingFiles: missingFiles.map(({ file, why }) => ({ file, why: say(why), whyCode: codeOf(why) })),
    };
  });
}

/** A member of which no report is known. */
const UNKNOWN = {
  state: 'unknown' as const,
  ...{ role: '', version: '', host: '', panel: '', subscription: '' },
  ...{ position: 0, lag: 0, lagMs: 0, seenAt: 0, startedAt: 0 },
  ...{ clockMs: 0, clockWrong: false, unknownAt: 0, missingFiles: [] },
} satisfies Partial<ClusterMember>;
