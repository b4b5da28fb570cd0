import type { Subscription } from 'rxjs';
import { asSystem } from '../commands/bus.js';
import { type ChatAccount, type ChatConnection, ChatError } from '../commands/ports/chat-bot.js';
import { Backoff } from '../commands/reactors/backoff.js';
import type { Messenger } from '../commands/reactors/backup/backup-delivery.js';
import { SettingsSchedule } from '../commands/reactors/schedule.js';
import { Rejection } from '../commands/rejection.js';
import { FULL_ACCESS } from '../events/access/access-of.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { Settings } from '../events/settings/settings.js';
import { touchSettings } from '../events/settings/settings-touched.js';
import { sameJson } from '../lib/json.js';
import type { PermissionName } from '../lib/permissions.js';
import { message, type Text } from '../messages/message.js';
import { type Pace, usualPace } from './batcher.js';
import { chatsWith } from './caller.js';
import { soonScreen } from './list-screens.js';
import { Notifier, ownAlarms } from './notifier.js';
import type { BotParts } from './parts.js';
import { jittered, type Pause, pause } from './pause.js';
import type { Outage } from './polling.js';
import { pagesOf, type Screen, screen } from './screen.js';
import { SendQueue } from './send-queue.js';
import { runSession } from './session.js';
import { statusScreen } from './status-screen.js';
import { Warnings } from './warnings.js';
import { Words } from './words.js';

const ACCOUNT: readonly (keyof Settings)[] = ['chatBotEnable', 'chatBotAPIServer', 'chatBotLang'];
const SECRETS: ReadonlySet<string> = new Set(['chatBotToken', 'chatBotProxy']);
/** The bot API must fail for this long, in ms, or refuse this many polls as taken, before an alarm is raised. */
const OUTAGE_MS = 300_000;
const TAKEN_TIMES = 3;
/** Time between two checks for clients that end soon, in ms. */
const WARNINGS_MS = 60_000;

const ALARM_KINDS = ['chat-bot/stopped', 'chat-bot/no-commands', 'chat-bot/unreachable'] as const;

/** What a test can change. */
export interface BotOptions {
  readonly pace?: Pace;
  readonly pause?: Pause;
}

/** The chat bot. Runs while the settings enable it, and follows their changes. The panel never waits for the bot API. */
export class ChatBot {
  readonly #parts: BotParts;
  readonly #queue: SendQueue;
  readonly #pace: Pace;
  readonly #pause: Pause;
  #subscription: Subscription | null = null;
  #session: { readonly account: ChatAccount; readonly lang: string; readonly end: AbortController } | null = null;
  #connection: ChatConnection | null = null;
  #stopped: Text | null = null;
  readonly #warnings: Warnings;
  #notifier: Notifier | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #schedule: SettingsSchedule;

  constructor(parts: BotParts, { pace = usualPace, pause: wait = pause }: BotOptions = {}) {
    this.#parts = parts;
    this.#pace = pace;
    this.#pause = wait;
    this.#warnings = new Warnings(parts, (screen) => this.send(screen));
    this.#schedule = new SettingsSchedule({
      schedule: 'chatBotRunTime',
      enabledBy: 'chatBotEnable',
      settings: () => parts.read.settings.current(),
      run: () => this.report(),
      warn: parts.warn,
    });
    this.#queue = new SendQueue({
      now: parts.now,
      warn: parts.warn,
      pause: wait,
      dropped: (count) => {
        const words = new Words(parts.read.settings.current());
        this.send(screen([words.t('bot.dropped', { count })]));
      },
    });
  }

  begin(): void {
    this.#subscription = this.#parts.read.changed$.subscribe((events) => this.#follow(events));
    this.#timer = setInterval(() => this.checkWarnings(), WARNINGS_MS).unref();
    this.#applySettings();
    this.#schedule.begin();
  }

  /** Returns immediately; calls in progress are aborted. */
  stop(): void {
    this.#subscription?.unsubscribe();
    clearInterval(this.#timer);
    this.#schedule.stop();
    this.#end();
  }

  /** Warns of clients that end soon, while the bot works. */
  checkWarnings(): void {
    if (this.#session && this.#stopped === null) this.#warnings.check();
  }

  /** For the delivery of files, to the chats whose admin has these permissions. */
  messenger(...permissions: readonly PermissionName[]): Messenger {
    return {
      connection: this.#connection,
      stopped: this.#stopped,
      chats: chatsWith(this.#parts.read, ...permissions),
    };
  }

  /** To every admin who may see all clients and the machine, which the text may name; dropped while the bot is stopped. */
  send(shown: Screen): void {
    if (this.#stopped !== null) return;
    for (const chat of chatsWith(this.#parts.read, 'clients:read', 'server:read'))
      for (const html of pagesOf(shown)) this.#queue.notice((connection) => connection.send(chat, html, []));
  }

  #follow(events: readonly RecordedEvent[]): void {
    const secret = events.some((event) => event.type === 'SecretSettingChanged' && SECRETS.has(event.data.key));
    if (touchSettings(events, ACCOUNT) || secret) this.#applySettings();
    this.#schedule.onEvents(events);
  }

  /** Starts, ends or replaces the session by the current settings. */
  #applySettings(): void {
    const { chatBotEnable, chatBotAPIServer, chatBotLang } = this.#parts.read.settings.current();
    const { chatBotToken, chatBotProxy } = this.#parts.read.settings.secrets();
    const account: ChatAccount = { token: chatBotToken, server: chatBotAPIServer, proxy: chatBotProxy };
    const wanted = chatBotEnable && chatBotToken !== '' ? { account, lang: chatBotLang } : null;
    const current = this.#session && { account: this.#session.account, lang: this.#session.lang };
    if (sameJson(wanted, current)) return;
    this.#end(wanted !== null);
    if (wanted === null) return;
    const end = new AbortController();
    this.#session = { ...wanted, end };
    this.#notifier ??= new Notifier(this.#parts, this.#pace, (screen) => this.send(screen));
    void this.#run(account, end.signal);
  }

  /** `replaced`: another session follows, which sends the messages in the queue. */
  #end(replaced = false): void {
    this.#session?.end.abort();
    this.#session = null;
    this.#connection = null;
    this.#stopped = null;
    if (replaced) return this.#queue.stop();
    this.#queue.clear();
    this.#notifier?.stop();
    this.#notifier = null;
    this.#parts.alarms.clear(ALARM_KINDS);
  }

  /** Runs until the signal aborts or the bot API refuses the token, which no retry can help. Never rejects. */
  async #run(account: ChatAccount, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(this.#parts.now);
    while (!signal.aborted) {
      try {
        backoff.started();
        await this.#runSession(account, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#failed(error);
        if (error instanceof ChatError) return;
        backoff.failed(false);
        await this.#pause(jittered(backoff.remaining()), signal);
      }
    }
  }

  async #runSession(account: ChatAccount, signal: AbortSignal): Promise<void> {
    const connection = await this.#parts.service.open(account);
    if (signal.aborted) return;
    this.#connection = connection;
    this.#stopped = null;
    await runSession(connection, signal, {
      parts: this.#parts,
      queue: this.#queue,
      pause: this.#pause,
      onOutage: (outage) => this.#onOutage(outage),
    });
  }

  /** The bot API refuses the token, or the bot has a bug. */
  #failed(error: unknown): void {
    const { alarms, warn } = this.#parts;
    if (!(error instanceof ChatError)) warn('the chat bot failed', { err: error });
    const why = error instanceof ChatError ? error.text : message('bot.seeLog');
    this.#queue.clear();
    this.#connection = null;
    this.#stopped = why;
    alarms.raise('chat-bot/stopped', { title: ownAlarms.stopped, body: why, severity: 'error' });
  }

  #onOutage(outage: Outage | null): void {
    const { alarms } = this.#parts;
    if (outage === null) {
      const resumed = { title: ownAlarms.resumed, body: message('bot.resumedBody'), severity: 'success' } as const;
      return alarms.clear(ALARM_KINDS, resumed);
    }
    const { error, times, ms } = outage;
    if (error.kind === 'taken' && times >= TAKEN_TIMES)
      alarms.raise('chat-bot/no-commands', { title: ownAlarms.noCommands, body: error.text, severity: 'error' });
    else if (error.kind !== 'taken' && ms >= OUTAGE_MS)
      alarms.raise('chat-bot/unreachable', { title: ownAlarms.unreachable, body: error.text, severity: 'warning' });
  }

  /** Sends the scheduled report, and the backup if the settings ask for it. */
  report(): void {
    const { read, now, backups, dispatch, alarms, warn } = this.#parts;
    if (this.#connection === null) return;
    const words = new Words(read.settings.current());
    const { expireDiff, trafficDiff, chatBotBackup } = read.settings.current();
    const soon = expireDiff + trafficDiff > 0 ? soonScreen(read, words, now()).lines : [];
    this.send(screen([...statusScreen(this.#parts, { access: FULL_ACCESS, read }, words).lines, ...soon]));
    if (!chatBotBackup) return;
    backups
      .deliver((command) => dispatch(command, asSystem('chat-bot')))
      .then(
        (sent) => {
          if (sent instanceof Rejection)
            alarms.notify({ title: message('bot.timedBackupNotSent'), body: sent.text, severity: 'error' });
        },
        (error: unknown) => warn('the scheduled backup could not be sent', { err: error }),
      );
  }
}
