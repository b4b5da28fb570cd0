import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { Settings } from '../../../events/settings/settings.js';
import { type Web, WebError } from '../../ports/web.js';
import type { TrafficInformCommand } from '../../traffic/traffic-inform.js';
import { Backoff } from '../backoff.js';
import { type Names, TrafficSums } from './traffic-sums.js';

/** How long a receiver may take for its answer, in ms. */
const TIMEOUT_MS = 10_000;
/** How long it fails before admins are notified, in ms. */
const BEARABLE_MS = 60_000;
/** Of what is answered nothing is used. */
const LARGEST_ANSWER = 64 * 1024;
const NOT_ASKED = 'the receiver is at an address that this panel does not ask: a private one, or none';

interface Parts extends Names {
  readonly web: Pick<Web, 'request'>;
  readonly settings: () => Pick<Settings, 'externalTrafficInformEnable' | 'externalTrafficInformURI' | 'pollSeconds'>;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly dispatch: (command: TrafficInformCommand) => void;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** What became of one message. Who did not answer in time may have it: it is not told twice. */
type Outcome = { readonly taken: true } | { readonly taken: false; readonly again: boolean; readonly reason: string };

/**
 * Tells a receiver after each poll what was moved, as 3x-ui does. It works beside the polls and never holds one up: what
 * cannot be told now is added to what is told later, so it takes no more room than the clients that there are.
 */
export class TrafficInform {
  readonly #parts: Parts;
  readonly #backoff: Backoff;
  readonly #leaving = new AbortController();
  #sums = new TrafficSums();
  /** What was not taken while the receiver was away. Told after a message that was taken, so that a slow one loses little. */
  #owed: TrafficSums | null = null;
  #following: Subscription | null = null;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();
  /** The receiver of the last message: another one begins with a clean sheet. */
  #uri = '';
  #failingSince: number | null = null;
  #recorded = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.now);
  }

  begin(): void {
    this.#following = this.#parts.changed$.subscribe((events) => {
      if (this.#receiver() === '') return;
      for (const event of events) this.#sums.add(event, this.#parts);
    });
    this.#next();
  }

  async stop(): Promise<void> {
    this.#following?.unsubscribe();
    clearTimeout(this.#timer);
    this.#leaving.abort();
    await this.#telling;
  }

  #next(): void {
    if (this.#leaving.signal.aborted) return;
    const period = this.#parts.settings().pollSeconds * 1000;
    this.#timer = setTimeout(() => {
      this.#telling = this.#turn()
        .catch((error: unknown) => this.#parts.warn('traffic could not be told', { error: String(error) }))
        .finally(() => this.#next());
    }, period).unref();
  }

  #receiver(): string {
    const { externalTrafficInformEnable: on, externalTrafficInformURI: uri } = this.#parts.settings();
    return on ? uri : '';
  }

  async #turn(): Promise<void> {
    const uri = this.#receiver();
    if (uri !== this.#uri) this.#turnTo(uri);
    if (uri === '' || this.#backoff.waiting()) return;
    const sums = this.#sums;
    this.#sums = new TrafficSums();
    this.#backoff.started();
    const first = await this.#tell(uri, sums);
    const outcome = first.taken ? await this.#tellOwed(uri) : first;
    if (this.#leaving.signal.aborted) return;
    if (outcome.taken) this.#succeeded();
    else this.#failed(outcome.reason);
  }

  async #tellOwed(uri: string): Promise<Outcome> {
    const owed = this.#owed;
    this.#owed = null;
    return owed === null ? { taken: true } : this.#tell(uri, owed);
  }

  /** Adds what was not accepted and may be sent again. */
  async #tell(uri: string, sums: TrafficSums): Promise<Outcome> {
    const outcome = await this.#post(uri, sums.body());
    if (outcome.taken || !outcome.again) return outcome;
    if (this.#owed) this.#owed.merge(sums);
    else this.#owed = sums;
    return outcome;
  }

  #turnTo(uri: string): void {
    this.#uri = uri;
    this.#backoff.forgive();
    [this.#failingSince, this.#recorded] = [null, false];
    if (uri === '') [this.#sums, this.#owed] = [new TrafficSums(), null];
  }

  async #post(uri: string, body: string): Promise<Outcome> {
    try {
      const { status } = await this.#parts.web.request(uri, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=UTF-8' },
        body,
        timeoutMs: TIMEOUT_MS,
        limit: LARGEST_ANSWER,
        // Redirects are not followed.
        redirects: false,
        signal: this.#leaving.signal,
      });
      if (status >= 200 && status < 300) return { taken: true };
      return { taken: false, again: true, reason: `the receiver answered HTTP ${status}` };
    } catch (error) {
      if (!(error instanceof WebError)) throw error;
      if (error.kind === 'too-large') return { taken: true };
      const reason = error.kind === 'refused' ? NOT_ASKED : error.message;
      return { taken: false, again: error.kind !== 'timeout', reason };
    }
  }

  #succeeded(): void {
    this.#backoff.forgive();
    const since = this.#failingSince;
    const told = this.#recorded;
    [this.#failingSince, this.#recorded] = [null, false];
    if (since !== null && told)
      this.#parts.dispatch({ type: 'RecordTrafficInformRecovered', data: { firstFailedAt: since } });
  }

  #failed(reason: string): void {
    this.#backoff.failed(false);
    const { now, warn, dispatch } = this.#parts;
    if (this.#failingSince === null) warn('traffic could not be told to the receiver', { reason });
    this.#failingSince ??= now();
    if (this.#recorded || now() - this.#failingSince < BEARABLE_MS) return;
    this.#recorded = true;
    dispatch({ type: 'RecordTrafficInformFailed', data: { firstFailedAt: this.#failingSince, reason } });
  }
}
