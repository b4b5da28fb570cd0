import type { Subscription } from 'rxjs';
import type { RecordedEvent } from '../events/catalog.js';
import type { Alarm } from '../lib/alarms.js';
import { message } from '../messages/message.js';
import { render } from '../messages/render.js';
import { pushesOf } from '../projections/pushes.js';
import { type Batched, Batcher, type Pace } from './batcher.js';
import { CpuWatch } from './cpu-watch.js';
import type { BotParts } from './parts.js';
import { type Screen, screen } from './screen.js';
import { bold, labelled, name, type Phrase, Words } from './words.js';

type Event<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;
type Sources = Pick<BotParts, 'read' | 'alarms' | 'host' | 'now'>;

/** The same notification is not sent again within this time, in ms; this many are remembered. */
const REPEAT_MS = 30 * 60_000;
const REMEMBERED = 200;

/** Titles of the alarms about the bot itself, which it cannot send while they stand. */
export const ownAlarms = {
  stopped: message('bot.stopped'),
  noCommands: message('bot.noCommands'),
  unreachable: message('bot.unreachableTitle'),
  resumed: message('bot.resumed'),
} as const;
const OWN_CODES: ReadonlySet<string> = new Set(Object.values(ownAlarms).map(({ code }) => code));

/** Notifies the admins of logins, of clients that have ended and of problems. Never waits for the bot API. */
export class Notifier {
  readonly #sources: Sources;
  readonly #logins: Batcher;
  readonly #ended: Batcher;
  readonly #events: Batcher;
  readonly #sent = new Map<string, number>();
  readonly #cpu = new CpuWatch();
  readonly #subscriptions: readonly Subscription[];
  #coreFailed = false;

  constructor(sources: Sources, pace: Pace, send: (screen: Screen) => void) {
    this.#sources = sources;
    const batcher = (title: (words: Words) => Phrase): Batcher =>
      new Batcher(pace, sources.now, (lines, more) => send(this.#message(title, lines, more)));
    this.#logins = batcher((words) => words.t('bot.logins'));
    this.#ended = batcher((words) => words.t('bot.clientsEnded'));
    this.#events = batcher((words) => words.t('bot.panelEvents'));
    const { read, alarms, host } = sources;
    this.#subscriptions = [
      read.changed$.subscribe((events) => this.#follow(events)),
      alarms.raised$.subscribe((alarm) => this.#alarm(alarm)),
      host.readings$.subscribe(({ cpu }) => this.#processor(cpu)),
    ];
  }

  stop(): void {
    for (const one of this.#subscriptions) one.unsubscribe();
    for (const batcher of [this.#logins, this.#ended, this.#events]) batcher.stop();
  }

  get #words(): Words {
    return new Words(this.#sources.read.settings.current());
  }

  #message(title: (words: Words) => Phrase, lines: readonly Batched[], more: number): Screen {
    const words = this.#words;
    const counted = lines.map(({ line, times }) =>
      times === 1 ? line : words.t('bot.repeated', { what: line, count: times }),
    );
    const rest = more > 0 ? [words.t('bot.more', { count: more })] : [];
    return screen([bold(title(words)), ...counted, ...rest]);
  }

  #follow(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (event.type === 'LoggedIn') this.#login(event);
      else if (event.type === 'LoginFailed') this.#failedLogin(event);
      else if (event.type === 'ClientDepleted') this.#depleted(event);
      else if (event.type === 'CoreStarted' && this.#coreFailed) {
        this.#coreFailed = false;
        this.#addAll([event]);
      } else if (event.type === 'CoreFailed') this.#coreFailed = true;
    }
    this.#addAll(events.filter(isUnexpected), (severity) => severity !== 'success');
  }

  #addAll(events: readonly RecordedEvent[], wanted: (severity: Alarm['severity']) => boolean = () => true): void {
    for (const push of pushesOf(events)) if (push.type === 'notification' && wanted(push.severity)) this.#add(push);
  }

  #login({ meta: { actor } }: Event<'LoggedIn'>): void {
    if (!this.#sources.read.settings.current().chatBotLoginNotify) return;
    this.#logins.add(this.#words.t('bot.loggedIn', { user: name(actor.name), ip: name(actor.ip ?? '') }));
  }

  #failedLogin({ data: { attempt, reason, count } }: Event<'LoginFailed'>): void {
    if (!this.#sources.read.settings.current().chatBotLoginNotify) return;
    const words = this.#words;
    // A sum over many addresses has neither a name nor an address.
    if (attempt.ip === '') return this.#logins.add(words.t('bot.failedLogins'), count);
    const details = { user: name(attempt.username), ip: name(attempt.ip) };
    const line = {
      credentials: words.t('bot.wrongPassword', details),
      'two-factor': words.t('bot.wrongCode', details),
      locked: words.t('bot.lockedOut', details),
    }[reason];
    this.#logins.add(line, count);
  }

  #depleted({ data: { client: number, depletion } }: Event<'ClientDepleted'>): void {
    const client = this.#sources.read.clients.get(number);
    if (!client) return;
    const words = this.#words;
    const who = { client: name(client.identity.email) };
    const isCap = depletion.reason === 'cap';
    this.#ended.add(isCap ? words.t('bot.clientCapUsedUp', who) : words.t('bot.clientExpired', who));
  }

  #processor(cpu: number): void {
    const limit = this.#sources.read.settings.current().chatBotCpu;
    const change = this.#cpu.add(cpu, limit);
    if (change === null) return;
    const words = this.#words;
    this.#events.add(change === 'high' ? words.t('bot.cpuHigh', { percent: limit }) : words.t('bot.cpuNormal'));
  }

  #alarm(alarm: Alarm): void {
    if ('code' in alarm.title && OWN_CODES.has(alarm.title.code)) return;
    if (alarm.severity !== 'success') this.#add(alarm);
  }

  /** Leaves out what was sent within the last half hour: a core that cannot start fails every minute. */
  #add({ title, body }: Alarm): void {
    const now = this.#sources.now();
    const key = `${render(title, 'en')}\n${render(body, 'en')}`;
    if (now - (this.#sent.get(key) ?? -Infinity) < REPEAT_MS) return;
    this.#sent.delete(key);
    this.#sent.set(key, now);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > REMEMBERED && oldest !== undefined) this.#sent.delete(oldest);
    const words = this.#words;
    this.#events.add(labelled(bold(words.text(title)), words.text(body)));
  }
}

/** The core also stops when the panel restarts it; only a stop by request is reported. */
function isUnexpected(event: RecordedEvent): boolean {
  return event.type !== 'CoreStopped' || event.data.reason === 'request';
}
