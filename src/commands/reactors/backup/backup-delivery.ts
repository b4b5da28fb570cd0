import { setTimeout as wait } from 'node:timers/promises';
import type { Delivered } from '../../../events/chat-bot.js';
import { diskFault } from '../../../lib/errors/disk-fault.js';
import { message, type Text } from '../../../messages/message.js';
import type { Done } from '../../bus.js';
import type { PlainCommand } from '../../counter-commands.js';
import { BackupError, type BackupFile, type Backups } from '../../ports/backups.js';
import { type ChatConnection, ChatError } from '../../ports/chat-bot.js';
import { Rejection, reject } from '../../rejection.js';

/** The state of the bot. */
export interface Messenger {
  /** Null while the bot is off. */
  readonly connection: ChatConnection | null;
  /** Why the bot does not work although the settings enable it; null when it works or is disabled. */
  readonly stopped: Text | null;
  /** Of the admins. */
  readonly chats: readonly number[];
}

interface Parts {
  readonly backups: Pick<Backups, 'create'>;
  readonly messenger: () => Messenger;
  /** The text under the file, as HTML. */
  readonly caption: (file: BackupFile) => string;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

type Dispatch = (command: PlainCommand) => Done | Rejection;

/** The limit of the bot API, in bytes. */
const MAX_DOCUMENT_BYTES = 50_000_000;
/** Attempts for each chat. */
const MAX_ATTEMPTS = 3;
/** A chat that asks for a longer pause counts as failed. In ms. */
const MAX_PAUSE_MS = 60_000;

/** Sends a fresh backup to every chat of an admin, one delivery at a time. */
export class BackupDelivery {
  readonly #parts: Parts;
  readonly #ending = new AbortController();
  #running: Promise<Delivered | Rejection> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The result for each chat, of this delivery or of the one in progress. A rejection when no chat received it. Never
   * throws. `dispatch` records it in the name of its actor.
   */
  deliver(dispatch: Dispatch): Promise<Delivered | Rejection> {
    if (this.#ending.signal.aborted) return Promise.resolve(reject('RESTART_UNDER_WAY'));
    this.#running ??= this.#deliver(dispatch)
      .catch((error: unknown) => {
        if (error instanceof BackupError) return reject('BACKUP_NOT_SENT', { why: error.text });
        this.#parts.warn('a backup could not be sent', { err: error });
        return reject('BACKUP_NOT_SENT', { why: diskFault(error)?.why ?? message('bot.seeLog') });
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  /** Aborts the delivery in progress; resolves when its file has been removed. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #deliver(dispatch: Dispatch): Promise<Delivered | Rejection> {
    const { backups, messenger, warn } = this.#parts;
    const { connection, stopped, chats } = messenger();
    if (stopped !== null) return reject('BACKUP_NOT_SENT', { why: stopped });
    if (connection === null) return reject('CHAT_BOT_OFF');
    if (chats.length === 0) return reject('CHAT_BOT_NO_CHATS');
    const file = await backups.create();
    try {
      if (file.bytes > MAX_DOCUMENT_BYTES) return reject('BACKUP_NOT_SENT', { why: message('bot.backupTooLarge') });
      const sent: Delivered['chats'] = [];
      for (const chat of chats) sent.push({ chatId: chat, error: await this.#send(connection, chat, file) });
      const { position, bytes, sealed: encrypted } = file;
      const delivered = { position, bytes, encrypted, chats: sent };
      const done = dispatch({ type: 'RecordBackupDelivered', data: delivered });
      if (done instanceof Rejection) warn('the delivery of a backup could not be recorded', { reason: done.message });
      const [first] = sent;
      if (first && first.error !== null && sent.every(({ error }) => error !== null))
        return reject('BACKUP_NOT_SENT', { why: first.error });
      return delivered;
    } finally {
      file.remove();
    }
  }

  /** Why it did not arrive; null when it did. */
  async #send(connection: ChatConnection, chat: number, file: BackupFile): Promise<Text | null> {
    const { signal } = this.#ending;
    for (let tries = 1; ; tries += 1) {
      try {
        await connection.document(chat, file, this.#parts.caption(file), signal);
        return null;
      } catch (error) {
        if (!(error instanceof ChatError)) throw error;
        const again = error.kind === 'slow' || error.kind === 'unreachable';
        if (!again || tries === MAX_ATTEMPTS || signal.aborted || error.retryAfterMs > MAX_PAUSE_MS) {
          this.#parts.warn('a chat did not get the backup', { chat, why: error.message, cause: String(error.cause) });
          return error.text;
        }
        await wait(error.retryAfterMs || 1000 * tries, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }
}
