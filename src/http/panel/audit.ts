import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '../../events/catalog.js';
import { isAboutMany, memberIn, membersOf } from '../../events/client/members.js';
import { groupOf } from '../../events/groups.js';
import type { ChainPart, EventHeader, LogSearch } from '../../events/log/log-search.js';
import { csvLine } from '../../lib/csv.js';
import { inSlices } from '../../lib/time/slices.js';
import { timeText } from '../../lib/words.js';
import { codeOf, message, type Text } from '../../messages/message.js';
import { type AuditFilter, type SearchStep, searchLog } from '../../projections/audit/audit-search.js';
import { type Change, changeSteps } from '../../projections/audit/changes.js';
import { sentenceOf } from '../../projections/audit/sentences.js';
import { Subjects } from '../../projections/audit/subjects.js';
import { feedActor, feedEvent } from '../../projections/feed.js';
import type { ReadModels } from '../../projections/read-models.js';
import { actorText } from '../../projections/why/history.js';

type Say = (text: Text) => string;

/** Work between two turns of the event loop, and for the search of one request, in ms. */
const TURN_MS = 5;
const REQUEST_MS = 200;
const CSV_HEADER = ['position', 'time', 'type', 'subject', 'number', 'what', 'by', 'name', 'address', 'cause', 'role'];

/** The caller may no longer read the log. The error breaks the download off, so that the file does not look complete. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

interface Range {
  /** Exclusive. */
  readonly before: number;
  readonly after: number;
  readonly limit: number;
}

/** The log for auditors. Searches in turns, so that other requests are answered meanwhile. */
export class AuditPages {
  readonly log: LogSearch;
  readonly #read: ReadModels;
  readonly #requestMs: number;

  /** `requestMs` is for tests. */
  constructor(log: LogSearch, read: ReadModels, requestMs = REQUEST_MS) {
    this.log = log;
    this.#read = read;
    this.#requestMs = requestMs;
  }

  /**
   * The newest matching events of a range, and where the next page starts: before this position; 0 = all were searched. The parts
   * of several clients in one event have one position and are in one page, which may have more than `limit` entries then.
   */
  async page(filter: AuditFilter, { before, after, limit }: Range, signal: AbortSignal) {
    const found: EventHeader[] = [];
    const start = performance.now();
    for await (const step of this.#steps(filter, before, after, signal)) {
      found.push(...step.found);
      if (found.length >= limit) {
        const last = found[limit - 1]?.position ?? 0;
        const cut = found.filter(({ position }) => position >= last);
        return { found: cut, next: found.length > cut.length ? last : endOf(step, after) };
      }
      if (performance.now() - start > this.#requestMs) return { found, next: endOf(step, after) };
    }
    return { found, next: 0 };
  }

  /** An event for people, in a language. */
  entryOf(header: EventHeader, event: RecordedEvent | undefined, subjects: Subjects, say: Say) {
    const { position, id, type, meta } = header;
    const what = event ? sentenceOf(event) : message('audit.payloadRemoved', { type });
    const by = actorText({ ...meta, actor: { ...meta.actor, ip: null } });
    const cause = meta.causationId === null ? null : this.log.find(meta.causationId, position);
    return {
      ...{ position, id, at: meta.at, type, group: groupOf(type), subject: subjects.of(header, event) },
      ...{ what: say(what), whatCode: codeOf(what), by: say(by), byCode: codeOf(by), actor: { ...meta.actor } },
      ip: ipOf(meta, event),
      cause: cause && { position: cause.position, type: cause.type },
    };
  }

  subjects(): Subjects {
    return new Subjects(this.#read, this.log);
  }

  /** The event, or what it is for the client to whose stream the header belongs. */
  #eventOf({ position, stream }: EventHeader): RecordedEvent | undefined {
    const event = this.log.event(position);
    return event && (memberIn(event, stream) ?? event);
  }

  /** Entries of events, in the given order. */
  async entries(headers: readonly EventHeader[], say: Say, subjects = this.subjects()) {
    const entries: ReturnType<AuditPages['entryOf']>[] = [];
    const turn = new Turns();
    for (const header of headers) {
      entries.push(this.entryOf(header, this.#eventOf(header), subjects, say));
      await turn.next();
    }
    return entries;
  }

  /** Some clients of an event about many, with what it changed of each. */
  async members(header: EventHeader, { skip, limit }: { readonly skip: number; readonly limit: number }) {
    const event = this.log.event(header.position);
    const all = event && isAboutMany(event) ? membersOf(event) : [];
    const subjects = this.subjects();
    const members: { subject: ReturnType<Subjects['of']>; changes: Change[] }[] = [];
    for (const member of all.slice(skip, skip + limit)) {
      const changes = await inSlices(changeSteps(this.log, member));
      members.push({ subject: subjects.of({ ...header, stream: member.stream }, member), changes: [...changes] });
      await nextTurn();
    }
    return { members, total: all.length };
  }

  /** An event as in the event feed; without data when its payload was rolled up. */
  json(header: EventHeader, event: RecordedEvent | undefined): Readonly<Record<string, unknown>> {
    if (event) return { ...feedEvent(event, (client) => this.#read.clients.get(client)?.identity.email) };
    const { position, id, type, stream, version, meta } = header;
    const { at, correlationId, causationId } = meta;
    return {
      ...{ position, id, type, stream, version, at, actor: feedActor(meta.actor) },
      ...{ correlationId, causationId, data: null },
    };
  }

  /** Verifies the hashes of up to `limit` events after a position. */
  async verify(after: number, limit: number, signal: AbortSignal): Promise<ChainPart> {
    let part: ChainPart = { position: after, fault: null };
    while (part.position < after + limit && !signal.aborted) {
      const { position } = part;
      part = this.log.verify(position, Math.min(VERIFIED_PER_TURN, after + limit - position));
      if (part.fault || part.position === position) break;
      await nextTurn();
    }
    return part;
  }

  /** The lines of a file with all matching events, newest first. Throws `SessionEnded` when `isValid` returns false. */
  async *lines(
    filter: AuditFilter,
    { format, say, isValid }: { readonly format: 'jsonl' | 'csv'; readonly say: Say; readonly isValid: () => boolean },
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(CSV_HEADER);
    for await (const { found } of this.#steps(filter, Number.MAX_SAFE_INTEGER, 0, signal)) {
      const subjects = this.subjects();
      for (let first = 0; first < found.length; first += LINES_PER_TURN) {
        if (!isValid()) throw new SessionEnded();
        const headers = found.slice(first, first + LINES_PER_TURN);
        yield headers.map((header) => this.#line(header, format, subjects, say)).join('');
        await nextTurn();
      }
    }
  }

  #line(header: EventHeader, format: 'jsonl' | 'csv', subjects: Subjects, say: Say): string {
    const event = this.#eventOf(header);
    const { position, at, type, subject, what, by, actor, ip, cause } = this.entryOf(header, event, subjects, say);
    if (format === 'jsonl') return `${JSON.stringify({ ...this.json(header, event), ip, subject, what, by })}\n`;
    const about = [subject?.name ?? '', subject?.number ?? ''];
    return csvLine([
      position,
      timeText(at),
      type,
      ...about,
      what,
      by,
      actor.name,
      ip ?? '',
      cause?.position ?? '',
      actor.role ?? '',
    ]);
  }

  /** The steps of a search. Other work gets a turn between them. */
  async *#steps(filter: AuditFilter, before: number, after: number, signal: AbortSignal): AsyncGenerator<SearchStep> {
    const turn = new Turns();
    for (const step of searchLog(this.log, filter, before, after)) {
      yield step;
      if (signal.aborted) return;
      await turn.next();
    }
  }
}

/** Gives other requests a turn of the event loop when the work has taken `TURN_MS`. */
class Turns {
  #began = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await nextTurn();
    this.#began = performance.now();
  }
}

/** Events that are verified before other work gets a turn: about 5 ms. */
const VERIFIED_PER_TURN = 200;
/** Lines that are made before other work gets a turn: about 5 ms. */
const LINES_PER_TURN = 30;

/** 0 when the step was the last one. */
const endOf = ({ next }: SearchStep, after: number): number => (next <= after + 1 ? 0 : next);

/** The address of the actor. A failed login has no actor yet; its address is in the event. */
const ipOf = ({ actor }: EventHeader['meta'], event: RecordedEvent | undefined): string | null =>
  actor.ip ?? (event?.type === 'LoginFailed' ? event.data.attempt.ip || null : null);
