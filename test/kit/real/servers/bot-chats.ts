/** An error of the bot API. */
export class Refusal extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;

  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** A message of the bot, as a user sees it. */
export interface Shown {
  readonly id: number;
  /** As it was sent. */
  html: string;
  /** The text without markup. */
  text: string;
  /** Rows of buttons: their labels and their data. */
  keyboard: readonly (readonly { readonly text: string; readonly callback_data: string }[])[];
  /** Name of the document, if it is one. */
  readonly document: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Chats with the checks of the real server. */
export class BotChats {
  readonly #chats = new Map<number, Shown[]>();
  readonly #presses = new Set<string>();
  #last = 0;

  open(...chats: number[]): void {
    for (const chat of chats) if (!this.#chats.has(chat)) this.#chats.set(chat, []);
  }

  shown(chat: number): readonly Shown[] {
    return this.#chats.get(chat) ?? [];
  }

  written(chat: number, from: number, name: string, text: string) {
    this.open(chat);
    this.#last += 1;
    const type = chat < 0 ? 'supergroup' : 'private';
    const sender = { id: from, is_bot: false, first_name: name };
    return {
      message_id: this.#last,
      date: Math.floor(Date.now() / 1000),
      chat: { id: chat, type },
      from: sender,
      text,
    };
  }

  pressed(from: number, chat: number, message: Shown, button: string | { readonly data: string }) {
    const key = typeof button === 'string' ? message.keyboard.flat().find(({ text }) => text === button) : undefined;
    if (typeof button === 'string' && !key) throw new Error(`there is no button ${button} under: ${message.text}`);
    this.#last += 1;
    const id = `press-${this.#last}`;
    this.#presses.add(id);
    const date = Math.floor(Date.now() / 1000);
    return {
      id,
      from: { id: from, is_bot: false, first_name: 'Ann' },
      message: { message_id: message.id, date, chat: { id: chat, type: chat < 0 ? 'supergroup' : 'private' } },
      chat_instance: '1',
      data: typeof button === 'string' ? key?.callback_data : button.data,
    };
  }

  send(fields: Fields) {
    return this.#add(fields, String(fields['text']), null, 4096);
  }

  document(fields: Fields, name: string) {
    return this.#add(fields, String(fields['caption'] ?? ''), name, 1024);
  }

  edit(fields: Fields) {
    const message = this.#chat(fields).find(({ id }) => id === fields['message_id']);
    if (!message) throw new Refusal(400, 'Bad Request: message to edit not found');
    const [html, keyboard] = [String(fields['text']), keyboardOf(fields)];
    const text = readable(html, 4096);
    if (text === message.text && JSON.stringify(keyboard) === JSON.stringify(message.keyboard))
      throw new Refusal(400, 'Bad Request: message is not modified');
    Object.assign(message, { html, text, keyboard });
    return { message_id: message.id };
  }

  answer(fields: Fields) {
    if (!this.#presses.delete(String(fields['callback_query_id'])))
      throw new Refusal(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid');
    return true;
  }

  #add(fields: Fields, html: string, document: string | null, longest: number) {
    const chat = this.#chat(fields);
    const text = readable(html, longest);
    this.#last += 1;
    chat.push({ id: this.#last, html, text, keyboard: keyboardOf(fields), document });
    return { message_id: this.#last };
  }

  #chat(fields: Fields): Shown[] {
    const chat = this.#chats.get(Number(fields['chat_id']));
    if (!chat) throw new Refusal(400, 'Bad Request: chat not found');
    return chat;
  }
}

/** The text of HTML as the bot API supports it; unsupported tags are rejected. */
function readable(html: string, longest: number): string {
  const open: string[] = [];
  const text = html
    .replaceAll(/<(\/?)([^<>]*)>/g, (mark, close: string, tag: string) => {
      const known = /^(b|i|u|s|code|pre)$/.test(tag);
      if (!known || (close !== '' && open.pop() !== tag))
        throw new Refusal(400, `Bad Request: can't parse entities: unsupported tag ${mark}`);
      if (close === '') open.push(tag);
      return '';
    })
    .replaceAll(/&(\w+);/g, (entity, name: string) => {
      const plain = { lt: '<', gt: '>', amp: '&', quot: '"' }[name];
      if (plain === undefined) throw new Refusal(400, `Bad Request: can't parse entities: ${entity}`);
      return plain;
    });
  if (open.length > 0) throw new Refusal(400, "Bad Request: can't parse entities: unclosed tag");
  if (/<|>/.test(html.replaceAll(/<\/?\w+>/g, ''))) throw new Refusal(400, "Bad Request: can't parse entities");
  if (text.length > longest) throw new Refusal(400, 'Bad Request: message is too long');
  return text;
}

function keyboardOf(fields: Fields): Shown['keyboard'] {
  const markup = fields['reply_markup'] as { inline_keyboard?: Shown['keyboard'] } | undefined;
  const rows = markup?.inline_keyboard ?? [];
  for (const { text, callback_data } of rows.flat()) {
    const bytes = Buffer.byteLength(callback_data);
    if (text === '' || bytes < 1 || bytes > 64) throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID');
  }
  return rows;
}
