import type { HttpRequest } from '../context.js';
import type { Route } from '../contract/route.js';
import type { LimitedView } from '../limited-view.js';
import { Message } from '../outcomes.js';
import { hidesSecrets, withoutSecrets } from './secrets.js';

/** The outcome of a handler, as the caller may see it. */
export function shownOutcome(
  { access, handling: { limits } }: Pick<HttpRequest, 'access' | 'handling'>,
  route: Route,
  outcome: unknown,
): unknown {
  const visible = limits === null ? outcome : withLimits(limits, outcome);
  return hidesSecrets(route, access) ? withoutSecrets(visible, route) : visible;
}

/** The outcome of a handler for a caller who sees only a part of the clients. */
function withLimits(limits: LimitedView, outcome: unknown): unknown {
  if (outcome instanceof Promise) return outcome.then((done: unknown) => withLimits(limits, done));
  if (outcome instanceof Message) return new Message(outcome.text, limits.withHiddenPositions(outcome.obj));
  return limits.withHiddenPositions(outcome);
}
