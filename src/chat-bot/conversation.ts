import type { ChatUpdate } from '../commands/ports/chat-bot.js';
import { Rejection, reject } from '../commands/rejection.js';
import type { Client } from '../events/client/client-document.js';
import { listedChats } from '../lib/listed-chats.js';
import type { PermissionName } from '../lib/permissions.js';
import {
  actionPermissions,
  applyAction,
  type ClientAction,
  clientActions,
  contextOf,
  isFresh,
  mark,
  type Press as Pressed,
  restartCore,
} from './actions.js';
import { type Caller, callerOf, refusalOf } from './caller.js';
import { clientScreen, ownScreen } from './client-screen.js';
import { aboutCommand, type CommandName, commandNames, commandPermissions, parseCommand } from './commands.js';
import { onlineScreen, searchScreen, soonScreen, topScreen } from './list-screens.js';
import type { BotParts } from './parts.js';
import { pagesOf, type Screen, screen } from './screen.js';
import type { SendQueue } from './send-queue.js';
import { statusScreen } from './status-screen.js';
import { Throttle } from './throttle.js';
import { bold, name, type Phrase, Words } from './words.js';

type Press = Exclude<ChatUpdate['content'], string>;

/** Least time between two answers to the same person who is not an admin: a client or an unknown user. In ms. */
const CLIENT_MS = 2000;
const UNKNOWN_MS = 60_000;

/** Handles the messages and buttons of a chat and queues the answers. Nothing here waits for the bot API. */
export class Conversation {
  readonly #parts: BotParts;
  readonly #queue: SendQueue;
  readonly #me: { readonly id: number; readonly name: string };
  readonly #clientLimit = new Throttle(CLIENT_MS);
  readonly #unknownLimit = new Throttle(UNKNOWN_MS);

  constructor(parts: BotParts, queue: SendQueue, me: { readonly id: number; readonly name: string }) {
    this.#parts = parts;
    this.#queue = queue;
    this.#me = me;
  }

  /** Never throws. */
  handle(update: ChatUpdate): void {
    try {
      if (typeof update.content === 'string') this.#text(update, update.content);
      else this.#button(update, update.content);
    } catch (error) {
      this.#parts.warn('the bot could not answer', { err: error });
    }
  }

  get #words(): Words {
    return new Words(this.#parts.read.settings.current());
  }

  /** The sender and the chat must both be on the list: other members of a group can read the answers. */
  #callerOf({ chat, from }: ChatUpdate): Caller | null {
    const { read } = this.#parts;
    const isListed = listedChats(read.settings.current().chatBotChatId).some((one) => one.chat === chat);
    return isListed ? callerOf(from, read) : null;
  }

  /** Whether the caller may do this. If not, says and records it. */
  #permits(caller: Caller, permission: PermissionName | null, say: (shown: Screen) => void): boolean {
    const refused = refusalOf(caller, permission);
    if (refused === null) return true;
    this.#parts.refusals.add(caller.actor, refused);
    say(screen([this.#words.why(refused)]));
    return false;
  }

  #pressed({ from }: ChatUpdate, { actor }: Caller, pressed: string): Pressed {
    return { actor, person: from.id, bot: this.#me.id, pressed };
  }

  #text(update: ChatUpdate, text: string): void {
    const command = parseCommand(text, this.#me.name);
    const isPrivate = update.chat === update.from.id;
    // In a group the bot reacts only to commands.
    if (command === null || (!isPrivate && !text.trimStart().startsWith('/'))) return;
    const caller = this.#callerOf(update);
    if (caller !== null) return this.#command(update, caller, command.name, command.rest);
    if (isPrivate) return this.#nonAdmin(update);
    if (command.name === 'id' && callerOf(update.from, this.#parts.read)) this.#say(update.chat, this.#ids(update));
  }

  #command(update: ChatUpdate, caller: Caller, written: string, rest: string): void {
    const { now } = this.#parts;
    const { read } = caller;
    const words = this.#words;
    const say = (shown: Screen): void => this.#say(update.chat, shown);
    const command = commandNames.find((one) => one === (written === 'start' ? 'help' : written));
    if (!command) return say(screen([words.t('bot.commandUnknown'), ...helpScreen(caller, words).lines]));
    if (!this.#permits(caller, commandPermissions[command], say)) return;
    switch (command) {
      case 'help':
        return say(helpScreen(caller, words));
      case 'id':
        return say(this.#ids(update));
      case 'status':
        return say(statusScreen(this.#parts, caller, words));
      case 'online':
        return say(onlineScreen(read, words, now()));
      case 'top':
        return say(topScreen(read, words));
      case 'soon':
        return say(soonScreen(read, words, now()));
      case 'search':
        return say(searchScreen(rest, 0, caller, words));
      case 'usage': {
        const client = read.clients.firstByEmail(rest);
        return say(client ? clientScreen(client, caller, words) : searchScreen(rest, 0, caller, words));
      }
      case 'restart':
        return say(this.#question('restart', null, words));
      case 'backup':
        return this.#backup(update, caller);
    }
  }

  #ids({ chat, from }: ChatUpdate): Screen {
    const words = this.#words;
    const lines = [words.t('bot.yourId', { id: name(String(from.id)) })];
    if (chat !== from.id) lines.push(words.t('bot.chatId', { id: name(String(chat)) }));
    return screen(lines);
  }

  /** A client sees its own state; an unknown user the ID that an admin needs to admit that user. */
  #nonAdmin(update: ChatUpdate): void {
    const { read, now } = this.#parts;
    if (!this.#clientLimit.allows(update.from.id, now())) return;
    const words = this.#words;
    const own: Client[] = [];
    for (const client of read.clients.all())
      if (client.identity.tgId === update.from.id && read.clients.isFirst(client)) own.push(client);
    if (own.length > 0) return this.#say(update.chat, ownScreen(own, read, words));
    if (!this.#unknownLimit.allows(update.from.id, now())) return;
    const refusal = words.t('bot.unknownUser');
    this.#say(update.chat, screen([refusal, ...this.#ids(update).lines]));
  }

  #button(update: ChatUpdate, press: Press): void {
    const caller = this.#callerOf(update);
    if (caller === null) {
      // Ends the progress indicator of the button without a text.
      if (this.#clientLimit.allows(update.from.id, this.#parts.now())) this.#release(press);
      return;
    }
    this.#release(press);
    const { read } = caller;
    const words = this.#words;
    const [what = '', first = '', second = '', third = ''] = press.data.split(':');
    const show = (shown: Screen): void => this.#edit(update.chat, press.message, shown);
    const client = (): Client | undefined => read.clients.get(Number(what === 'do' || what === 'ask' ? second : first));
    switch (what) {
      case 'menu':
        return this.#command(update, caller, first, '');
      case 'find':
        if (this.#permits(caller, commandPermissions.search, show))
          show(searchScreen(press.data.split(':').slice(2).join(':'), Number(first), caller, words));
        return;
      case 'client':
      case 'ask':
      case 'do': {
        if (what === 'do' && first === 'restart') return this.#restart(update, caller, press, third);
        const action = what === 'client' ? null : clientActions.find((one) => one === first);
        if (action === undefined) return;
        if (!this.#permits(caller, action === null ? commandPermissions.usage : actionPermissions[action], show))
          return;
        const found = client();
        if (!found) return show(screen([words.t('bot.clientDeleted')]));
        if (action === null) return show(clientScreen(found, caller, words));
        if (what === 'ask') return show(this.#question(action, found, words));
        this.#do(update, caller, found, action, third).then(show, (error: unknown) =>
          this.#parts.warn('the bot could not answer', { err: error }),
        );
        return;
      }
      case 'no':
        return show(screen([words.t('bot.nothingDone')]));
      default:
    }
  }

  #question(action: ClientAction | 'restart', client: Client | null, words: Words): Screen {
    const who = { client: name(client?.identity.email ?? '') };
    const question = {
      off: words.t('bot.confirmDisable', who),
      on: words.t('bot.confirmEnable', who),
      reset: words.t('bot.confirmReset', who),
      restart: words.t('bot.confirmRestart'),
    }[action];
    const yes = {
      text: words.t('bot.yes').plain,
      data: `do:${action}:${client?.number ?? 0}:${mark(this.#parts.now())}`,
    };
    const no = { text: words.t('bot.no').plain, data: client ? `client:${client.number}` : 'no' };
    return screen([question], [[yes, no]]);
  }

  async #do(
    update: ChatUpdate,
    caller: Caller,
    client: Client,
    action: ClientAction,
    pressed: string,
  ): Promise<Screen> {
    const { change, now, refusals } = this.#parts;
    const { read } = caller;
    const words = this.#words;
    const by = this.#pressed(update, caller, pressed);
    const done = isFresh(pressed, now())
      ? await applyAction(client, action, { read, change }, (what) => contextOf(by, what))
      : reject('CHAT_BOT_STALE');
    if (done instanceof Rejection) refusals.add(caller.actor, done);
    const note = {
      off: words.t('bot.clientDisabled'),
      on: words.t('bot.clientEnabled'),
      reset: words.t('bot.trafficReset'),
    }[action];
    const current = read.clients.get(client.number) ?? client;
    return clientScreen(current, caller, words, bold(done instanceof Rejection ? words.why(done) : note));
  }

  #restart(update: ChatUpdate, caller: Caller, press: Press, pressed: string): void {
    const { now, warn } = this.#parts;
    const words = this.#words;
    const show = (shown: Screen): void => this.#edit(update.chat, press.message, shown);
    if (!this.#permits(caller, commandPermissions.restart, show)) return;
    if (!isFresh(pressed, now())) return show(screen([words.why(reject('CHAT_BOT_STALE'))]));
    show(screen([words.t('bot.coreRestarting')]));
    restartCore(this.#parts, contextOf(this.#pressed(update, caller, pressed), 'restart')).then(
      (no) => show(screen([no ? words.why(no) : words.t('bot.coreRestarted')])),
      (error: unknown) => warn('the bot could not restart the core', { err: error }),
    );
  }

  #backup(update: ChatUpdate, caller: Caller): void {
    const { backups, dispatch, now, warn } = this.#parts;
    const words = this.#words;
    this.#say(update.chat, screen([words.t('bot.backupStarted')]));
    const { actor, correlationId } = contextOf(this.#pressed(update, caller, mark(now())), 'backup');
    backups
      .deliver((command) => dispatch(command, { actor, correlationId }))
      .then(
        (sent) => {
          if (sent instanceof Rejection) return this.#say(update.chat, screen([words.why(sent)]));
          const lines = sent.chats.flatMap(({ chatId: chat, error }) =>
            error === null ? [] : [words.t('bot.chatWithoutBackup', { chat, why: error })],
          );
          if (lines.length > 0) this.#say(update.chat, screen(lines));
        },
        (error: unknown) => warn('the bot could not send a backup', { err: error }),
      );
  }

  #say(chat: number, shown: Screen): void {
    const pages = pagesOf(shown);
    for (const [index, html] of pages.entries()) {
      const keyboard = index === pages.length - 1 ? shown.keyboard : [];
      this.#queue.answer((connection) => connection.send(chat, html, keyboard));
    }
  }

  #edit(chat: number, message: number, shown: Screen): void {
    const [html = ''] = pagesOf(shown);
    this.#queue.answer((connection) => connection.edit(chat, message, html, shown.keyboard));
  }

  #release({ press }: Press): void {
    this.#queue.answer((connection) => connection.answer(press, ''));
  }
}

/** The commands that the caller may use. */
function helpScreen(caller: Caller, words: Words): Screen {
  const may = (command: CommandName): boolean => refusalOf(caller, commandPermissions[command]) === null;
  const lines = commandNames.filter(may).map((command): Phrase => {
    const { html, plain } = aboutCommand(command, words);
    return { html: `/${command} – ${html}`, plain: `/${command} – ${plain}` };
  });
  const key = (command: CommandName, label: Phrase) =>
    may(command) ? [{ text: label.plain, data: `menu:${command}` }] : [];
  const keys = [
    [...key('status', words.t('bot.status')), ...key('online', words.t('bot.onlineNow'))],
    [...key('top', words.t('bot.mostTraffic')), ...key('soon', words.t('bot.closeToLimit'))],
    key('backup', words.t('bot.backup')),
  ].filter((row) => row.length > 0);
  return screen([bold(words.t('bot.commandsTitle')), ...lines], keys);
}
