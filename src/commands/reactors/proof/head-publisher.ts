import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { LogHead } from '../../../events/log/log.js';
import type { LogTree } from '../../../events/log/log-tree.js';
import type { SinkName } from '../../../events/proof/proof.js';
import type { Proofs } from '../../../events/proof/proof-document.js';
import type { Settings } from '../../../events/settings/settings.js';
import { touchSettings } from '../../../events/settings/settings-touched.js';
import { treeRoot } from '../../../lib/proof/merkle.js';
import { createHeadKey, type SignedHead, signHead } from '../../../lib/proof/signed-head.js';
import { inSlices } from '../../../lib/time/slices.js';
import type { Done } from '../../bus.js';
import type { HeadSinks, SinkPlace } from '../../ports/head-sinks.js';
import type { ProofCommand } from '../../proof/proof.js';
import { Rejection } from '../../rejection.js';
import { type Delivery, SinkDeliveries } from './sink-deliveries.js';

/** Time between two heads, in ms. */
const HOUR_MS = 3_600_000;
/** How often it is checked whether something is due, in ms. */
const CHECK_MS = 30_000;
/** How long a request waits for the sinks, in ms. Later results are in the status. */
const WAIT_MS = 15_000;
const SETTINGS = ['proofWebhook', 'proofChat', 'proofFile', 'proofGit', 'proofPanel'] as const;

/** Events about heads, and how many of them may follow a head. */
const OWN: ReadonlySet<string> = new Set(['HeadSigned', 'HeadsPublished', 'HeadPublicationFailed']);
const MAX_OWN = 20;

type Dispatch = (command: ProofCommand) => Done | Rejection;

interface Parts {
  readonly log: {
    readonly stored: { readonly tree: LogTree };
    head(): LogHead;
    at(position: number): RecordedEvent | undefined;
  };
  readonly panelId: () => string;
  readonly proofs: () => Proofs;
  readonly settings: () => Pick<Settings, (typeof SETTINGS)[number]>;
  /** The token of the panel in `proofPanel`. */
  readonly token: () => string;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly sinks: HeadSinks;
  /** Whether the cluster has confirmed what was appended; without a cluster, at once. */
  readonly confirmed: () => Promise<boolean>;
  /** Dispatches as the panel itself. */
  readonly dispatch: Dispatch;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** The places that the settings name. */
export function placesIn(settings: Pick<Settings, (typeof SETTINGS)[number]>, token: string): readonly SinkPlace[] {
  const { proofWebhook, proofChat, proofFile, proofGit, proofPanel } = settings;
  const places: readonly (readonly [SinkName, string | boolean])[] = [
    ['webhook', proofWebhook],
    ['chat', proofChat],
    ['file', proofFile],
    ['git', proofGit],
    ['panel', proofPanel],
  ];
  return places.flatMap(([sink, value]) => {
    if (value === '' || value === false) return [];
    return { sink, target: value === true ? '' : String(value), token: sink === 'panel' ? token : '' };
  });
}

/**
 * Signs the head of the log each hour, while the settings name a place for it, and publishes it there. Works beside the log: an
 * append never waits for it, and a place that fails only delays its own heads.
 */
export class HeadPublisher {
  readonly #parts: Parts;
  readonly #deliveries: SinkDeliveries;
  readonly #stopping = new AbortController();
  #following: Subscription | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** The work in progress; one after another. */
  #work: Promise<unknown> = Promise.resolve();
  /** When this process has signed last, by a clock that is never set; null = not yet. */
  #signedAt: number | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { signal } = this.#stopping;
    const headsAfter = (position: number): readonly SignedHead[] => this.#headsAfter(position);
    const places = (): readonly SinkPlace[] => this.#places();
    this.#deliveries = new SinkDeliveries({ ...parts, places, headsAfter, signal });
  }

  begin(): void {
    const check = (): void => void this.#check();
    this.#timer = setInterval(check, CHECK_MS).unref();
    this.#following = this.#parts.changed$.subscribe((events) => {
      const token = events.some(({ type, data }) => type === 'SecretSettingChanged' && data.key === 'proofPanelToken');
      if (!token && !touchSettings(events, SETTINGS)) return;
      this.#deliveries.retryNow();
      setImmediate(check);
    });
    check();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#timer);
    this.#following?.unsubscribe();
    await this.#work;
  }

  /** The places in the settings with what they have accepted. */
  state(): readonly Delivery[] {
    return this.#deliveries.state();
  }

  /**
   * Signs the head of the log now and publishes it. If nothing was appended since the last one, that one is published again:
   * it proves as much, and repeated requests cannot fill the log. `dispatch` records it in the name of its actor. Resolves
   * when all places have answered, at the latest after 15 seconds.
   */
  async publish(dispatch: Dispatch = this.#parts.dispatch): Promise<SignedHead | Rejection> {
    const signed = await this.#queue(async () => this.#newestIfSigned() ?? this.#sign(dispatch));
    if (signed instanceof Rejection) return signed;
    this.#deliveries.retryNow();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS);
    });
    await Promise.race([this.#queue(() => this.#deliver()), late]);
    clearTimeout(timer);
    return signed;
  }

  /** Runs work after the work before it. */
  #queue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  /** What the cluster has not confirmed may be set aside, and a published head would contradict the log for ever. */
  async #deliver(): Promise<void> {
    if (await this.#parts.confirmed()) await this.#deliveries.round();
  }

  #places(): readonly SinkPlace[] {
    return placesIn(this.#parts.settings(), this.#parts.token());
  }

  async #check(): Promise<void> {
    try {
      if (this.#places().length === 0 || this.#stopping.signal.aborted) return;
      if (this.#isDue()) {
        const signed = await this.#queue(() => (this.#isDue() ? this.#sign() : Promise.resolve(null)));
        if (signed instanceof Rejection) this.#parts.warn('the head could not be recorded', { reason: signed.message });
      }
      await this.#queue(() => this.#deliver());
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#parts.warn('heads could not be published', { error: String(error) });
    }
  }

  /** An hour has passed by the clock of the panel or by one that is never set: the former may have been set back. */
  #isDue(): boolean {
    const { proofs, now } = this.#parts;
    const { last } = proofs();
    if (last === null || Math.abs(now() - last.at) >= HOUR_MS) return true;
    return this.#signedAt !== null && performance.now() - this.#signedAt >= HOUR_MS;
  }

  /** The last head if only events about heads were appended after it; otherwise null. */
  #newestIfSigned(): SignedHead | null {
    const { log, proofs } = this.#parts;
    const { last } = proofs();
    const { position: end } = log.head();
    if (last === null || end - last.position > MAX_OWN) return null;
    for (let position = last.position + 1; position <= end; position += 1)
      if (!OWN.has(log.at(position)?.type ?? '')) return null;
    return last;
  }

  async #sign(dispatch: Dispatch = this.#parts.dispatch): Promise<SignedHead | Rejection> {
    const { log, proofs, panelId, now } = this.#parts;
    if (proofs().key === null) {
      const created = dispatch({ type: 'CreateHeadKey', data: createHeadKey() });
      if (created instanceof Rejection) return created;
    }
    await inSlices(log.stored.tree.grow(), this.#stopping.signal);
    const { key } = proofs();
    if (key === null) throw new Error('the log has no key for heads');
    // Without an `await`, so that no event comes between the head and its root.
    const { position, hash } = log.head();
    const root = treeRoot(position, log.stored.tree.subtree).toString('hex');
    const head = signHead({ panel: panelId(), position, hash, root, at: now() }, key);
    const done = dispatch({ type: 'RecordHead', data: { head } });
    if (done instanceof Rejection) return done;
    this.#signedAt = performance.now();
    return head;
  }

  /** The signed heads after a position, oldest first. */
  #headsAfter(position: number): readonly SignedHead[] {
    const { proofs, log } = this.#parts;
    return proofs()
      .heads.filter((head) => head.position > position)
      .flatMap(({ event: at }) => {
        const event = log.at(at);
        return event?.type === 'HeadSigned' ? event.data.head : [];
      });
  }
}
