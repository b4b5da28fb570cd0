import { z } from 'zod';
import { defineEvent } from './log/event.js';

/** Why a member became the leader: none led before, or what the leader before it did. */
const REASONS = ['first', 'handedOver', 'stopped', 'expired'] as const;
export type ElectionReason = (typeof REASONS)[number];

const member = z.string().describe('Name of the member.');

export const LeaderElected = defineEvent('LeaderElected', {
  summary:
    'A member of the cluster became the leader. No member that led before it can append anything after this event.',
  recordedBy: {
    RecordLeaderElected: 'a member took the lease and has read the whole stream, before it does anything else',
  },
  data: z.strictObject({
    member,
    former: z.string().nullable().optional().describe('The leader before it; null = none. Absent in older events.'),
    reason: z
      .enum(REASONS)
      .optional()
      .describe(
        '`first`: none led before. `handedOver`: an admin made the former leader step down. `stopped`: its process was stopped. `expired`: it was killed or cut off, and did not renew its lease.',
      ),
  }),
  stream: () => 'cluster',
});

export const TailSetAside = defineEvent('TailSetAside', {
  summary:
    'A former leader had events that the cluster never confirmed. It moved them from its log into a file. No change in them was acknowledged.',
  recordedBy: { RecordTailSetAside: 'the member follows the cluster again and reports it to the leader' },
  data: z.strictObject({
    member,
    fromPosition: z.int().meta({ unit: 'position', description: 'First position that it had.' }),
    toPosition: z.int().meta({ unit: 'position', description: 'Last position that it had.' }),
    file: z.string().describe('Name of the file in the folder `backups` of the member.'),
  }),
  stream: () => 'cluster',
});

export const LeadershipHandedOver = defineEvent('LeadershipHandedOver', {
  summary: 'An admin made the leader step down. It records nothing after this event.',
  recordedBy: { HandOverLeadership: 'another member is up to date' },
  data: z.strictObject({ member }),
  stream: () => 'cluster',
});

export const MemberRemoved = defineEvent('MemberRemoved', {
  summary: 'An admin removed a member that will not return from the list of members.',
  recordedBy: {
    RemoveMember: 'the member does not lead, and its removal was forced, or it neither runs nor has inbounds',
  },
  data: z.strictObject({ member }),
  stream: () => 'cluster',
});

export const MemberAddressChanged = defineEvent('MemberAddressChanged', {
  summary: 'A member of the cluster has another address, which is in the links to its inbounds.',
  recordedBy: { RecordMemberAddress: 'the member reports an address that is not the recorded one' },
  data: z.strictObject({
    member,
    address: z
      .string()
      .describe(
        'Host name or IP address: `PORTOLAN_CLUSTER_ADDRESS`, else the full host name of the machine; empty = neither.',
      ),
  }),
  stream: () => 'cluster',
});

/** What was wrong with a stream. */
const STREAM_FAULTS = ['missing', 'purged', 'shortened', 'incomplete', 'building', 'changed'] as const;
export type RebuildReason = (typeof STREAM_FAULTS)[number];

export const StreamRebuilt = defineEvent('StreamRebuilt', {
  summary: 'An operator rebuilt the stream of the cluster from the verified log of a member.',
  recordedBy: { RecordStreamRebuilt: 'a member leads for the first time after portolan cluster rebuild' },
  data: z.strictObject({
    member,
    at: z.int().meta({ unit: 'ms since 1970 UTC', description: 'When the stream was complete.' }),
    reason: z
      .enum(STREAM_FAULTS)
      .describe(
        '`missing`: it was deleted. `purged`, `shortened` and `incomplete`: it lacked its first or last messages, or some in between. `building`: a rebuild before was stopped. `changed`: its content did not agree with the log.',
      ),
    fromPosition: z.int().meta({ unit: 'position', description: 'First position that it was filled with.' }),
    toPosition: z.int().meta({ unit: 'position', description: 'Last position that it was filled with.' }),
  }),
  stream: () => 'cluster',
});

export const ClusterLeft = defineEvent('ClusterLeft', {
  summary:
    'The panel started alone, without its cluster. What it records from here on is acknowledged by this machine only, so it is never set aside.',
  recordedBy: { RecordClusterLeft: 'a panel starts without `PORTOLAN_CLUSTER_URL` and was a member before' },
  data: z.strictObject({}),
  stream: () => 'cluster',
});

export const MemberApproved = defineEvent('MemberApproved', {
  summary:
    'An operator let a machine join the cluster: the leader handed the master key over, or to a mirror the key of that mirror, sealed to its public key.',
  recordedBy: { RecordMemberApproved: 'portolan cluster approve' },
  data: z.strictObject({
    member,
    fingerprint: z.string().describe('Fingerprint of the public key of the machine, which the operator compared.'),
    role: z
      .enum(['subscriptions'])
      .optional()
      .describe(
        '`subscriptions`: it is a mirror and got a key of its own instead of the master key. Absent for other members.',
      ),
  }),
  stream: () => 'cluster',
});

export const clusterEvents = [
  LeaderElected,
  TailSetAside,
  MemberApproved,
  LeadershipHandedOver,
  MemberRemoved,
  MemberAddressChanged,
  StreamRebuilt,
  ClusterLeft,
] as const;
