import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Change, CommandContext, Dispatch } from '../commands/bus.js';
import { Rejection } from '../commands/rejection.js';
import type { Actor } from '../events/event.js';
import type { CommandId } from '../events/log.js';
import type { AuthContext, Visit } from './auth/visit.js';
import type { HttpContext, HttpParts } from './context.js';
import { goneSignal } from './gone.js';
import { languageOf } from './language/language.js';
import { translated } from './language/translate.js';

export type MakeContext = (req: IncomingMessage, res: ServerResponse, visit: Visit) => AuthContext;

/**
 * Makes what a handler is given. A context has the panel's parts by its prototype, and the rest when it is asked for:
 * copying and preparing everything for each request costs more than many an answer. So it must not be spread.
 */
export function contextMaker(
  http: HttpParts,
  { dispatch, change }: { readonly dispatch: Dispatch; readonly change: Change },
  /** Told of each session that is about to change something: its hash, under the request's correlation id. */
  authored: (correlationId: string, idHash: string) => void,
): MakeContext {
  class RequestContext implements Omit<AuthContext, keyof HttpParts> {
    readonly #req: IncomingMessage;
    readonly #res: ServerResponse;
    readonly visit: Visit;
    #actor: Actor | null = null;

    constructor(req: IncomingMessage, res: ServerResponse, visit: Visit) {
      this.#req = req;
      this.#res = res;
      this.visit = visit;
    }

    get actor(): Actor {
      this.#actor ??= actorOf(this.visit);
      return this.#actor;
    }

    get userId(): number {
      const { byToken, session } = this.visit;
      return byToken ? Math.min(...http.read.users().users.keys()) : (session?.account.id ?? 0);
    }

    get accept(): string {
      return this.#req.headers.accept ?? '';
    }

    get requestHost(): string {
      return this.visit.peer.hostname;
    }

    get secure(): boolean {
      return this.visit.peer.secure;
    }

    get signal(): AbortSignal {
      return goneSignal(this.#res);
    }

    readonly say = (sentence: string): string => translated(sentence, languageOf(this.#req.headers));

    readonly refusalOf: HttpContext['refusalOf'] = (command) => {
      const { correlationId } = this.visit;
      const done = dispatch(command, { actor: this.actor, correlationId, dryRun: true });
      return done instanceof Rejection ? done : null;
    };

    readonly dispatch: HttpContext['dispatch'] = (command) => dispatch(command, this.#asCaller());

    readonly change: HttpContext['change'] = (make) => change(make, this.#asCaller());

    #asCaller(): CommandContext {
      const { correlationId, session, byToken } = this.visit;
      if (session && !byToken) authored(correlationId, session.idHash);
      const commandId = this.#nextId();
      return { actor: this.actor, correlationId, ...(commandId ? { commandId } : {}) };
    }

    #ids: (() => CommandId | null) | null = null;
    #nextId(): CommandId | null {
      this.#ids ??= idempotency(this.#req, this.visit, `${this.actor.kind} ${this.actor.id}`);
      return this.#ids();
    }
  }
  Object.setPrototypeOf(RequestContext.prototype, http);
  // The parts come by the prototype, which a class cannot tell the compiler.
  return (req, res, visit) => new RequestContext(req, res, visit) as unknown as AuthContext;
}

function actorOf({ session, byToken, peer: { ip } }: Visit): Actor {
  if (byToken) return { kind: 'token', id: 'api', name: 'API token', ip };
  if (!session) return { kind: 'system', id: 'anonymous', name: 'anonymous', ip };
  const { id, username } = session.account;
  return { kind: 'user', id: String(id), name: username, ip };
}

/** The id of each command that a request with an `Idempotency-Key` dispatches, in their order; null without the key. */
function idempotency(req: IncomingMessage, { body, url }: Visit, caller: string): () => CommandId | null {
  const header = req.headers['idempotency-key'];
  if (typeof header !== 'string') return () => null;
  const sha256 = (...parts: (string | Buffer)[]) => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part).update('\0');
    return hash.digest('hex');
  };
  const fingerprint = sha256(req.method ?? '', url, body ?? '');
  let count = 0;
  return () => {
    count += 1;
    return { key: count === 1 ? sha256(caller, header) : sha256(caller, header, String(count)), fingerprint };
  };
}
