/** Where the bot logs in. */
export interface ChatPlace {
  /** Secret. */
  readonly token: string;
  /** Empty = the public server of the bot API. */
  readonly server: string;
  /** `socks5://…`, or empty. Secret. */
  readonly proxy: string;
}

export interface ChatButton {
  readonly text: string;
  /** Comes back when it is pressed; at most 64 bytes. */
  readonly data: string;
}
/** Rows of buttons under a message. */
export type Keyboard = readonly (readonly ChatButton[])[];

/** A message to the bot, or a pressed button. Edited, forwarded and anonymous messages are ignored. */
export interface ChatUpdate {
  /** Increases with each update, until the server restarts its numbering. */
  readonly id: number;
  /** When the message was written, in ms since 1970; that of the message under which a button was pressed. */
  readonly at: number;
  /** Negative for a group. */
  readonly chat: number;
  readonly from: { readonly id: number /** As the person writes it. */; readonly name: string };
  readonly said:
    | string
    | { /** Of this pressing. */ readonly press: string; readonly message: number; readonly data: string };
}

export interface ChatBatch {
  readonly updates: readonly ChatUpdate[];
  /** What to ask for next: that tells the server that these have arrived. Null = nothing has come yet. */
  readonly next: number | null;
}

/** A bot that is logged in. Texts are HTML as the bot API has it. Every call rejects with `ChatError`. */
export interface ChatLine {
  /** The name of the bot. Deletes a webhook that is set. */
  hello(signal: AbortSignal): Promise<{ readonly id: number; readonly name: string }>;
  /** What people see when they type a slash. */
  introduce(commands: readonly { readonly command: string; readonly description: string }[]): Promise<void>;
  /** Waits up to half a minute for something new. */
  updates(next: number | null, signal: AbortSignal): Promise<ChatBatch>;
  send(chat: number, html: string, keyboard: Keyboard): Promise<void>;
  /** A message that is so already is fine. */
  edit(chat: number, message: number, html: string, keyboard: Keyboard): Promise<void>;
  /** Answers a pressed button; `text` may be empty. */
  answer(press: string, text: string): Promise<void>;
  /** Sends a file of the disk, piece by piece. */
  document(
    chat: number,
    file: { readonly path: string; readonly name: string },
    html: string,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface ChatService {
  /** Asks nobody yet. Rejects with `ChatError` 'token' for what cannot be one. */
  open(place: ChatPlace): Promise<ChatLine>;
}

/**
 * Why the server of the bot API did not do it. `token`: it does not know the token; `taken`: another process polls with
 * it; `slow`: too many requests; `gone`: the chat is not there, or does not want the bot; `refused`: it cannot be done
 * this way; `unreachable`: try again later. `message` is for people and holds neither token nor address.
 */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly kind: 'token' | 'taken' | 'slow' | 'gone' | 'refused' | 'unreachable';
  /** How long the server wants to be left alone, in ms. */
  readonly retryAfterMs: number;

  constructor(
    kind: ChatError['kind'],
    message: string,
    options: ErrorOptions & { readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}
