import type { IncomingMessage, ServerResponse } from 'node:http';
import { Rejection } from '../../commands/rejection.js';
import { sendJson } from '../server/send-json.js';
import type { Peer } from './auth/peer.js';
import type { Visit } from './auth/visit.js';
import { type HttpRequest, Message } from './context.js';
import type { Route } from './contract/route.js';
import { type Handler, successText, type Verdict } from './mount.js';

/** The rules that the router stands behind as well. */
interface Rules<R extends HttpRequest> {
  visitOf(req: IncomingMessage, res: ServerResponse): Visit;
  judge(route: Route, req: IncomingMessage, visit: Visit): Verdict;
  requestOf(req: IncomingMessage, res: ServerResponse): R;
}

interface HotRead<R extends HttpRequest> {
  readonly route: Route;
  readonly handle: Handler<R>;
  /** Name of the parameter at the end of the path; '' without one. */
  readonly parameter: string;
}

/** A parameter that means what it says: nothing to decode, and no end of the path. */
const PLAIN = /^[\w@.+~:-]{1,200}$/;
/** `/path/to` or `/path/to/:name`. */
const HOT_PATH = /^((?:\/[\w-]+)+)(?:\/:(\w+))?$/;

/**
 * Answers what is asked all the time without the router, whose way through its layers costs several times what the
 * answer does. It asks the same rules, and answers only what they all let through and what the handler gives: for
 * anything else it does nothing, and the router says why. So there is one place for every refusal.
 */
export class HotReads<R extends HttpRequest> {
  readonly #reads = new Map<string, HotRead<R>>();
  readonly #rules: Rules<R>;
  readonly #turnedAway: (req: IncomingMessage, peer: Peer) => number | null;

  constructor(rules: Rules<R>, turnedAway: (req: IncomingMessage, peer: Peer) => number | null) {
    this.#rules = rules;
    this.#turnedAway = turnedAway;
  }

  /** The handler must answer at once, without a promise. */
  add(route: Route, path: string, handle: Handler<R>): void {
    const [, fixed, parameter = ''] = HOT_PATH.exec(path) ?? [];
    if (fixed === undefined || route.method !== 'GET') throw new Error(`${path} cannot be a hot route`);
    this.#reads.set(parameter === '' ? fixed : `${fixed}/`, { route, handle, parameter });
  }

  /** Whether it was answered. `base` begins and ends with a slash. */
  answer(req: IncomingMessage, res: ServerResponse, base: string): boolean {
    const { method, url = '' } = req;
    if (method !== 'GET' || !url.startsWith(base)) return false;
    const query = url.indexOf('?');
    const path = url.slice(base.length - 1, query < 0 ? url.length : query);
    const last = path.lastIndexOf('/') + 1;
    const read = this.#reads.get(path) ?? this.#reads.get(path.slice(0, last));
    if (!read) return false;
    const { route, handle, parameter } = read;
    const value = parameter === '' ? '' : path.slice(last);
    if (parameter !== '' && !PLAIN.test(value)) return false;
    const visit = this.#rules.visitOf(req, res);
    if (this.#turnedAway(req, visit.peer) !== null || this.#rules.judge(route, req, visit) !== 'pass') return false;
    const params = route.params.safeParse(parameter === '' ? {} : { [parameter]: value });
    if (!params.success) return false;
    let outcome: unknown;
    try {
      outcome = handle({ params: params.data, query: undefined, body: undefined }, this.#rules.requestOf(req, res));
    } catch {
      return false; // The router meets the same error, and deals with it.
    }
    if (outcome instanceof Rejection || outcome instanceof Message || outcome instanceof Promise) return false;
    sendJson(res, successText(outcome), route.auth === 'none' ? [] : ['X-Correlation-Id', visit.correlationId]);
    return true;
  }
}
