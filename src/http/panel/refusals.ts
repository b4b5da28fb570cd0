import type { Dispatch } from '../../commands/bus.js';
import { type Rejection, type RejectionCode, reject } from '../../commands/rejection.js';
import type { Access } from '../../events/access/access-of.js';
import type { Actor } from '../../events/log/event.js';
import { permissionName } from '../../lib/permissions.js';
import { correlationId } from '../server/correlation-id.js';
import type { Route } from './contract/route.js';

const MINUTE_MS = 60_000;
/** Callers and reasons that are remembered. */
const MAX_KINDS = 1000;

/** Why a caller may not call a route, or null. */
export function refusalOf({ permission, filtered }: Route, access: Access): Rejection | null {
  if (permission === null || access.isOwner) return null;
  const name = permissionName(permission);
  const scope = access.scopeOf(name);
  if (scope === null) return reject('FORBIDDEN', { permission: name });
  return scope === 'all' || filtered ? null : reject('OUT_OF_SCOPE', { permission: name });
}

const REASONS: Partial<Record<RejectionCode, 'permission' | 'scope' | 'quota'>> = {
  FORBIDDEN: 'permission',
  OUT_OF_SCOPE: 'scope',
  QUOTA_EXCEEDED: 'quota',
};

interface Kind {
  readonly actor: Actor;
  readonly reason: 'permission' | 'scope' | 'quota';
  readonly permission: string;
  since: number;
  count: number;
}

/** Records refused requests: the first at once, and those of the next minute together, so that they cannot fill the log. */
export class Refusals {
  readonly #now: () => number;
  readonly #dispatch: Dispatch;
  readonly #kinds = new Map<string, Kind>();

  constructor(now: () => number, dispatch: Dispatch) {
    this.#now = now;
    this.#dispatch = dispatch;
  }

  add(actor: Actor, { code, details }: Rejection): void {
    const reason = REASONS[code];
    if (reason === undefined) return;
    const permission = 'permission' in details ? String(details.permission) : '';
    const key = `${actor.kind} ${actor.id} ${reason} ${permission}`;
    const known = this.#kinds.get(key);
    if (known) {
      known.count += 1;
      if (this.#now() - known.since >= MINUTE_MS) this.#record(known);
      return;
    }
    if (this.#kinds.size >= MAX_KINDS) this.flush();
    const kind = { actor, reason, permission, since: 0, count: 1 };
    this.#kinds.set(key, kind);
    this.#record(kind);
  }

  /** Records what was only counted, and forgets callers without refusals for a minute. */
  flush(): void {
    for (const [key, kind] of this.#kinds) {
      if (this.#now() - kind.since < MINUTE_MS && this.#kinds.size < MAX_KINDS) continue;
      if (kind.count > 0) this.#record(kind);
      else this.#kinds.delete(key);
    }
    if (this.#kinds.size >= MAX_KINDS) this.#kinds.clear();
  }

  #record(kind: Kind): void {
    const { actor, reason, permission, count } = kind;
    this.#dispatch(
      { type: 'RecordRefusals', data: { reason, permission, count } },
      { actor, correlationId: correlationId() },
    );
    kind.since = this.#now();
    kind.count = 0;
  }
}
