import type { Subscription } from 'rxjs';
import { ChatError, type ChatLine, type ChatPlace } from '../commands/ports/chat-bot.js';
import { Backoff } from '../commands/reactors/backoff.js';
import type { Messenger } from '../commands/reactors/backup/backup-delivery.js';
import { SettingsSchedule } from '../commands/reactors/schedule.js';
import { Rejection } from '../commands/rejection.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { Settings } from '../events/settings/settings.js';
import { touchSettings } from '../events/settings/settings-touched.js';
import { sameJson } from '../lib/json.js';
import { type Pace, usualPace } from './gatherer.js';
import { soonScreen } from './list-screens.js';
import { News, OWN } from './news.js';
import { type BotParts, chatsIn } from './parts.js';
import { jittered, type Pause, pause } from './pause.js';
import type { Trouble } from './polling.js';
import { pagesOf, type Screen, screen } from './screen.js';
import { attend } from './session.js';
import { statusScreen } from './status-screen.js';
import { Voice } from './voice.js';
import { Warnings } from './warnings.js';
import { Words } from './words.js';

const PLACE: readonly (keyof Settings)[] = ['chatBotEnable', 'chatBotAPIServer', 'chatBotLang'];
const SECRETS: ReadonlySet<string> = new Set(['chatBotToken', 'chatBotProxy']);
/** When it is news that the server cannot be reached, or that somebody else polls. */
const TROUBLE_MS = 300_000;
const TAKEN_TIMES = 3;
/** How often it is looked who is soon over, in ms. */
const LOOK_MS = 60_000;

/** What is changed about the bot in a test. */
export interface BotOptions {
  readonly pace?: Pace;
  readonly pause?: Pause;
}

/**
 * The chat bot: runs while the settings say so, and follows them. Everything it does is beside the panel: nothing of the
 * panel ever waits for the bot API.
 */
export class ChatBot {
  readonly #parts: BotParts;
  readonly #voice: Voice;
  readonly #pace: Pace;
  readonly #pause: Pause;
  #following: Subscription | null = null;
  #session: { readonly place: ChatPlace; readonly lang: string; readonly end: AbortController } | null = null;
  #line: ChatLine | null = null;
  #stopped: string | null = null;
  readonly #warnings: Warnings;
  #news: News | null = null;
  #looking: NodeJS.Timeout | undefined;
  readonly #schedule: SettingsSchedule;

  constructor(parts: BotParts, { pace = usualPace, pause: wait = pause }: BotOptions = {}) {
    this.#parts = parts;
    this.#pace = pace;
    this.#pause = wait;
    this.#warnings = new Warnings(parts, (shown) => this.tell(shown));
    this.#schedule = new SettingsSchedule({
      schedule: 'chatBotRunTime',
      enabledBy: 'chatBotEnable',
      settings: () => parts.read.settings.current(),
      run: () => this.report(),
      warn: parts.warn,
    });
    this.#voice = new Voice({
      now: parts.now,
      warn: parts.warn,
      pause: wait,
      dropped: (count) => {
        const words = new Words(parts.speech());
        this.tell(screen([words.t('{count} messages were dropped while the server could not be reached', { count })]));
      },
    });
  }

  begin(): void {
    this.#following = this.#parts.read.changed$.subscribe((events) => this.#follow(events));
    this.#looking = setInterval(() => this.look(), LOOK_MS).unref();
    this.#settle();
    this.#schedule.begin();
  }

  /** At once: nothing of it is waited for. */
  stop(): void {
    this.#following?.unsubscribe();
    clearInterval(this.#looking);
    this.#schedule.stop();
    this.#end();
  }

  /** Tells who is soon over, where that is wanted and can be heard. */
  look(): void {
    if (this.#session && this.#stopped === null) this.#warnings.look();
  }

  /** For whoever sends files through it. */
  messenger(): Messenger {
    return {
      line: this.#line,
      stopped: this.#stopped,
      chats: chatsIn(this.#parts.read.settings.current().chatBotChatId),
    };
  }

  /** To every admin, when it can be said. */
  tell(shown: Screen): void {
    if (this.#stopped !== null) return;
    for (const chat of chatsIn(this.#parts.read.settings.current().chatBotChatId))
      for (const html of pagesOf(shown)) this.#voice.notice((line) => line.send(chat, html, []));
  }

  #follow(events: readonly RecordedEvent[]): void {
    const secret = events.some((event) => event.type === 'SecretSettingChanged' && SECRETS.has(event.data.key));
    if (touchSettings(events, PLACE) || secret) this.#settle();
    this.#schedule.notice(events);
  }

  /** Starts, ends or replaces the bot, as the settings have it now. */
  #settle(): void {
    const { chatBotEnable, chatBotAPIServer, chatBotLang } = this.#parts.read.settings.current();
    const { chatBotToken, chatBotProxy } = this.#parts.read.settings.secrets();
    const place: ChatPlace = { token: chatBotToken, server: chatBotAPIServer, proxy: chatBotProxy };
    const wanted = chatBotEnable && chatBotToken !== '' ? { place, lang: chatBotLang } : null;
    const current = this.#session && { place: this.#session.place, lang: this.#session.lang };
    if (sameJson(wanted, current)) return;
    this.#end(wanted !== null);
    if (wanted === null) return;
    const end = new AbortController();
    this.#session = { ...wanted, end };
    this.#news ??= new News(this.#parts, this.#pace, (shown) => this.tell(shown));
    void this.#run(place, end.signal);
  }

  /** `goesOn`: another session follows, and what waits is for that. */
  #end(goesOn = false): void {
    this.#session?.end.abort();
    this.#session = null;
    this.#line = null;
    this.#stopped = null;
    if (goesOn) return this.#voice.stop();
    this.#voice.clear();
    this.#news?.stop();
    this.#news = null;
    this.#parts.alarms.over(Object.values(OWN));
  }

  /** Until the signal aborts, or the token is none: only then trying again does not help. Never rejects. */
  async #run(place: ChatPlace, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#parts.now);
    while (!signal.aborted) {
      try {
        backoff.started();
        await this.#attend(place, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#failed(error);
        if (error instanceof ChatError) return;
        backoff.failed(false);
        await this.#pause(jittered(backoff.remaining()), signal);
      }
    }
  }

  async #attend(place: ChatPlace, signal: AbortSignal): Promise<void> {
    const line = await this.#parts.service.open(place);
    if (signal.aborted) return;
    this.#line = line;
    this.#stopped = null;
    await attend(line, signal, {
      parts: this.#parts,
      voice: this.#voice,
      pause: this.#pause,
      heard: (trouble) => this.#heard(trouble),
    });
  }

  /** The token is none, or there is a mistake of ours. */
  #failed(error: unknown): void {
    const { alarms, warn } = this.#parts;
    if (!(error instanceof ChatError)) warn('the chat bot failed', { err: error });
    const why = error instanceof ChatError ? error.message : 'the log of the panel says more';
    this.#voice.clear();
    this.#line = null;
    this.#stopped = why;
    alarms.raise(OWN.stopped, { title: OWN.stopped, body: why, severity: 'error' });
  }

  #heard(trouble: Trouble | null): void {
    const { alarms } = this.#parts;
    if (trouble === null) {
      const back = { title: OWN.back, body: 'It takes commands again', severity: 'success' } as const;
      return alarms.over(Object.values(OWN), back);
    }
    const { error, times, ms } = trouble;
    if (error.kind === 'taken' && times >= TAKEN_TIMES)
      alarms.raise(OWN.taken, { title: OWN.taken, body: error.message, severity: 'error' });
    else if (error.kind !== 'taken' && ms >= TROUBLE_MS)
      alarms.raise(OWN.unreachable, { title: OWN.unreachable, body: error.message, severity: 'warning' });
  }

  /** The report that goes out by the schedule, and the backup with it where the settings say so. */
  report(): void {
    const { read, now, delivery, alarms, warn } = this.#parts;
    if (this.#line === null) return;
    const words = new Words(this.#parts.speech());
    const { expireDiff, trafficDiff, chatBotBackup } = read.settings.current();
    const soon = expireDiff + trafficDiff > 0 ? soonScreen(read, words, now()).lines : [];
    this.tell(screen([...statusScreen(this.#parts, words).lines, ...soon]));
    if (!chatBotBackup) return;
    delivery.deliver(this.#parts.dispatchAsBot).then(
      (sent) => {
        if (sent instanceof Rejection)
          alarms.tell({ title: 'The timed backup was not sent by the bot', body: sent.message, severity: 'error' });
      },
      (error: unknown) => warn('the timed backup could not be sent', { err: error }),
    );
  }
}
