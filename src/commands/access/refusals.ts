import { randomUUID } from 'node:crypto';
import type { Actor } from '../../events/log/event.js';
import type { RecordCommand } from '../ports/cluster.js';
import type { Rejection, RejectionCode } from '../rejection.js';

const MINUTE_MS = 60_000;
/** Callers and reasons that are remembered. */
const MAX_KINDS = 1000;

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
  readonly #send: RecordCommand;
  readonly #kinds = new Map<string, Kind>();

  constructor(now: () => number, record: RecordCommand) {
    this.#now = now;
    this.#send = record;
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
    this.#send({ type: 'RecordRefusals', data: { reason, permission, count } }, { actor, correlationId: randomUUID() });
    kind.since = this.#now();
    kind.count = 0;
  }
}
