import type { Subscription } from 'rxjs';
import type { RecordedEvent } from '../events/catalog.js';
import type { Alarm } from '../lib/alarms.js';
import type { Text } from '../messages/message.js';
import { render } from '../messages/render.js';
import { pushesOf } from '../projections/pushes.js';
import { CpuWatch } from './cpu-watch.js';
import { type Gathered, Gatherer, type Pace } from './gatherer.js';
import type { BotParts } from './parts.js';
import { type Screen, screen } from './screen.js';
import { bold, labelled, name, type Phrase, Words } from './words.js';

type Event<T extends RecordedEvent['type']> = Extract<RecordedEvent, { type: T }>;
type Sources = Pick<BotParts, 'read' | 'alarms' | 'host' | 'speech' | 'now'>;

/** What was told so lately is not told again, in ms; and so many are remembered. */
const AGAIN_MS = 30 * 60_000;
const REMEMBERED = 200;

/** What the bot says about itself, which it cannot say while it is so. */
export const OWN = {
  stopped: 'The chat bot has stopped',
  taken: 'The chat bot gets no commands',
  unreachable: 'The chat bot cannot reach its server',
  back: 'The chat bot is back',
} as const;

/** Tells the admins what happens: logins, clients that are over, and whatever goes wrong. Never waits for anybody. */
export class News {
  readonly #sources: Sources;
  readonly #logins: Gatherer;
  readonly #ended: Gatherer;
  readonly #trouble: Gatherer;
  readonly #told = new Map<string, number>();
  readonly #cpu = new CpuWatch();
  readonly #following: readonly Subscription[];
  #coreFailed = false;

  constructor(sources: Sources, pace: Pace, tell: (shown: Screen) => void) {
    this.#sources = sources;
    const gatherer = (title: (words: Words) => Phrase): Gatherer =>
      new Gatherer(pace, sources.now, (lines, more) => tell(this.#message(title, lines, more)));
    this.#logins = gatherer((words) => words.t('Logins'));
    this.#ended = gatherer((words) => words.t('These clients are over'));
    this.#trouble = gatherer((words) => words.t('News of the panel'));
    const { read, alarms, host } = sources;
    this.#following = [
      read.changed$.subscribe((events) => this.#follow(events)),
      alarms.raised$.subscribe((alarm) => this.#alarm(alarm)),
      host.readings$.subscribe(({ cpu }) => this.#processor(cpu)),
    ];
  }

  stop(): void {
    for (const one of this.#following) one.unsubscribe();
    for (const gatherer of [this.#logins, this.#ended, this.#trouble]) gatherer.stop();
  }

  get #words(): Words {
    return new Words(this.#sources.speech());
  }

  #message(title: (words: Words) => Phrase, lines: readonly Gathered[], more: number): Screen {
    const words = this.#words;
    const shown = lines.map(({ line, times }) =>
      times === 1 ? line : words.t('{what} ({times} times)', { what: line, times }),
    );
    const rest = more > 0 ? [words.t('and {count} more', { count: more })] : [];
    return screen([bold(title(words)), ...shown, ...rest]);
  }

  #follow(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (event.type === 'LoggedIn') this.#login(event);
      else if (event.type === 'LoginFailed') this.#failedLogin(event);
      else if (event.type === 'ClientDepleted') this.#over(event);
      else if (event.type === 'CoreStarted' && this.#coreFailed) {
        this.#coreFailed = false;
        this.#add({ title: 'The core is running', body: `Version ${event.data.version}`, severity: 'success' });
      } else if (event.type === 'CoreFailed') this.#coreFailed = true;
    }
    for (const push of pushesOf(events.filter(isNews)))
      if (push.type === 'notification' && push.severity !== 'success') this.#add(push);
  }

  #login({ meta: { actor } }: Event<'LoggedIn'>): void {
    if (!this.#sources.read.settings.current().chatBotLoginNotify) return;
    this.#logins.add(
      this.#words.t('{user} has logged in from {ip}', { user: name(actor.name), ip: name(actor.ip ?? '') }),
    );
  }

  #failedLogin({ data: { attempt, reason, count } }: Event<'LoginFailed'>): void {
    if (!this.#sources.read.settings.current().chatBotLoginNotify) return;
    const words = this.#words;
    // A sum over many addresses names nobody.
    if (attempt.ip === '') return this.#logins.add(words.t('Failed login from one of many addresses'), count);
    const details = { user: name(attempt.username), ip: name(attempt.ip) };
    const line = {
      credentials: words.t('Wrong password for {user} from {ip}', details),
      'two-factor': words.t('Right password and wrong two-factor code for {user} from {ip}', details),
      locked: words.t('Locked out: {user} from {ip}', details),
    }[reason];
    this.#logins.add(line, count);
  }

  #over({ data: { client: number, depletion } }: Event<'ClientDepleted'>): void {
    const client = this.#sources.read.clients.get(number);
    if (!client) return;
    const words = this.#words;
    const who = { client: name(client.identity.email) };
    const isCap = depletion.reason === 'cap';
    this.#ended.add(
      isCap ? words.t('{client}: its bytes are used up', who) : words.t('{client}: its time is over', who),
    );
  }

  #processor(cpu: number): void {
    const limit = this.#sources.read.settings.current().chatBotCpu;
    const news = this.#cpu.take(cpu, limit);
    if (news === null) return;
    const words = this.#words;
    this.#trouble.add(
      news === 'high'
        ? words.t('The processors are busier than {percent}% for two minutes', { percent: limit })
        : words.t('The processors are less busy again'),
    );
  }

  #alarm(alarm: Alarm): void {
    if (Object.values<Text | string>(OWN).includes(alarm.title)) return;
    if (alarm.severity !== 'success') this.#add(alarm);
  }

  /** The same words again within half an hour are no news: a core that cannot start fails every minute. */
  #add({ title, body }: Alarm): void {
    const now = this.#sources.now();
    const key = `${render(title, 'en')}\n${render(body, 'en')}`;
    if (now - (this.#told.get(key) ?? -Infinity) < AGAIN_MS) return;
    this.#told.delete(key);
    this.#told.set(key, now);
    const [oldest] = this.#told.keys();
    if (this.#told.size > REMEMBERED && oldest !== undefined) this.#told.delete(oldest);
    const words = this.#words;
    this.#trouble.add(labelled(bold(words.told(title)), words.told(body)));
  }
}

/** A core that stops because the panel wants it to start anew is none. */
function isNews(event: RecordedEvent): boolean {
  return event.type !== 'CoreStopped' || event.data.reason === 'request';
}
