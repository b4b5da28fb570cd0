import { createRequire } from 'node:module';
import type { Api, InputFile } from 'grammy';
import {
  type ChatAccount,
  type ChatConnection,
  ChatError,
  type ChatService,
  type Keyboard,
} from '../../commands/ports/chat-bot.js';
import type { Web } from '../../commands/ports/web.js';
import { message } from '../../messages/message.js';
import { failure } from './failure.js';
import { fetchThrough } from './fetch.js';
import { batchOf } from './updates.js';

const PUBLIC_SERVER = 'https://api.telegram.org';
/** The token is a part of the URL, so other characters could select another path. */
const TOKEN = /^\d{1,20}:[\w-]{1,150}$/;
/** How long the bot API may hold a poll, in seconds. */
const POLL_SECONDS = 30;
/** Not `import`: on a busy machine Node 20 may return an empty module for CommonJS. */
const load = createRequire(import.meta.url);
const FORMAT = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } } as const;

/** The bot API over the `Web` port. The library is loaded when the first bot logs in. */
export function createChatService(web: Web): ChatService {
  return {
    async open({ token, server, proxy }: ChatAccount): Promise<ChatConnection> {
      if (!TOKEN.test(token)) throw new ChatError('token', message('bot.tokenInvalid'));
      const grammy = load('grammy') as Library;
      const api = new grammy.Api(token, {
        apiRoot: (server === '' ? PUBLIC_SERVER : server).replace(/\/+$/, ''),
        fetch: fetchThrough(web, proxy),
        // `fetchThrough` has its own timeouts; this one must not be shorter.
        timeoutSeconds: 3600,
      });
      return lineOf(api, (path, name) => new grammy.InputFile(path, name));
    },
  };
}

interface Library {
  readonly Api: typeof Api;
  readonly InputFile: typeof InputFile;
}
type File = Parameters<Api['sendDocument']>[1];
/** The library declares its own type for signals; it only listens to them. */
type Signal = Parameters<Api['getMe']>[0];

function lineOf(api: Api, fileOf: (path: string, name: string) => File): ChatConnection {
  const call = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw failure(error);
    }
  };
  return {
    login: (signal) =>
      call(
        (async () => {
          const { id, username } = await api.getMe(signal as Signal);
          await api.deleteWebhook({}, signal as Signal);
          return { id, name: username };
        })(),
      ),
    setCommands: async (commands) => void (await call(api.setMyCommands(commands))),
    updates: async (next, signal) => {
      const asked = { timeout: POLL_SECONDS, allowed_updates: ['message', 'callback_query'] } as const;
      const offset = next === null ? {} : { offset: next };
      return batchOf(await call(api.getUpdates({ ...asked, ...offset }, signal as Signal)), next);
    },
    send: async (chat, html, keyboard) =>
      void (await call(api.sendMessage(chat, html, { ...FORMAT, ...under(keyboard) }))),
    edit: async (chat, message, html, keyboard) => {
      try {
        await call(api.editMessageText(chat, message, html, { ...FORMAT, ...under(keyboard) }));
      } catch (error) {
        if (!(error instanceof ChatError) || !/message is not modified/.test(String(error.cause))) throw error;
      }
    },
    answer: async (press, text) => void (await call(api.answerCallbackQuery(press, text === '' ? {} : { text }))),
    document: async (chat, { path, name }, html, signal) => {
      const under = { caption: html, parse_mode: 'HTML' } as const;
      await call(api.sendDocument(chat, fileOf(path, name), under, signal as Signal));
    },
  };
}

function under(keyboard: Keyboard) {
  if (keyboard.length === 0) return {};
  const rows = keyboard.map((row) => row.map(({ text, data }) => ({ text, callback_data: data })));
  return { reply_markup: { inline_keyboard: rows } };
}
