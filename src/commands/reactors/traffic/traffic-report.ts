import type { Observable, Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { Settings } from '../../../events/settings/settings.js';
import { message, type Text } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import { type Web, WebError } from '../../ports/web.js';
import type { TrafficReportCommand } from '../../traffic/traffic-report.js';
import { Backoff } from '../backoff.js';
import { type Names, TrafficSums } from './traffic-sums.js';

/** The timeout of a request, in ms. */
const TIMEOUT_MS = 10_000;
/** For how long it fails before admins are notified, in ms. */
const NOTIFY_AFTER_MS = 60_000;
/** The size limit of an answer in bytes. Its content is not used. */
const MAX_ANSWER = 64 * 1024;

interface Parts extends Names {
  readonly web: Pick<Web, 'request'>;
  readonly settings: () => Pick<Settings, 'externalTrafficInformEnable' | 'externalTrafficInformURI' | 'pollSeconds'>;
  readonly changed$: Observable<readonly RecordedEvent[]>;
  readonly dispatch: (command: TrafficReportCommand) => void;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** The outcome of one report. After a timeout the receiver may have it, so it is not sent again. */
type Outcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly retry: boolean; readonly reason: Text };

/**
 * Reports the traffic since the last report to a receiver after each poll, as 3x-ui does. It never delays a poll. Traffic
 * that could not be reported is added to a later report, so the memory is limited by the number of clients.
 */
export class TrafficReporter {
  readonly #parts: Parts;
  readonly #backoff: Backoff;
  readonly #stopping = new AbortController();
  #sums = new TrafficSums();
  /** Traffic of failed reports. It is sent after a report that was accepted, so that a slow receiver loses little. */
  #backlog: TrafficSums | null = null;
  #following: Subscription | null = null;
  #timer: NodeJS.Timeout | undefined;
  #reporting: Promise<void> = Promise.resolve();
  /** The receiver of the last report. Another one starts with empty sums. */
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
    this.#stopping.abort();
    await this.#reporting;
  }

  #next(): void {
    if (this.#stopping.signal.aborted) return;
    const period = this.#parts.settings().pollSeconds * 1000;
    this.#timer = setTimeout(() => {
      this.#reporting = this.#round()
        .catch((error: unknown) => this.#parts.warn('traffic could not be reported', { error: String(error) }))
        .finally(() => this.#next());
    }, period).unref();
  }

  #receiver(): string {
    const { externalTrafficInformEnable: on, externalTrafficInformURI: uri } = this.#parts.settings();
    return on ? uri : '';
  }

  async #round(): Promise<void> {
    const uri = this.#receiver();
    if (uri !== this.#uri) this.#useReceiver(uri);
    if (uri === '' || this.#backoff.waiting()) return;
    const sums = this.#sums;
    this.#sums = new TrafficSums();
    this.#backoff.started();
    const first = await this.#report(uri, sums);
    const outcome = first.accepted ? await this.#reportBacklog(uri) : first;
    if (this.#stopping.signal.aborted) return;
    if (outcome.accepted) this.#succeeded();
    else this.#failed(outcome.reason);
  }

  async #reportBacklog(uri: string): Promise<Outcome> {
    const backlog = this.#backlog;
    this.#backlog = null;
    return backlog === null ? { accepted: true } : this.#report(uri, backlog);
  }

  /** Sends a report. One that failed and may be repeated is added to the backlog. */
  async #report(uri: string, sums: TrafficSums): Promise<Outcome> {
    const outcome = await this.#post(uri, sums.body());
    if (outcome.accepted || !outcome.retry) return outcome;
    if (this.#backlog) this.#backlog.merge(sums);
    else this.#backlog = sums;
    return outcome;
  }

  #useReceiver(uri: string): void {
    this.#uri = uri;
    this.#backoff.reset();
    [this.#failingSince, this.#recorded] = [null, false];
    if (uri === '') [this.#sums, this.#backlog] = [new TrafficSums(), null];
  }

  async #post(uri: string, body: string): Promise<Outcome> {
    try {
      const { status } = await this.#parts.web.request(uri, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=UTF-8' },
        body,
        timeoutMs: TIMEOUT_MS,
        limit: MAX_ANSWER,
        // Redirects are not followed.
        redirects: false,
        signal: this.#stopping.signal,
      });
      if (status >= 200 && status < 300) return { accepted: true };
      return { accepted: false, retry: true, reason: message('network.receiverStatus', { status }) };
    } catch (error) {
      if (!(error instanceof WebError)) throw error;
      if (error.kind === 'too-large') return { accepted: true };
      const reason = error.kind === 'refused' ? message('network.receiverRefused') : error.text;
      return { accepted: false, retry: error.kind !== 'timeout', reason };
    }
  }

  #succeeded(): void {
    this.#backoff.reset();
    const since = this.#failingSince;
    const wasRecorded = this.#recorded;
    [this.#failingSince, this.#recorded] = [null, false];
    if (since !== null && wasRecorded)
      this.#parts.dispatch({ type: 'RecordTrafficReportRecovered', data: { firstFailedAt: since } });
  }

  #failed(reason: Text): void {
    this.#backoff.failed(false);
    const { now, warn, dispatch } = this.#parts;
    if (this.#failingSince === null)
      warn('traffic could not be sent to the receiver', { reason: render(reason, 'en') });
    this.#failingSince ??= now();
    if (this.#recorded || now() - this.#failingSince < NOTIFY_AFTER_MS) return;
    this.#recorded = true;
    dispatch({ type: 'RecordTrafficReportFailed', data: { firstFailedAt: this.#failingSince, reason } });
  }
}
