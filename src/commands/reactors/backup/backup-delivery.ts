import { setTimeout as wait } from 'node:timers/promises';
import type { Delivered } from '../../../events/chat-bot.js';
import { diskFault } from '../../../lib/disk-fault.js';
import type { Done } from '../../bus.js';
import type { PlainCommand } from '../../counted.js';
import { BackupError, type BackupFile, type Backups } from '../../ports/backups.js';
import { ChatError, type ChatLine } from '../../ports/chat-bot.js';
import { Rejection, reject } from '../../rejection.js';

/** The bot as it is at this moment. */
export interface Messenger {
  /** Null while the bot is off. */
  readonly line: ChatLine | null;
  /** Why it is off though the settings have it on; null when that is not so. */
  readonly stopped: string | null;
  /** Of the admins. */
  readonly chats: readonly number[];
}

interface Parts {
  readonly backups: Pick<Backups, 'create'>;
  readonly messenger: () => Messenger;
  /** What stands under the file, as HTML. */
  readonly caption: (file: BackupFile) => string;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

type Dispatch = (command: PlainCommand) => Done | Rejection;

/** What the bot API takes at most. */
const LARGEST = 50_000_000;
/** For one chat. */
const TRIES = 3;
/** Longer than this nobody waits for one chat, in ms. */
const LONGEST_PAUSE_MS = 60_000;

/** Sends a fresh backup to every chat of an admin, one delivery at a time. */
export class BackupDelivery {
  readonly #parts: Parts;
  readonly #ending = new AbortController();
  #running: Promise<Delivered | Rejection> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * What became of it, chat by chat; or the one that is under way. A rejection when nobody got it. Never rejects.
   * `dispatch`: in whose name it is recorded.
   */
  deliver(dispatch: Dispatch): Promise<Delivered | Rejection> {
    if (this.#ending.signal.aborted) return Promise.resolve(reject('RESTART_UNDER_WAY'));
    this.#running ??= this.#deliver(dispatch)
      .catch((error: unknown) => {
        if (error instanceof BackupError) return reject('BACKUP_NOT_SENT', { why: error.message });
        this.#parts.warn('a backup could not be sent', { err: error });
        return reject('BACKUP_NOT_SENT', { why: diskFault(error)?.why ?? 'the log of the panel says more' });
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  /** Ends what is under way; resolves when its file is gone. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #deliver(dispatch: Dispatch): Promise<Delivered | Rejection> {
    const { backups, messenger, warn } = this.#parts;
    const { line, stopped, chats } = messenger();
    if (stopped !== null) return reject('BACKUP_NOT_SENT', { why: stopped });
    if (line === null) return reject('CHAT_BOT_OFF');
    if (chats.length === 0) return reject('CHAT_BOT_NO_CHATS');
    const file = await backups.create();
    try {
      if (file.bytes > LARGEST)
        return reject('BACKUP_NOT_SENT', { why: 'it is larger than the 50 MB that the bot API takes' });
      const sent: Delivered['chats'] = [];
      for (const chat of chats) sent.push({ chatId: chat, error: await this.#send(line, chat, file) });
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
  async #send(line: ChatLine, chat: number, file: BackupFile): Promise<string | null> {
    const { signal } = this.#ending;
    for (let tries = 1; ; tries += 1) {
      try {
        await line.document(chat, file, this.#parts.caption(file), signal);
        return null;
      } catch (error) {
        if (!(error instanceof ChatError)) throw error;
        const again = error.kind === 'slow' || error.kind === 'unreachable';
        if (!again || tries === TRIES || signal.aborted || error.retryAfterMs > LONGEST_PAUSE_MS) {
          this.#parts.warn('a chat did not get the backup', { chat, why: error.message, cause: String(error.cause) });
          return error.message;
        }
        await wait(error.retryAfterMs || 1000 * tries, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }
}
