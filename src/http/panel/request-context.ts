import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Change, CommandContext, Dispatch, Done } from '../../commands/bus.js';
import type { AnyCommand } from '../../commands/catalog.js';
import type { Rehearsal } from '../../commands/rehearsal.js';
import { Rejection } from '../../commands/rejection.js';
import type { Access } from '../../events/access/access-of.js';
import type { Actor } from '../../events/log/event.js';
import type { CommandId } from '../../events/log/log.js';
import { FRESH_COUNTERS } from '../../lib/panel-wire.js';
import { type Text } from '../../messages/message.js';
import type { Moment } from '../../projections/moments.js';
import type { ReadModels } from '../../projections/read-models.js';
import { rendererOf } from '../language/reader.js';
import { goneSignal } from '../server/gone.js';
import type { AuthContext, AuthRequest } from './auth/auth-context.js';
import { authorOf, tabOf } from './auth/author.js';
import type { HttpRequest, Needs, Wants } from './context.js';
import { type Documents, type Expected, expectedOf, staleness, versionTag } from './documents.js';
import type { Handling, Wanted } from './handling.js';
import { Answers, callerOf, commandIds } from './idempotency.js';
import { LimitedView } from './limited-view.js';
import { momentHeaders } from './moment.js';
import { Message } from './outcomes.js';
import { previewOf } from './preview.js';
import { relayedCaller } from './relay/relayed.js';

export type MakeRequest = (req: IncomingMessage, res: ServerResponse, auth: AuthContext) => AuthRequest;

interface RequestParts
  extends Needs<'read' | 'logged' | 'rehearse' | 'audit' | 'moment' | 'past' | 'positions' | 'versions'> {
  readonly dispatch: Dispatch;
  readonly change: Change;
  /** Called with the request's correlation id and the author before a session changes something. */
  readonly onChange: (correlationId: string, author: string) => void;
  readonly answers: Answers;
}

/** A dry run in progress. */
interface Rehearsing {
  readonly commands: Rehearsal;
  readonly several: boolean;
}

/** Returns the factory for the requests that handlers receive. */
export function requestMaker(parts: Omit<RequestParts, 'answers'>): MakeRequest {
  const all = { ...parts, answers: new Answers(parts.logged) };
  return (req, res, auth) => new PanelRequest(all, req, res, auth);
}

/**
 * A request as a handler sees it. Its members are computed on access, because computing all of them costs more than many
 * answers do. So it must not be spread.
 */
class PanelRequest implements AuthRequest {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly auth: AuthContext;
  readonly #parts: RequestParts;
  #actor: Actor | null = null;

  constructor(parts: RequestParts, req: IncomingMessage, res: ServerResponse, auth: AuthContext) {
    this.#parts = parts;
    this.#req = req;
    this.#res = res;
    this.auth = auth;
  }

  get actor(): Actor {
    this.#actor ??= this.auth.actor;
    return this.#actor;
  }

  get access(): Access {
    return this.auth.access;
  }

  #limits: LimitedView | null = null;
  /** By the access that the caller has now: a request may wait for long. */
  #limited(): LimitedView | null {
    return this.access.isLimited ? this.#view() : null;
  }

  #feedLimits(): LimitedView | null {
    const { access } = this;
    return access.isLimited || access.scopeOf('audit:read') !== 'all' ? this.#view() : null;
  }

  #view(): LimitedView {
    const { access } = this;
    if (this.#limits?.access !== access) this.#limits = new LimitedView(this.#parts, access, this.actor);
    return this.#limits;
  }

  /** The documents that the caller can read. */
  get #documents(): Documents {
    const limits = this.#limited();
    const { audit, versions, read } = this.#parts;
    return { audit, versions, read: limits?.read ?? read, limits };
  }

  get userId(): number {
    const { bearer, session } = this.auth;
    if (bearer === null) return session?.account.id ?? 0;
    return (bearer === 'api' ? null : bearer.admin) ?? firstOwner(this.#parts.read);
  }

  get wants(): Wants {
    const { headers } = this.#req;
    return {
      counters: this.auth.bearer !== null && headers[FRESH_COUNTERS] === 'now',
      accept: headers.accept ?? '',
      askedAt: this.#askedAt,
    };
  }

  get requestHost(): string {
    return this.auth.peer.hostname;
  }

  get #askedAt(): string | undefined {
    return relayedCaller(this.#req)?.member;
  }

  get signal(): AbortSignal {
    return goneSignal(this.#res);
  }

  #say: ((text: Text) => string) | null = null;
  readonly say = (text: Text): string => {
    this.#say ??= rendererOf(this.#req.headers);
    return this.#say(text);
  };

  #handling: Handling | null = null;
  get handling(): Handling {
    const isDryRun = () => this.#rehearsal !== null;
    const limits = () => this.#limited();
    const feedLimits = () => this.#feedLimits();
    this.#handling ??= {
      get limits() {
        return limits();
      },
      get feedLimits() {
        return feedLimits();
      },
      get isDryRun() {
        return isDryRun();
      },
      rehearse: (run, several) => this.#rehearse(run, several),
      once: (run) => (this.#first === null ? run() : this.#once(this.#first, run)),
      expecting: (wanted, run) => this.#expecting(wanted, run),
      moment: (at) => this.#moment(at),
      tag: (document, params) => {
        const tag = versionTag(this.#documents, document, params);
        if (tag !== null) this.#res.setHeader('ETag', tag);
      },
    };
    return this.#handling;
  }

  async #moment(at: string): Promise<Moment | Rejection> {
    const limits = this.#limited();
    const moment = await this.#parts.moment(at, limits);
    // The access of the caller may have changed meanwhile.
    if (this.#limited() !== limits) return this.#moment(at);
    if (moment instanceof Rejection) return moment;
    for (const [name, value] of momentHeaders(moment, limits !== null)) this.#res.setHeader(name, value);
    return moment;
  }

  async #once(id: CommandId, run: () => Promise<unknown>): Promise<unknown> {
    const performed = await this.#parts.answers.once(id, async () => ({ outcome: await run(), position: this.#last }));
    if (performed instanceof Rejection) return performed;
    const { outcome, position } = performed;
    if (position !== this.#last) this.#receipt(position);
    return outcome;
  }

  #rehearsal: Rehearsing | null = null;

  async #rehearse(run: () => Promise<unknown>, several: boolean): Promise<unknown> {
    const { audit, rehearse } = this.#parts;
    const commands = rehearse();
    this.#rehearsal = { commands, several };
    let report: unknown;
    try {
      const outcome = await run();
      if (outcome instanceof Rejection) return outcome;
      report = outcome instanceof Message ? outcome.obj : null;
    } catch (error) {
      if (!(error instanceof Rehearsed)) throw error;
    }
    const preview = await previewOf(commands, { ...this.#documents, log: audit.log, say: this.say });
    return report ? { ...preview, report } : preview;
  }

  readonly refusalOf: HttpRequest['refusalOf'] = (command) => {
    const { correlationId } = this.auth;
    // The same request was carried out before: its own effect must not make it fail.
    if (this.#first !== null && this.#parts.logged(this.#first)) return null;
    const done = this.#parts.dispatch(command, {
      actor: this.actor,
      correlationId,
      askedAt: this.#askedAt,
      dryRun: true,
    });
    return done instanceof Rejection ? done : null;
  };

  #expected: readonly Expected[] = [];

  async #expecting(wanted: Omit<Wanted, 'header'>, run: () => Promise<unknown>): Promise<unknown> {
    const expected = expectedOf({ ...wanted, header: this.#req.headers['if-match'] }, this.#documents.read);
    if (expected instanceof Rejection) return expected;
    this.#expected = expected;
    return this.#stale() ?? run();
  }

  /** Why the first command must not be carried out: a document has another version. Its own effect does not count. */
  #stale(): Rejection | null {
    if (this.#expected.length === 0 || (this.#first !== null && this.#parts.logged(this.#first))) return null;
    return staleness(this.#documents, this.#expected, this.say);
  }

  readonly dispatch: HttpRequest['dispatch'] = (command) =>
    this.#stale() ??
    (this.#rehearsal
      ? this.#decide(command, this.#rehearsal)
      : this.#done(this.#parts.dispatch(command, this.#asCaller())));

  readonly change: HttpRequest['change'] = async (make, causationId) => {
    const current = () => this.#stale() ?? make();
    if (!this.#rehearsal) return this.#done(await this.#parts.change(current, this.#asCaller(causationId)));
    const command = current();
    return command instanceof Rejection ? command : this.#decide(command, this.#rehearsal, causationId);
  };

  #done(done: Done | Rejection): Done | Rejection {
    const last = done instanceof Rejection ? undefined : done.events.at(-1)?.position;
    if (last === undefined) return done;
    // The next commands of the request find their own effect.
    this.#expected = [];
    this.#receipt(last);
    return done;
  }

  /** The position of the last event that the request appended. */
  #last: number | null = null;

  /** The headers with that position, which limited callers cannot count, and with the hash of the event. */
  #receipt(last: number | null): void {
    this.#last = last;
    if (last === null || this.#res.headersSent) return;
    this.#res.setHeader('X-Portolan-Position', String(this.#limited()?.hide(last) ?? last));
    this.#res.setHeader('X-Portolan-Hash', this.#parts.audit.log.hashAt(last) ?? '');
  }

  #decide(command: AnyCommand, { commands, several }: Rehearsing, causationId?: string): Done | Rejection {
    const { correlationId } = this.auth;
    const caused = causationId === undefined ? {} : { causationId };
    const done = commands.dispatch(command, { actor: this.actor, correlationId, askedAt: this.#askedAt, ...caused });
    // What a handler does after its last command may act outside the log.
    if (!several && !(done instanceof Rejection)) throw new Rehearsed();
    return done;
  }

  #asCaller(causationId?: string): CommandContext {
    const { correlationId, session, bearer } = this.auth;
    if (session && bearer === null) this.#parts.onChange(correlationId, authorOf(session.idHash, tabOf(this.#req)));
    const commandId = this.#nextId();
    return {
      ...{ actor: this.actor, correlationId, askedAt: this.#askedAt },
      ...(causationId === undefined ? {} : { causationId }),
      ...(commandId ? { commandId } : {}),
    };
  }

  #id: CommandId | null | undefined;
  /** The id of the request and of its first command; null without an `Idempotency-Key`. */
  get #first(): CommandId | null {
    if (this.#id === undefined) this.#id = commandIds(this.#req, this.auth, callerOf(this.actor))?.() ?? null;
    return this.#id;
  }

  #ids: (() => CommandId) | null | undefined;
  #nextId(): CommandId | null {
    if (this.#ids === undefined) this.#ids = commandIds(this.#req, this.auth, callerOf(this.actor));
    return this.#ids?.() ?? null;
  }
}

/** The owner with the lowest number, whose inbounds a token without an admin has. */
function firstOwner(read: ReadModels): number {
  return Math.min(...[...read.admins.users().users.keys()].filter((id) => read.admins.accessOf(id).isOwner));
}

/** Ends the handler of a dry run: its command was decided. */
class Rehearsed extends Error {
  override readonly name = 'Rehearsed';
}
