import { z } from 'zod';
import { eventGroups } from '../../../events/group-names.js';
import { issue } from '../../../messages/issue.js';
import { get, routes } from './route.js';
import { Id, optionalFlag, text, whole } from './schemas/fields.js';
import { TextCode } from './schemas/text-code.js';

const MAX_LIMIT = 200;
/** Events that one request verifies at most. */
const MAX_VERIFIED = 10_000;
/** Longest part of a name that is searched for. */
const MAX_NAME = 200;

const word = text.pipe(z.string().max(MAX_NAME, issue('input.tooLong', { limit: MAX_NAME })));
const KINDS = ['user', 'token', 'bot', 'node', 'system'] as const;
const FORMATS = ['jsonl', 'csv'] as const;

const filter = {
  /**
   * Names of event types, separated by commas; empty = those of `group`. The type of a change of one client includes that of many:
   * `ClientDeleted` includes `ClientsDeleted`.
   */
  types: text,
  /** A group of event types; empty = all. */
  group: z.enum(['', ...eventGroups], issue('input.notOneOf', { known: [...eventGroups] })).default(''),
  /** Whether measurements that are recorded all the time are included, such as traffic; `types` includes those it names. */
  routine: optionalFlag,
  /** Email of a client, which may be deleted; empty = any. */
  client: text,
  /** Number of an inbound or of a node; 0 = any. */
  inbound: whole({ min: 0 }),
  node: whole({ min: 0 }),
  /** Kind of the actor, and a part of its name; empty = any. */
  by: z.enum(['', ...KINDS], issue('input.notOneOf', { known: [...KINDS] })).default(''),
  actor: word,
  /** An address of the actor or in the event, or a network such as 10.0.0.0/8; empty = any. */
  ip: z.union([z.literal(''), z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], issue('input.notNetwork')).default(''),
  /** Milliseconds since 1970, both inclusive; 0 = any. */
  from: whole({ min: 0 }),
  to: whole({ min: 0 }),
};

/** What an auditor looks for. All conditions must hold. */
export const AuditQuery = z.object(filter);
export type AuditQuery = z.output<typeof AuditQuery>;

const Subject = z.object({
  kind: z.enum(['client', 'inbound', 'node', 'user', 'geoSource', 'token']),
  number: z.int(),
  /** Its current name, or the last one of a deleted item; empty if it was erased. */
  name: z.string(),
  /** False if it was deleted. */
  exists: z.boolean(),
});

/** An event of the log, for people. */
const AuditEntry = z.object({
  position: z.int(),
  id: z.string(),
  /** Milliseconds since 1970. */
  at: z.int(),
  type: z.string(),
  group: z.enum(eventGroups),
  subject: Subject.nullable(),
  /** What happened to the subject, or a whole sentence without one, in the language of the caller. */
  what: z.string(),
  whatCode: TextCode,
  /** Who caused it, in the language of the caller, without the address. */
  by: z.string(),
  byCode: TextCode,
  actor: z.object({
    ...{ kind: z.enum(KINDS), id: z.string(), name: z.string(), ip: z.string().nullable() },
    /** The role of the admin or the token at that time. Absent for others, and in events of earlier releases. */
    role: z.string().optional(),
    /** Number of the admin to whom the token belongs. */
    admin: z.string().optional(),
  }),
  /** The address of the actor, or that of a failed login; null = none, or it was erased. */
  ip: z.string().nullable(),
  /** The event that caused it. */
  cause: z.object({ position: z.int(), type: z.string() }).nullable(),
});

export const Change = z.object({
  /** Name of the field, or the path of a secret. */
  field: z.string(),
  /** Absent if there was no value, or it is unknown. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  /** Neither value of a secret is shown. */
  secret: z.boolean(),
});

/** The log for auditors, newest first. */
export const auditRoutes = routes('/panel/api/audit', {
  page: get('/page', {
    permission: { resource: 'audit', action: 'read' },
    summary: 'Events of the log that match a filter, newest first, without secrets',
    query: z.object({
      ...filter,
      /** Only events before this position; 0 = from the newest. */
      before: whole({ min: 0 }),
      /** Only events after this position. */
      after: whole({ min: 0 }),
      /** 0 = 50. A page may have more, because all entries of one event are in it. */
      limit: whole({ min: 0, max: MAX_LIMIT }),
    }),
    reply: z.object({
      events: z.array(AuditEntry),
      /**
       * `before` of the next request: all events from here on were examined. The page may be empty although there are older
       * matching events. 0 = everything was examined.
       */
      next: z.int(),
      /** Position of the newest event. */
      head: z.int(),
      /** Changes when the log is replaced: earlier positions are then invalid. */
      generation: z.string(),
    }),
  }),
  types: get('/types', {
    permission: { resource: 'audit', action: 'read' },
    summary: 'All event types with their groups',
    reply: z.array(
      z.object({
        type: z.string(),
        group: z.enum(eventGroups),
        /** A measurement that is recorded all the time; a page without `routine` leaves it out. */
        routine: z.boolean(),
      }),
    ),
  }),
  chain: get('/chain', {
    permission: { resource: 'audit', action: 'read' },
    summary: 'State of the hash chain: the newest event, and how far the last backup has verified the log',
    reply: z.object({
      generation: z.string(),
      head: z.object({ position: z.int(), hash: z.string() }),
      /** The last scheduled backup, which verifies the whole log up to its position; null = none yet. */
      verified: z.object({ position: z.int(), at: z.int(), hash: z.string().nullable() }).nullable(),
    }),
  }),
  verify: get('/verify', {
    permission: { resource: 'audit', action: 'read' },
    summary: 'Verify the hashes of the next events after a position; repeat with the reached position up to the head',
    query: z.object({
      after: whole({ min: 0 }),
      /** 0 = 10,000 */
      limit: whole({ min: 0, max: MAX_VERIFIED }),
    }),
    reply: z.object({
      /** The last position whose hashes are correct. */
      position: z.int(),
      head: z.int(),
      /** The first problem in the verified range; null = none. */
      fault: z.object({ position: z.int(), what: z.string(), whatCode: TextCode }).nullable(),
    }),
  }),
  exported: get('/export', {
    permission: { resource: 'audit', action: 'read' },
    summary: 'Download the events that match a filter, newest first, without secrets, as JSON lines or CSV',
    query: z.object({
      ...filter,
      format: z.enum(FORMATS, issue('input.notOneOf', { known: [...FORMATS] })).default('jsonl'),
    }),
    reply: z.string(),
    media: 'application/x-ndjson',
  }),
  details: get('/:position', {
    permission: { resource: 'audit', action: 'read' },
    summary: 'An event with the values that it changed, what caused it, what it caused, and its JSON without secrets',
    params: z.object({ position: Id }),
    reply: z.object({
      entry: AuditEntry,
      changes: z.array(Change),
      /** Number of clients of an event about many, which `members` shows; 0 for any other event. */
      members: z.int(),
      /** Its cause, the cause of that, and so on. */
      causes: z.array(AuditEntry),
      /** What it caused, oldest first, among the events soon after it. */
      effects: z.array(AuditEntry),
      /** There are more effects than are listed. */
      moreEffects: z.boolean(),
      /** The details were summed up and removed after the retention time. */
      removed: z.boolean(),
      /** Chain hash, hex. */
      hash: z.string(),
      /** Position of the last event of the same command: the first moment that `at` takes and that includes the event. */
      moment: z.int(),
      /** As in the event feed. */
      event: z.record(z.string(), z.unknown()),
    }),
  }),
  members: get('/:position/members', {
    permission: { resource: 'audit', action: 'read' },
    summary: 'The clients of an event about many, with the values that it changed of each',
    params: z.object({ position: Id }),
    query: z.object({
      /** How many clients are left out at the beginning. */
      skip: whole({ min: 0 }),
      /** 0 = 50 */
      limit: whole({ min: 0, max: MAX_LIMIT }),
    }),
    reply: z.object({
      members: z.array(z.object({ subject: Subject.nullable(), changes: z.array(Change) })),
      /** The number of all clients of the event; 0 if it is not about many. */
      total: z.int(),
    }),
  }),
});
