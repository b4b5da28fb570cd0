import type { SinkName } from '../../../events/proof/proof.js';
import type { Proofs } from '../../../events/proof/proof-document.js';
import type { SignedHead } from '../../../lib/proof/signed-head.js';
import { textOf } from '../../../messages/error.js';
import type { Text } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { Done } from '../../bus.js';
import type { HeadSinks, SinkPlace } from '../../ports/head-sinks.js';
import type { ProofCommand } from '../../proof/proof.js';
import { Rejection } from '../../rejection.js';

/** Heads that a place gets in one attempt. */
const MAX_HEADS = 100;
/** The pause after a failure: it doubles with each one. In ms. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

interface Parts {
  readonly proofs: () => Proofs;
  readonly sinks: HeadSinks;
  /** Those in the settings. */
  readonly places: () => readonly SinkPlace[];
  readonly dispatch: (command: ProofCommand) => Done | Rejection;
  /** The signed heads after a position, oldest first. */
  readonly headsAfter: (position: number) => readonly SignedHead[];
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  readonly signal: AbortSignal;
}

/** A place in the settings, and what it has accepted. */
export interface Delivery {
  readonly sink: SinkName;
  readonly target: string;
  /** Position of the last head that it accepted; 0 = none. */
  readonly position: number;
  /** When, ms since 1970; 0 = never. */
  readonly at: number;
  /** Signed heads that it lacks. */
  readonly waiting: number;
  /** Since when it fails, how often since the start of the panel, and why; null while it works. */
  readonly failing: {
    readonly since: number;
    readonly attempts: number;
    readonly nextAt: number;
    readonly why: Text;
  } | null;
}

interface Accepted {
  readonly sink: SinkName;
  readonly position: number;
}

interface Pause {
  readonly attempts: number;
  /** Of `performance.now()`, which is never set back. */
  readonly until: number;
}

/**
 * Which heads go together. Another panel gets each in a request of its own: it would take an earlier one that is repeated after
 * a failure for a contradiction.
 */
const attemptsOf = ({ sink }: SinkPlace, heads: readonly SignedHead[]): readonly (readonly SignedHead[])[] =>
  sink === 'panel' ? heads.map((head) => [head]) : heads.length > 0 ? [heads] : [];

/** Brings heads to the places in the settings. Each place has its own pause after a failure. */
export class SinkDeliveries {
  readonly #parts: Parts;
  readonly #pauses = new Map<SinkName, Pause>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  state(): readonly Delivery[] {
    const { sinks, heads } = this.#parts.proofs();
    return this.#parts.places().map(({ sink, target }) => {
      const { position, at, failing } = sinks.get(sink) ?? { position: 0, at: 0, failing: null };
      const { attempts, until } = this.#pauses.get(sink) ?? { attempts: 0, until: 0 };
      const waiting = this.#missing(position, heads).length;
      const nextAt = this.#parts.now() + Math.max(0, until - performance.now());
      return { sink, target, position, at, waiting, failing: failing && { ...failing, attempts, nextAt } };
    });
  }

  /** Ends all pauses. */
  retryNow(): void {
    for (const [sink, { attempts }] of this.#pauses) this.#pauses.set(sink, { attempts, until: 0 });
  }

  /** Publishes what each place lacks, unless it pauses. Never rejects for a place that fails. */
  async round(): Promise<void> {
    const accepted = await Promise.all(this.#parts.places().map((place) => this.#deliver(place)));
    const sinks = accepted.flatMap((one) => (one && this.#isCurrent(one.place) ? one.accepted : []));
    if (sinks.length > 0) this.#record({ type: 'RecordHeadsPublished', data: { sinks } });
  }

  /** What a place has accepted; null when there was nothing to do, or when it failed. */
  async #deliver(place: SinkPlace): Promise<{ readonly place: SinkPlace; readonly accepted: Accepted } | null> {
    const { sink } = place;
    const { proofs, headsAfter, sinks, signal } = this.#parts;
    const { key, last, sinks: states } = proofs();
    if (key === null || last === null) return null;
    const pause = this.#pauses.get(sink);
    if (pause && pause.until > performance.now()) return null;
    const after = states.get(sink)?.position ?? 0;
    // A new place begins with the last head: earlier ones would prove nothing that this one does not.
    const heads = (after === 0 ? [last] : headsAfter(after)).slice(0, MAX_HEADS);
    let accepted: SignedHead | null = null;
    try {
      for (const attempt of attemptsOf(place, heads)) {
        await sinks.publish(place, attempt, key.publicKey, signal);
        accepted = attempt.at(-1) ?? null;
      }
    } catch (error) {
      if (accepted === null && !signal.aborted) this.#failed(place, heads[0]?.position ?? 0, error);
    }
    if (accepted === null) return null;
    // If a later one failed, the next round begins with it.
    this.#pauses.delete(sink);
    return { place, accepted: { sink, position: accepted.position } };
  }

  /** The settings may have changed meanwhile. */
  #isCurrent({ sink, target }: SinkPlace): boolean {
    return this.#parts.places().some((place) => place.sink === sink && place.target === target);
  }

  #failed(place: SinkPlace, position: number, error: unknown): void {
    if (!this.#isCurrent(place)) return;
    const { sink } = place;
    const attempts = (this.#pauses.get(sink)?.attempts ?? 0) + 1;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
    this.#pauses.set(sink, { attempts, until: performance.now() + pause });
    const reason = textOf(error);
    this.#parts.warn('a head could not be published', { sink, reason: render(reason, 'en') });
    if (this.#parts.proofs().sinks.get(sink)?.failing) return;
    this.#record({ type: 'RecordHeadPublicationFailed', data: { sink, position, reason } });
  }

  #missing(position: number, heads: Proofs['heads']): Proofs['heads'] {
    return position === 0 ? heads.slice(-1) : heads.filter((head) => head.position > position);
  }

  #record(command: ProofCommand): void {
    const done = this.#parts.dispatch(command);
    if (done instanceof Rejection) this.#parts.warn('a publication could not be recorded', { reason: done.message });
  }
}
