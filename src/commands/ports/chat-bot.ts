import { MessageError } from '../../messages/error.js';
import type { Text } from '../../messages/message.js';

/** The account of the bot and the server of the bot API. */
export interface ChatAccount {
  /** Secret. */
  readonly token: string;
  /** Empty = the public server of the bot API. */
  readonly server: string;
  /** `socks5://…`, or empty. Secret. */
  readonly proxy: string;
}

export interface ChatButton {
  readonly text: string;
  /** Returned when the button is pressed; at most 64 bytes. */
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
  readonly from: { readonly id: number; readonly name: string };
  readonly content:
    | string
    | {
        /** The ID of the press, for `answer`. */ readonly press: string;
        readonly message: number;
        readonly data: string;
      };
}

export interface ChatBatch {
  readonly updates: readonly ChatUpdate[];
  /** The number for the next poll, which confirms these updates. Null = no update has come yet. */
  readonly next: number | null;
}

/** A connection to the bot API. Texts are HTML in the subset of the bot API. Every call rejects with `ChatError`. */
export interface ChatConnection {
  /** The ID and name of the bot. Deletes its webhook. */
  login(signal: AbortSignal): Promise<{ readonly id: number; readonly name: string }>;
  /** Sets the commands that Telegram suggests after a slash. */
  setCommands(commands: readonly { readonly command: string; readonly description: string }[]): Promise<void>;
  /** Waits up to half a minute for an update. */
  updates(next: number | null, signal: AbortSignal): Promise<ChatBatch>;
  send(chat: number, html: string, keyboard: Keyboard): Promise<void>;
  /** Succeeds also when the message is already like this. */
  edit(chat: number, message: number, html: string, keyboard: Keyboard): Promise<void>;
  /** Answers a pressed button; `text` may be empty. */
  answer(press: string, text: string): Promise<void>;
  /** Streams a file from the disk. */
  document(
    chat: number,
    file: { readonly path: string; readonly name: string },
    html: string,
    signal: AbortSignal,
  ): Promise<void>;
}

export interface ChatService {
  /** Does not connect yet. Rejects with `ChatError` 'token' when the token has a wrong format. */
  open(place: ChatAccount): Promise<ChatConnection>;
}

/**
 * Why a call of the bot API failed. `token`: the token is not accepted; `taken`: another process polls with the token;
 * `slow`: too many requests; `gone`: the chat does not exist or has blocked the bot; `refused`: a retry cannot help;
 * `unreachable`: retry later. The text contains neither the token nor an address.
 */
export class ChatError extends MessageError {
  override readonly name = 'ChatError';
  readonly kind: 'token' | 'taken' | 'slow' | 'gone' | 'refused' | 'unreachable';
  /** Least time before a retry, in ms. */
  readonly retryAfterMs: number;

  constructor(kind: ChatError['kind'], text: Text, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(text, options);
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}
