import { type ChatConnection, ChatError } from '../commands/ports/chat-bot.js';
import { aboutCommand, commandNames } from './commands.js';
import { Conversation } from './conversation.js';
import type { BotParts } from './parts.js';
import { jittered, type Pause } from './pause.js';
import { type Outage, poll } from './polling.js';
import type { SendQueue } from './send-queue.js';
import { Words } from './words.js';

interface SessionParts {
  readonly parts: BotParts;
  readonly queue: SendQueue;
  readonly pause: Pause;
  /** Null = the bot API answers. */
  readonly onOutage: (outage: Outage | null) => void;
}

/** Longest pause between two attempts to log in, in ms. */
const MAX_PAUSE_MS = 60_000;

/**
 * Logs in, with retries, and answers updates until the signal aborts. Rejects with `ChatError` 'token' when the bot API
 * refuses the token.
 */
export async function runSession(
  connection: ChatConnection,
  signal: AbortSignal,
  session: SessionParts,
): Promise<void> {
  const { parts, queue, pause, onOutage } = session;
  const me = await login(connection, signal, session);
  if (!me) return;
  queue.use(connection);
  const words = new Words(parts.read.settings.current());
  const commands = commandNames.map((command) => ({ command, description: aboutCommand(command, words).plain }));
  queue.notice((one) => one.setCommands(commands));
  const conversation = new Conversation(parts, queue, me);
  await poll(connection, signal, { handle: (update) => conversation.handle(update), onOutage, now: parts.now, pause });
}

/** Retries until the bot API answers. The name of the bot; null when the signal has aborted. */
async function login(
  connection: ChatConnection,
  signal: AbortSignal,
  { parts: { now }, pause, onOutage }: SessionParts,
) {
  const since = now();
  for (let times = 1; !signal.aborted; times += 1) {
    try {
      return await connection.login(signal);
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof ChatError) || error.kind === 'token') throw error;
      onOutage({ error, times, ms: now() - since });
      const wait = Math.min(MAX_PAUSE_MS, 1000 * 2 ** Math.min(times - 1, 6));
      await pause(Math.max(error.retryAfterMs, jittered(wait)), signal);
    }
  }
  return null;
}
