import type { ChatUpdate } from '../commands/ports/chat-bot.js';
import { Rejection, reject } from '../commands/rejection.js';
import type { Client } from '../events/client/client-document.js';
import { clientScreen, ownScreen } from './client-screen.js';
import { aboutCommand, asked, commandNames } from './commands.js';
import { contextOf, type Deed, deeds, doTo, isFresh, mark, restartCore } from './deeds.js';
import { onlineScreen, searchScreen, soonScreen, topScreen } from './list-screens.js';
import { type BotParts, chatsIn } from './parts.js';
import { pagesOf, type Screen, screen } from './screen.js';
import { statusScreen } from './status-screen.js';
import { Throttle } from './throttle.js';
import type { Voice } from './voice.js';
import { bold, name, type Phrase, Words } from './words.js';

type Press = Exclude<ChatUpdate['said'], string>;

/** For somebody who is no admin, in ms. */
const GUEST_MS = 2000;
const STRANGER_MS = 60_000;

/** Understands what is said to the bot, and answers. Nothing here waits for the bot API. */
export class Conversation {
  readonly #parts: BotParts;
  readonly #voice: Voice;
  readonly #me: { readonly id: number; readonly name: string };
  readonly #guests = new Throttle(GUEST_MS);
  readonly #strangers = new Throttle(STRANGER_MS);

  constructor(parts: BotParts, voice: Voice, me: { readonly id: number; readonly name: string }) {
    this.#parts = parts;
    this.#voice = voice;
    this.#me = me;
  }

  /** Never throws. */
  take(update: ChatUpdate): void {
    try {
      if (typeof update.said === 'string') this.#written(update, update.said);
      else this.#pressed(update, update.said);
    } catch (error) {
      this.#parts.warn('the bot could not answer', { err: error });
    }
  }

  get #words(): Words {
    return new Words(this.#parts.speech());
  }

  /** Both who speaks and where must be on the list: in a group others read along. */
  #isAdmin({ chat, from }: ChatUpdate): boolean {
    const admins = chatsIn(this.#parts.read.settings.current().chatBotChatId);
    return admins.includes(chat) && admins.includes(from.id);
  }

  #written(update: ChatUpdate, text: string): void {
    const wish = asked(text, this.#me.name);
    const isPrivate = update.chat === update.from.id;
    // In a group the bot hears only what is a command.
    if (wish === null || (!isPrivate && !text.trimStart().startsWith('/'))) return;
    if (this.#isAdmin(update)) return this.#command(update, wish.command, wish.rest);
    if (isPrivate) return this.#guest(update);
    const admins = chatsIn(this.#parts.read.settings.current().chatBotChatId);
    if (wish.command === 'id' && admins.includes(update.from.id)) this.#say(update.chat, this.#ids(update));
  }

  #command(update: ChatUpdate, command: string, rest: string): void {
    const { read, now } = this.#parts;
    const words = this.#words;
    const say = (shown: Screen): void => this.#say(update.chat, shown);
    switch (command) {
      case 'start':
      case 'help':
        return say(helpScreen(words));
      case 'id':
        return say(this.#ids(update));
      case 'status':
        return say(statusScreen(this.#parts, words));
      case 'online':
        return say(onlineScreen(read, words, now()));
      case 'top':
        return say(topScreen(read, words));
      case 'soon':
        return say(soonScreen(read, words, now()));
      case 'search':
        return say(searchScreen(rest, 0, read, words));
      case 'usage': {
        const client = read.clients.firstByEmail(rest);
        return say(client ? clientScreen(client, read, words) : searchScreen(rest, 0, read, words));
      }
      case 'restart':
        return say(this.#question('restart', null, words));
      case 'backup':
        return this.#backup(update);
      default:
        return say(screen([words.t('There is no such command'), ...helpScreen(words).lines]));
    }
  }

  #ids({ chat, from }: ChatUpdate): Screen {
    const words = this.#words;
    const lines = [words.t('Your number: {id}', { id: name(String(from.id)) })];
    if (chat !== from.id) lines.push(words.t('The number of this chat: {id}', { id: name(String(chat)) }));
    return screen(lines);
  }

  /** A client hears of itself; a stranger what an admin has to know to let him in. */
  #guest(update: ChatUpdate): void {
    const { read, now } = this.#parts;
    if (!this.#guests.allows(update.from.id, now())) return;
    const words = this.#words;
    const own: Client[] = [];
    for (const client of read.clients.all())
      if (client.identity.tgId === update.from.id && read.clients.isFirst(client)) own.push(client);
    if (own.length > 0) return this.#say(update.chat, ownScreen(own, read, words));
    if (!this.#strangers.allows(update.from.id, now())) return;
    const no = words.t('This bot talks to the admins and the clients of its panel only.');
    this.#say(update.chat, screen([no, ...this.#ids(update).lines]));
  }

  #pressed(update: ChatUpdate, press: Press): void {
    if (!this.#isAdmin(update)) {
      // Ends his waiting, and tells nothing.
      if (this.#guests.allows(update.from.id, this.#parts.now())) this.#release(press);
      return;
    }
    this.#release(press);
    const { read } = this.#parts;
    const words = this.#words;
    const [what = '', first = '', second = '', third = ''] = press.data.split(':');
    const show = (shown: Screen): void => this.#edit(update.chat, press.message, shown);
    const client = (): Client | undefined => read.clients.get(Number(what === 'do' || what === 'ask' ? second : first));
    switch (what) {
      case 'menu':
        return this.#command(update, first, '');
      case 'find':
        return show(searchScreen(press.data.split(':').slice(2).join(':'), Number(first), read, words));
      case 'client':
      case 'ask':
      case 'do': {
        if (what === 'do' && first === 'restart') return this.#restart(update, press, third);
        const found = client();
        if (!found) return show(screen([words.t('This client is gone')]));
        if (what === 'client') return show(clientScreen(found, read, words));
        const deed = deeds.find((one) => one === first);
        if (!deed) return;
        if (what === 'ask') return show(this.#question(deed, found, words));
        this.#do(update, found, deed, third, words).then(show, (error: unknown) =>
          this.#parts.warn('the bot could not answer', { err: error }),
        );
        return;
      }
      case 'no':
        return show(screen([words.t('Nothing was done')]));
      default:
    }
  }

  #question(deed: Deed | 'restart', client: Client | null, words: Words): Screen {
    const who = { client: name(client?.identity.email ?? '') };
    const question = {
      off: words.t('Disable {client}? Its connections end at once.', who),
      on: words.t('Enable {client}?', who),
      reset: words.t('Set the traffic of {client} to zero?', who),
      restart: words.t('Start the core anew? All connections end for a moment.'),
    }[deed];
    const yes = { text: words.t('Yes').plain, data: `do:${deed}:${client?.number ?? 0}:${mark(this.#parts.now())}` };
    const no = { text: words.t('No').plain, data: client ? `client:${client.number}` : 'no' };
    return screen([question], [[yes, no]]);
  }

  async #do(update: ChatUpdate, client: Client, deed: Deed, pressed: string, words: Words): Promise<Screen> {
    const { read, now } = this.#parts;
    const done = isFresh(pressed, now())
      ? await doTo(client, deed, this.#parts, (what) => contextOf(update.from, this.#me.id, pressed, what))
      : reject('CHAT_BOT_STALE');
    const note = {
      off: words.t('The client is switched off.'),
      on: words.t('The client is switched on.'),
      reset: words.t('The traffic is set to zero.'),
    }[deed];
    const current = read.clients.get(client.number) ?? client;
    return clientScreen(current, read, words, bold(done instanceof Rejection ? words.why(done) : note));
  }

  #restart(update: ChatUpdate, press: Press, pressed: string): void {
    const { now, warn } = this.#parts;
    const words = this.#words;
    const show = (shown: Screen): void => this.#edit(update.chat, press.message, shown);
    if (!isFresh(pressed, now())) return show(screen([words.why(reject('CHAT_BOT_STALE'))]));
    show(screen([words.t('The core starts anew…')]));
    restartCore(this.#parts, contextOf(update.from, this.#me.id, pressed, 'restart')).then(
      (no) => show(screen([no ? words.why(no) : words.t('The core runs again.')])),
      (error: unknown) => warn('the bot could not start the core anew', { err: error }),
    );
  }

  #backup(update: ChatUpdate): void {
    const { delivery, dispatch, now, warn } = this.#parts;
    const words = this.#words;
    this.#say(update.chat, screen([words.t('A fresh backup is on its way to every admin.')]));
    const { actor, correlationId } = contextOf(update.from, this.#me.id, mark(now()), 'backup');
    delivery
      .deliver((command) => dispatch(command, { actor, correlationId }))
      .then(
        (sent) => {
          if (sent instanceof Rejection) return this.#say(update.chat, screen([words.why(sent)]));
          const failed = sent.chats.filter(({ error }) => error !== null);
          const lines = failed.map(({ chatId: chat, error }) =>
            words.t('Chat {chat} did not get it: {why}', { chat, why: words.told(error ?? '') }),
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
      this.#voice.answer((line) => line.send(chat, html, keyboard));
    }
  }

  #edit(chat: number, message: number, shown: Screen): void {
    const [html = ''] = pagesOf(shown);
    this.#voice.answer((line) => line.edit(chat, message, html, shown.keyboard));
  }

  #release({ press }: Press): void {
    this.#voice.answer((line) => line.answer(press, ''));
  }
}

function helpScreen(words: Words): Screen {
  const lines = commandNames.map((command): Phrase => {
    const { html, plain } = aboutCommand(command, words);
    return { html: `/${command} – ${html}`, plain: `/${command} – ${plain}` };
  });
  const keys = [
    [
      { text: words.t('Status').plain, data: 'menu:status' },
      { text: words.t('Online now').plain, data: 'menu:online' },
    ],
    [
      { text: words.t('Most used').plain, data: 'menu:top' },
      { text: words.t('Soon over').plain, data: 'menu:soon' },
    ],
    [{ text: words.t('Backup').plain, data: 'menu:backup' }],
  ];
  return screen([bold(words.t('What this bot can do:')), ...lines], keys);
}
