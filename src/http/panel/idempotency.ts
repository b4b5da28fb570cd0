import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { Rejection, reject } from '../../commands/rejection.js';
import type { Actor } from '../../events/log/event.js';
import type { CommandId } from '../../events/log/log.js';
import type { AuthContext } from './auth/auth-context.js';
import { JsonOf } from './contract/route.js';
import { Message } from './outcomes.js';

/** Limits of the stored outcomes: lifetime in ms, and characters of JSON in one and in all. */
const KEPT_MS = 24 * 3_600_000;
const MAX_REPLY_CHARS = 256 * 1024;
const MAX_TOTAL_CHARS = 16 * 1024 * 1024;

/** The scope of the keys: each admin, and the API token, has its own. */
export const callerOf = ({ kind, id }: Actor): string => `${kind} ${id}`;

/**
 * The ids of the commands of one request, in order, derived from its `Idempotency-Key`, its caller, and a digest of method,
 * URL and body. Null without the header. The ids are digests of caller input; the log blinds them.
 */
export function commandIds(
  req: IncomingMessage,
  { received: { body, url } }: Pick<AuthContext, 'received'>,
  caller: string,
): (() => CommandId) | null {
  const header = req.headers['idempotency-key'];
  if (typeof header !== 'string') return null;
  const fingerprint = sha256(req.method ?? '', url, body ?? '');
  let count = 0;
  return () => {
    count += 1;
    return { key: count === 1 ? sha256(caller, header) : sha256(caller, header, String(count)), fingerprint };
  };
}

function sha256(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

/** What a request has done: its outcome, and the position of the last event that it appended; null = none. */
export interface Performed {
  readonly outcome: unknown;
  readonly position: number | null;
}

interface Known {
  readonly fingerprint: string;
  readonly performed: Performed | Promise<Performed>;
}

/**
 * The outcomes of requests with an `Idempotency-Key`. The key is looked up before any other check, so no check sees the
 * effect of the first request. A rejected request may be retried with the same key.
 */
export class Answers {
  readonly #underWay = new Map<string, Known>();
  readonly #kept: LRUCache<string, Known>;
  readonly #logged: (id: CommandId) => { readonly same: boolean } | null;

  /** `logged`: what the log has recorded for a command id. The log outlives this process; the stored outcomes do not. */
  constructor(logged: (id: CommandId) => { readonly same: boolean } | null) {
    this.#kept = new LRUCache({ maxSize: MAX_TOTAL_CHARS, maxEntrySize: MAX_REPLY_CHARS, ttl: KEPT_MS });
    this.#logged = logged;
  }

  /** What `run` does, or the same earlier request did. `IDEMPOTENCY_KEY_REUSED` when the key was used for another one. */
  async once({ key, fingerprint }: CommandId, run: () => Promise<Performed>): Promise<Performed | Rejection> {
    const known = this.#underWay.get(key) ?? this.#kept.get(key);
    const same = known ? known.fingerprint === fingerprint : (this.#logged({ key, fingerprint })?.same ?? true);
    if (!same) return reject('IDEMPOTENCY_KEY_REUSED');
    if (known) return known.performed;
    const performed = run();
    this.#underWay.set(key, { fingerprint, performed });
    try {
      this.#keep(key, fingerprint, await performed);
    } finally {
      this.#underWay.delete(key);
    }
    return performed;
  }

  #keep(key: string, fingerprint: string, { outcome, position }: Performed): void {
    const kept = frozen(outcome);
    if (kept) this.#kept.set(key, { fingerprint, performed: { outcome: kept.outcome, position } }, { size: kept.size });
  }
}

/** A frozen copy of the outcome; null for an outcome that is not stored: a rejection or a file. */
function frozen(outcome: unknown): { readonly outcome: unknown; readonly size: number } | null {
  if (outcome instanceof JsonOf) return { outcome, size: outcome.text.length + 1 };
  if (outcome instanceof Message) {
    const text = JSON.stringify(outcome.obj ?? null);
    return {
      outcome: new Message(outcome.text, JSON.parse(text)),
      size: JSON.stringify(outcome.text).length + text.length,
    };
  }
  if (outcome instanceof Rejection || (outcome !== null && typeof outcome === 'object' && !isPlain(outcome)))
    return null;
  const text = JSON.stringify(outcome ?? null);
  return { outcome: new JsonOf(text), size: text.length };
}

const isPlain = (value: object): boolean => Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
