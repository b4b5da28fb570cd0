import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Change, CommandContext, Dispatch, Done } from '../../commands/bus.js';
import type { AnyCommand } from '../../commands/catalog.js';
import type { Rehearsal } from '../../commands/rehearsal.js';
import { Rejection } from '../../commands/rejection.js';
import type { Actor } from '../../events/log/event.js';
import type { CommandId } from '../../events/log/log.js';
import { FRESH_COUNTERS } from '../../lib/panel-wire.js';
import { type Text } from '../../messages/message.js';
import { render } from '../../messages/render.js';
import { languageOf } from '../language/language.js';
import { goneSignal } from '../server/gone.js';
import type { AuthContext, AuthRequest } from './auth/auth-context.js';
import type { HttpRequest, Needs } from './context.js';
import { Answers, callerOf, commandIds } from './idempotency.js';
import { previewOf } from './preview.js';

export type MakeRequest = (req: IncomingMessage, res: ServerResponse, auth: AuthContext) => AuthRequest;

interface RequestParts extends Needs<'read' | 'logged' | 'rehearse' | 'audit'> {
  readonly dispatch: Dispatch;
  readonly change: Change;
  /** Called with the request's correlation id and the session hash before a session changes something. */
  readonly onChange: (correlationId: string, idHash: string) => void;
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
    this.#actor ??= actorOf(this.auth);
    return this.#actor;
  }

  get userId(): number {
    const { byToken, session } = this.auth;
    return byToken ? Math.min(...this.#parts.read.users().users.keys()) : (session?.account.id ?? 0);
  }

  get wantsCounters(): boolean {
    return this.auth.byToken && this.#req.headers[FRESH_COUNTERS] === 'now';
  }

  get accept(): string {
    return this.#req.headers.accept ?? '';
  }

  get requestHost(): string {
    return this.auth.peer.hostname;
  }

  get signal(): AbortSignal {
    return goneSignal(this.#res);
  }

  readonly say = (text: Text): string => render(text, languageOf(this.#req.headers));

  #rehearsal: Rehearsing | null = null;

  get isDryRun(): boolean {
    return this.#rehearsal !== null;
  }

  readonly rehearse: HttpRequest['rehearse'] = async (run, several) => {
    const { read, audit, rehearse } = this.#parts;
    const commands = rehearse();
    this.#rehearsal = { commands, several };
    try {
      const outcome = await run();
      if (outcome instanceof Rejection) return outcome;
    } catch (error) {
      if (!(error instanceof Rehearsed)) throw error;
    }
    return previewOf(commands, { log: audit.log, read, say: this.say });
  };

  readonly refusalOf: HttpRequest['refusalOf'] = (command) => {
    const { correlationId } = this.auth;
    // The same request was carried out before: its own effect must not make it fail.
    if (this.#first !== null && this.#parts.logged(this.#first)) return null;
    const done = this.#parts.dispatch(command, { actor: this.actor, correlationId, dryRun: true });
    return done instanceof Rejection ? done : null;
  };

  readonly once: HttpRequest['once'] = (run) =>
    this.#first === null ? run() : this.#parts.answers.once(this.#first, run);

  readonly dispatch: HttpRequest['dispatch'] = (command) =>
    this.#rehearsal ? this.#decide(command, this.#rehearsal) : this.#parts.dispatch(command, this.#asCaller());

  readonly change: HttpRequest['change'] = async (make) => {
    if (!this.#rehearsal) return this.#parts.change(make, this.#asCaller());
    const command = make();
    return command instanceof Rejection ? command : this.#decide(command, this.#rehearsal);
  };

  #decide(command: AnyCommand, { commands, several }: Rehearsing): Done | Rejection {
    const { correlationId } = this.auth;
    const done = commands.dispatch(command, { actor: this.actor, correlationId });
    // What a handler does after its last command may act outside the log.
    if (!several && !(done instanceof Rejection)) throw new Rehearsed();
    return done;
  }

  #asCaller(): CommandContext {
    const { correlationId, session, byToken } = this.auth;
    if (session && !byToken) this.#parts.onChange(correlationId, session.idHash);
    const commandId = this.#nextId();
    return { actor: this.actor, correlationId, ...(commandId ? { commandId } : {}) };
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

/** Ends the handler of a dry run: its command was decided. */
class Rehearsed extends Error {
  override readonly name = 'Rehearsed';
}

function actorOf({ session, byToken, peer: { ip } }: AuthContext): Actor {
  if (byToken) return { kind: 'token', id: 'api', name: 'API token', ip };
  if (!session) return { kind: 'system', id: 'anonymous', name: 'anonymous', ip };
  const { id, username } = session.account;
  return { kind: 'user', id: String(id), name: username, ip };
}
