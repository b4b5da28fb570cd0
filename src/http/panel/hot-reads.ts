import type { IncomingMessage, ServerResponse } from 'node:http';
import { Rejection } from '../../commands/rejection.js';
import { sendJson } from '../server/send-json.js';
import type { AuthContext } from './auth/auth-context.js';
import type { Peer } from './auth/peer.js';
import type { HttpRequest } from './context.js';
import type { Route } from './contract/route.js';
import { type Handler, successText, type Verdict } from './mount.js';
import { Message } from './outcomes.js';
import type { Follower } from './relay/follower.js';

/** The rules that guard the router too. */
interface Rules<R extends HttpRequest> {
  authOf(req: IncomingMessage, res: ServerResponse): AuthContext;
  verdictOn(route: Route, req: IncomingMessage, auth: AuthContext): Verdict;
  requestOf(req: IncomingMessage, res: ServerResponse): R;
}

interface HotRead<R extends HttpRequest> {
  readonly route: Route;
  readonly handle: Handler<R>;
  /** Name of the parameter at the end of the path; '' without one. */
  readonly parameter: string;
}

/** A parameter that needs no decoding and does not end the path. */
const PLAIN = /^[\w@.+~:-]{1,200}$/;
/** `/path/to` or `/path/to/:name`. */
const HOT_PATH = /^((?:\/[\w-]+)+)(?:\/:(\w+))?$/;

/**
 * Answers frequent requests without the router, whose layers cost several times what the answer does. It applies the same
 * rules, and answers only what they all accept and what the handler returns synchronously. Otherwise it does nothing and the
 * router answers, so each rejection is made in one place.
 */
export class HotReads<R extends HttpRequest> {
  readonly #reads = new Map<string, HotRead<R>>();
  readonly #rules: Rules<R>;
  readonly #rejectedStatus: (req: IncomingMessage, peer: Peer) => number | null;

  readonly #follower: Follower | null;

  /** `follower`: what the panel does as a member of a cluster. */
  constructor(
    rules: Rules<R>,
    rejectedStatus: (req: IncomingMessage, peer: Peer) => number | null,
    follower: Follower | null = null,
  ) {
    this.#follower = follower;
    this.#rules = rules;
    this.#rejectedStatus = rejectedStatus;
  }

  /** The handler must return synchronously, without a promise. */
  add(route: Route, path: string, handle: Handler<R>): void {
    const [, fixed, parameter = ''] = HOT_PATH.exec(path) ?? [];
    if (fixed === undefined || route.method !== 'GET') throw new Error(`${path} cannot be a hot route`);
    this.#reads.set(parameter === '' ? fixed : `${fixed}/`, { route, handle, parameter });
  }

  /** Waits for what a request asks for, before anything is looked up for it; null when there is nothing to wait for. */
  wait(req: IncomingMessage): Promise<void> | null {
    return this.#follower?.wait(req) ?? null;
  }

  /** Returns whether the request was answered. `base` begins and ends with a slash. */
  answer(req: IncomingMessage, res: ServerResponse, base: string): boolean {
    const { method, url = '' } = req;
    if (method !== 'GET' || !url.startsWith(base)) return false;
    const query = url.indexOf('?');
    const path = url.slice(base.length - 1, query < 0 ? url.length : query);
    const last = path.lastIndexOf('/') + 1;
    const read = this.#reads.get(path) ?? this.#reads.get(path.slice(0, last));
    if (!read) return false;
    const { route, handle, parameter } = read;
    if (this.#follower?.answersItself(route, req) === false) return false;
    // The router answers for an earlier moment, or refuses it.
    if (query >= 0 && new URLSearchParams(url.slice(query)).has('at')) return false;
    const value = parameter === '' ? '' : path.slice(last);
    if (parameter !== '' && !PLAIN.test(value)) return false;
    const auth = this.#rules.authOf(req, res);
    if (this.#rejectedStatus(req, auth.peer) !== null || this.#rules.verdictOn(route, req, auth) !== 'pass')
      return false;
    const params = route.params.safeParse(parameter === '' ? {} : { [parameter]: value });
    if (!params.success) return false;
    let outcome: unknown;
    try {
      outcome = handle({ params: params.data, query: undefined, body: undefined }, this.#rules.requestOf(req, res));
    } catch {
      return false; // The router hits the same error and handles it.
    }
    if (outcome instanceof Rejection || outcome instanceof Message || outcome instanceof Promise) return false;
    sendJson(res, successText(outcome), route.auth === 'none' ? [] : this.#headers(auth));
    return true;
  }

  #headers({ correlationId, access }: AuthContext): readonly string[] {
    const position = access.isLimited ? undefined : this.#follower?.position;
    return [
      'X-Correlation-Id',
      correlationId,
      ...(position === undefined ? [] : ['X-Portolan-Position', String(position)]),
    ];
  }
}
