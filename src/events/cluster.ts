import { z } from 'zod';
import { defineEvent } from './log/event.js';

const member = z.string().describe('Name of the member.');

export const LeaderElected = defineEvent('LeaderElected', {
  summary:
    'A member of the cluster became the leader. No member that led before it can append anything after this event.',
  recordedBy: {
    RecordLeaderElected: 'a member took the lease and has read the whole stream, before it does anything else',
  },
  data: z.strictObject({ member }),
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

export const clusterEvents = [LeaderElected, TailSetAside] as const;
