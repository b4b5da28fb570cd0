import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { Rejection, reject } from '../../commands/rejection.js';
import type { Actor } from '../../events/log/event.js';
import type { CommandId } from '../../events/log/log.js';
import type { Visit } from './auth/visit.js';
import { Message } from './context.js';
import { JsonOf } from './contract/route.js';

/** Answers that are kept: how long, in ms, and how many characters of JSON in one and in all. */
const KEPT_MS = 24 * 3_600_000;
const LONGEST = 256 * 1024;
const ALL = 16 * 1024 * 1024;

/** Who asks, as far as the keys go: each admin and the API token have keys of their own. */
export const callerOf = ({ kind, id }: Actor): string => `${kind} ${id}`;

/**
 * The ids of the commands of one request, in their order: its `Idempotency-Key` for one caller, with a digest of method,
 * address and body. Null without the header. The ids are digests of what the caller chose; the log blinds them.
 */
export function commandIds(
  req: IncomingMessage,
  { body, url }: Pick<Visit, 'body' | 'url'>,
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

interface Known {
  readonly fingerprint: string;
  readonly outcome: unknown;
}

/**
 * The outcomes of requests with an `Idempotency-Key`. The key is looked up before anything else is looked at, so no check
 * meets the effect of the first request. A request that was refused may be tried again under its key.
 */
export class Answers {
  readonly #underWay = new Map<string, Known & { readonly outcome: Promise<unknown> }>();
  readonly #kept: LRUCache<string, Known>;
  readonly #logged: (id: CommandId) => { readonly same: boolean } | null;

  /** `logged`: what the log knows of the command with this id. It outlives this process, where the answers do not. */
  constructor(logged: (id: CommandId) => { readonly same: boolean } | null) {
    this.#kept = new LRUCache({ maxSize: ALL, maxEntrySize: LONGEST, ttl: KEPT_MS });
    this.#logged = logged;
  }

  /** The outcome of `run`, or that of the same request before. `IDEMPOTENCY_KEY_REUSED` when that was another one. */
  async once({ key, fingerprint }: CommandId, run: () => Promise<unknown>): Promise<unknown> {
    const known = this.#underWay.get(key) ?? this.#kept.get(key);
    const same = known ? known.fingerprint === fingerprint : (this.#logged({ key, fingerprint })?.same ?? true);
    if (!same) return reject('IDEMPOTENCY_KEY_REUSED');
    if (known) return known.outcome;
    const outcome = run();
    this.#underWay.set(key, { fingerprint, outcome });
    try {
      this.#keep(key, fingerprint, await outcome);
    } finally {
      this.#underWay.delete(key);
    }
    return outcome;
  }

  #keep(key: string, fingerprint: string, outcome: unknown): void {
    const kept = frozen(outcome);
    if (kept) this.#kept.set(key, { fingerprint, outcome: kept.outcome }, { size: kept.size });
  }
}

/** The outcome as it is now; null for what is not kept: a refusal, or a file. */
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
