import { z } from 'zod';
import { get, post, routes } from './route.js';
import { body, optionalFlag, requiredText } from './schemas/fields.js';
import { TextCode } from './schemas/text-code.js';

/** What can be wrong with the stream of a cluster, as in `StreamFault`; empty = nothing. */
const FAULTS = ['', 'missing', 'purged', 'shortened', 'incomplete', 'building'] as const;
const Problem = { problem: z.string(), problemCode: TextCode };

const ClusterState = z
  .object({
    /** Whether this panel is a member of a cluster. If not, the other members say nothing. */
    enabled: z.boolean(),
    /** The member that answers. */
    name: z.string(),
    role: z.string(),
    /** The member that leads; empty = none is known. */
    leader: z.string(),
    /** The last event in the log of the member that answers. */
    position: z.int(),
    /** Of the leader: the last event that the cluster has confirmed; 0 = it follows. */
    confirmed: z.int(),
    /** Since when the cluster does not answer this member; ms since 1970, 0 = it answers. */
    awayAt: z.int(),
    /** Whether enough copies of the log are current for changes. */
    quorum: z.boolean(),
    /** How many of the servers must have a current copy. */
    needed: z.int(),
    /** The NATS servers with a copy of the log; empty = they do not answer, or have no majority. */
    servers: z.array(
      z.object({
        name: z.string(),
        isLeader: z.boolean(),
        isCurrent: z.boolean(),
        /** Messages that its copy lacks. */
        lag: z.int(),
      }),
    ),
    /** What is wrong with the stream of the cluster. */
    fault: z.enum(FAULTS),
    /** Why nothing can be changed now; empty = changes are possible. */
    ...Problem,
    /** The last change of the leader; null = none was recorded. */
    failover: z
      .object({
        at: z.int(),
        member: z.string(),
        /** Empty = none led before, or it is not known. */
        former: z.string(),
        reason: z.enum(['', 'first', 'handedOver', 'stopped', 'expired']),
        /** The reason as a sentence. */
        why: z.string(),
      })
      .nullable(),
    /** The last time that the stream was rebuilt from the log of a member; null = never. */
    rebuilt: z.object({ at: z.int(), member: z.string(), reason: z.string() }).nullable(),
    /** Events that former leaders have set aside, newest first, at most 20. No change in them was acknowledged. */
    setAside: z.array(
      z.object({
        at: z.int(),
        member: z.string(),
        fromPosition: z.int(),
        toPosition: z.int(),
        /** Name of the file in the folder `backups` of the member. */
        file: z.string(),
      }),
    ),
  })
  .meta({ id: 'ClusterState' });
export type ClusterState = z.output<typeof ClusterState>;

const ClusterMember = z
  .object({
    name: z.string(),
    /** Empty = not known. */
    role: z.string(),
    /** `away`: it has not reported for some seconds. `unknown`: the log names it, and no report of it is known. */
    state: z.enum(['running', 'away', 'stopped', 'unknown']),
    /** The member that answers. */
    isSelf: z.boolean(),
    version: z.string(),
    host: z.string(),
    /** At which clients reach its inbounds; empty = unknown. */
    address: z.string(),
    /** Host and port of its servers; empty = they are not open. */
    panel: z.string(),
    subscription: z.string(),
    position: z.int(),
    /** Events that its log lacks, and for how long it has lacked some, in ms. */
    ...{ lag: z.int(), lagMs: z.int() },
    /** When its last report was written; ms since 1970, 0 = never. */
    seenAt: z.int(),
    /** When its process started; ms since 1970 by its own clock, 0 = unknown. */
    startedAt: z.int(),
    /** How far its clock is ahead of the leader's, in ms; 0 = it is not, or unknown. `clockWrong`: by more than two seconds. */
    ...{ clockMs: z.int(), clockWrong: z.boolean() },
    /** The first event that its release does not know, where it has stopped; 0 = none. */
    unknownAt: z.int(),
    /** Files of the core that its machine could not install, and why. */
    missingFiles: z.array(z.object({ file: z.string(), why: z.string(), whyCode: TextCode })),
    /** The inbounds that its core runs. */
    inbounds: z.array(z.object({ id: z.int(), remark: z.string(), tag: z.string() })),
  })
  .meta({ id: 'ClusterMember' });
export type ClusterMember = z.output<typeof ClusterMember>;

const JoinRequest = z
  .object({
    member: z.string(),
    /** `subscriptions`: it wants to be a mirror, which gets a key of its own in place of the master key. */
    role: z.enum(['member', 'subscriptions']),
    /** When the request ends; ms since 1970. */
    expiresAt: z.int(),
  })
  .meta({ id: 'JoinRequest' });

/** The cluster that this panel is a member of. Each member answers for itself; changes and `requests` go to the leader. */
export const clusterRoutes = routes('/panel/api/cluster', {
  state: get('/state', {
    permission: { resource: 'cluster', action: 'read' },
    summary: 'Get the state of the cluster: the leader, the quorum, faults, and why the leader last changed',
    reply: ClusterState,
  }),
  members: get('/members', {
    permission: { resource: 'cluster', action: 'read' },
    summary: 'List the members of the cluster with their role, position, lag, address and inbounds',
    reply: z.array(ClusterMember),
  }),
  requests: get('/requests', {
    leader: true,
    permission: { resource: 'cluster', action: 'create' },
    summary: 'List the machines that wait to join. Their fingerprints are only on their own screens',
    reply: z.array(JoinRequest),
  }),
  approve: post('/approve', {
    permission: { resource: 'cluster', action: 'create' },
    summary: 'Let a machine join: it gets the master key, or the key of a mirror, sealed to its own key',
    body: body({
      member: requiredText,
      /** As the new machine shows it. */
      fingerprint: requiredText,
    }),
    reply: z.object({
      /** Of the key that it gets; the new machine shows the same. */
      masterFingerprint: z.string(),
    }),
  }),
  stepDown: post('/stepDown', {
    permission: { resource: 'cluster', action: 'run' },
    summary: 'Have the leader hand over to another member that is up to date',
  }),
  remove: post('/remove', {
    permission: { resource: 'cluster', action: 'delete' },
    summary: 'Remove a member that will not return',
    body: body({
      member: requiredText,
      /** Also while it runs, and while it is the machine of inbounds, which then run nowhere. */
      force: optionalFlag,
    }),
  }),
  verify: get('/verify', {
    permission: { resource: 'cluster', action: 'run' },
    summary: 'Compare the whole stream with the log of the member that answers',
    reply: z.object({
      /** Whether nothing differs. */
      sound: z.boolean(),
      fault: z.enum(FAULTS),
      /** The first event that differs; null = none. */
      difference: z
        .object({ what: z.enum(['missing', 'changed', 'other']), position: z.int(), sequence: z.int() })
        .nullable(),
      /** Messages in the stream, and the last event of the log. */
      ...{ messages: z.int(), position: z.int() },
      ...Problem,
    }),
  }),
});
