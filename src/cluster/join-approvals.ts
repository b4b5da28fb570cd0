import { z } from 'zod';
import { mirrorKey } from '../adapters/sqlite/mirror/mirror-keys.js';
import type { Approval, JoinRequest, JoinRequests } from '../commands/cluster.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import { fingerprintOf, masterFingerprint, type SealedKey, sameFingerprint, sealMaster } from './key-handover.js';

/** How long a request waits for its approval, and an approved key for the member, in ms. */
export const JOIN_MS = 600_000;
const MAX_REQUESTS = 16;
const PUBLIC_KEY_CHARS = 44;

export const JoinQuestion = z.strictObject({
  member: z.string().regex(/^[A-Za-z0-9_-]{1,63}$/),
  publicKey: z.base64().length(PUBLIC_KEY_CHARS),
  release: z.string().max(64),
  role: z.enum(['member', 'subscriptions']).default('member'),
});

/** The answer of the leader. A refusal with `version` names its release. */
export const JoinAnswer = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('waiting') }),
  z.strictObject({ state: z.literal('full') }),
  z.strictObject({ state: z.literal('version'), release: z.string() }),
  z.strictObject({ state: z.literal('approved'), leader: z.string(), ephemeral: z.string(), box: z.string() }),
]);

interface Parts {
  /** The name of the leader. */
  readonly name: string;
  /** The id of the first event of its log. */
  readonly log: string;
  readonly release: string;
  readonly master: () => Buffer;
  readonly now: () => number;
}

interface Waiting extends JoinRequest {
  readonly publicKey: string;
  readonly sealed: SealedKey | null;
}

/** The requests of machines that want to join. Kept in memory: a new leader gets them again, because the machines repeat them. */
export class JoinApprovals implements JoinRequests {
  readonly #parts: Parts;
  readonly #waiting = new Map<string, Waiting>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Answers a machine. Throws for an invalid request. */
  answer(question: unknown): z.output<typeof JoinAnswer> {
    const { member, publicKey, release, role } = JoinQuestion.parse(question);
    const { log, now, name } = this.#parts;
    if (release !== this.#parts.release) return { state: 'version', release: this.#parts.release };
    this.#expire();
    const known = this.#waiting.get(member);
    if (known?.publicKey === publicKey && known.role === role)
      return known.sealed === null ? { state: 'waiting' } : { state: 'approved', leader: name, ...known.sealed };
    if (known === undefined && this.#waiting.size >= MAX_REQUESTS) return { state: 'full' };
    const fingerprint = fingerprintOf(publicKey, { member, log, role });
    // A machine that asks again, with another key, replaces its request.
    this.#waiting.set(member, { member, role, publicKey, fingerprint, sealed: null, expiresAt: now() + JOIN_MS });
    return { state: 'waiting' };
  }

  requests(): readonly JoinRequest[] {
    this.#expire();
    return [...this.#waiting.values()]
      .filter(({ sealed }) => sealed === null)
      .map(({ member, role, fingerprint, expiresAt }) => ({ member, role, fingerprint, expiresAt }));
  }

  approve(member: string, fingerprint: string, record: (data: Approval) => void) {
    this.#expire();
    const found = this.#waiting.get(member);
    if (found === undefined || found.sealed !== null)
      throw new MessageError(message('cluster.requestUnknown', { member }));
    if (!sameFingerprint(fingerprint, found.fingerprint))
      throw new MessageError(message('cluster.requestFingerprint', { member }));
    const { name, log, now } = this.#parts;
    const isMirror = found.role === 'subscriptions';
    const master = this.#parts.master();
    const key = isMirror ? mirrorKey(master, found.fingerprint) : master;
    const sealed = sealMaster(key, found.publicKey, { member, leader: name, log });
    // Recorded first: no key leaves the leader without an event.
    record({ member, fingerprint: found.fingerprint, ...(isMirror ? { role: 'subscriptions' } : {}) });
    this.#waiting.set(member, { ...found, sealed, expiresAt: now() + JOIN_MS });
    return { masterFingerprint: masterFingerprint(key) };
  }

  #expire(): void {
    const now = this.#parts.now();
    for (const [member, { expiresAt }] of this.#waiting) if (expiresAt <= now) this.#waiting.delete(member);
  }
}
