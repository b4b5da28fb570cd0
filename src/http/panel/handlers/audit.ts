import { Rejection, reject } from '../../../commands/rejection.js';
import { rangeOf } from '../../../commands/undo/past-command.js';
import { eventType } from '../../../events/catalog.js';
import { isAboutMany, membersOf } from '../../../events/client/members.js';
import type { EventHeader, LogSearch } from '../../../events/log/log-search.js';
import { inSlices } from '../../../lib/time/slices.js';
import { codeOf } from '../../../messages/message.js';
import type { AuditFilter } from '../../../projections/audit/audit-search.js';
import { changeSteps } from '../../../projections/audit/changes.js';
import { auditTypes, typesOf } from '../../../projections/audit/groups.js';
import type { AuthRequest } from '../auth/auth-context.js';
import type { Needs } from '../context.js';
import type { AuditQuery, auditRoutes } from '../contract/audit.js';
import type { Handlers } from '../mount.js';
import { TextStream } from '../outcomes.js';

const DEFAULT_LIMIT = 50;
const VERIFIED = 10_000;
/** Links of a chain of causes that an answer shows. */
const MAX_CAUSES = 20;
/** Effects of an event are searched among this many events after it, and this many are listed. */
const EFFECT_RANGE = 5000;
const MAX_EFFECTS = 100;

const MEDIA = { jsonl: 'application/x-ndjson', csv: 'text/csv' } as const;

export const auditHandlers: Handlers<typeof auditRoutes, Needs<'audit' | 'feed' | 'read'>, AuthRequest> = {
  async page({ query: { before, after, limit, ...query } }, { audit, feed, read }, { say, signal, auth }) {
    const filter = filterOf(query, read);
    if (filter instanceof Rejection) return filter;
    const range = { before: before || Number.MAX_SAFE_INTEGER, after, limit: limit || DEFAULT_LIMIT };
    const { found, next } = await audit.page(filter, range, signal);
    const events = await audit.entries(found, say);
    // The session may have ended during a long search.
    if (!auth.isStillValid) return reject('SESSION_EXPIRED');
    const { generation } = feed.log;
    return { events, next, head: audit.log.head().position, generation };
  },

  types: () => [...auditTypes],

  chain(_, { audit, feed, read }) {
    const { position, hash } = audit.log.head();
    const last = read.records.backups().lastGood;
    return {
      generation: feed.log.generation,
      head: { position, hash },
      verified: last && { position: last.position, at: last.at, hash: audit.log.hashAt(last.position) },
    };
  },

  async verify({ query: { after, limit } }, { audit }, { say, signal }) {
    const head = audit.log.head().position;
    if (after > head) return reject('POSITION_UNKNOWN', { after, head });
    const { position, fault } = await audit.verify(after, limit || VERIFIED, signal);
    const found = fault && { position: fault.position, what: say(fault.what), whatCode: codeOf(fault.what) };
    return { position, head, fault: found };
  },

  exported({ query: { format, ...query } }, { audit, read }, { say, signal, auth }) {
    const filter = filterOf(query, read);
    if (filter instanceof Rejection) return filter;
    const name = `audit-${new Date().toISOString().slice(0, 10)}.${format}`;
    const lines = audit.lines(filter, { format, say, isValid: () => auth.isStillValid }, signal);
    return new TextStream({ media: MEDIA[format], name, lines });
  },

  async details({ params: { position } }, { audit }, { say, auth }) {
    const { log } = audit;
    const header = log.header(position);
    if (!header) return reject('POSITION_UNKNOWN', { after: position, head: log.head().position });
    const event = log.event(position);
    const subjects = audit.subjects();
    const effects = log.causedBy(header.id, position + 1, position + EFFECT_RANGE);
    const shown = await audit.entries(effects.slice(0, MAX_EFFECTS), say, subjects);
    const causes = await audit.entries(causesOf(log, header), say, subjects);
    const command = await rangeOf(log, position);
    if (!auth.isStillValid) return reject('SESSION_EXPIRED');
    return {
      entry: audit.entryOf(header, event, subjects, say),
      changes: event ? [...(await inSlices(changeSteps(log, event)))] : [],
      members: event && isAboutMany(event) ? membersOf(event).length : 0,
      causes,
      effects: shown,
      moreEffects: effects.length > MAX_EFFECTS,
      removed: event === undefined,
      hash: log.hashAt(position) ?? '',
      moment: command?.last.position ?? position,
      event: { ...audit.json(header, event) },
    };
  },

  async members({ params: { position }, query: { skip, limit } }, { audit }, { auth }) {
    const header = audit.log.header(position);
    if (!header) return reject('POSITION_UNKNOWN', { after: position, head: audit.log.head().position });
    const members = await audit.members(header, { skip, limit: limit || DEFAULT_LIMIT });
    return auth.isStillValid ? members : reject('SESSION_EXPIRED');
  },
};

/** The causes of an event, the nearest first. */
function causesOf(log: LogSearch, { meta, position }: EventHeader): readonly EventHeader[] {
  const causes: EventHeader[] = [];
  let [id, before] = [meta.causationId, position];
  while (id !== null && causes.length < MAX_CAUSES) {
    const cause = log.find(id, before);
    if (!cause) break;
    causes.push(cause);
    [id, before] = [cause.meta.causationId, cause.position];
  }
  return causes;
}

/** The conditions of a query, or why it is rejected: it names an unknown type, group or client. */
function filterOf(query: AuditQuery, read: Needs<'read'>['read']): AuditFilter | Rejection {
  const { group, client, by, from, to } = query;
  const types = query.types.split(',').flatMap((type) => type.trim() || []);
  const unknown = types.find((type) => !eventType(type));
  if (unknown !== undefined) return reject('EVENT_TYPE_UNKNOWN', { type: unknown.slice(0, 100) });
  const clients = client === '' ? null : numbersOf(client, read);
  if (clients?.length === 0) return reject('CLIENT_NOT_FOUND', { client });
  return {
    ...{ types: typesOf(types, group, query.routine ?? false), clients, inbound: query.inbound, node: query.node },
    ...{ actorKind: by === '' ? null : by, actorName: query.actor.trim().toLowerCase(), ip: query.ip },
    ...{ from, to: to || Number.MAX_SAFE_INTEGER },
  };
}

/** The clients that have an email or had it when they were deleted. */
function numbersOf(email: string, read: Needs<'read'>['read']): readonly number[] {
  return [...read.clients.byEmail(email), ...read.clients.deleted(email)].map(({ number }) => number);
}
