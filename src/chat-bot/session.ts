import { ChatError, type ChatLine } from '../commands/ports/chat-bot.js';
import { aboutCommand, commandNames } from './commands.js';
import { Conversation } from './conversation.js';
import type { BotParts } from './parts.js';
import { jittered, type Pause } from './pause.js';
import { poll, type Trouble } from './polling.js';
import type { Voice } from './voice.js';
import { Words } from './words.js';

interface SessionParts {
  readonly parts: BotParts;
  readonly voice: Voice;
  readonly pause: Pause;
  /** Null = the server answers. */
  readonly heard: (trouble: Trouble | null) => void;
}

/** Between two tries to log in, in ms. */
const LONGEST_MS = 60_000;

/**
 * Logs in, however long that takes, and answers until the signal aborts. Rejects with `ChatError` 'token' when the
 * token is none: trying again would not help.
 */
export async function attend(line: ChatLine, signal: AbortSignal, session: SessionParts): Promise<void> {
  const { parts, voice, pause, heard } = session;
  const me = await hello(line, signal, session);
  if (!me) return;
  voice.use(line);
  const words = new Words(parts.speech());
  const commands = commandNames.map((command) => ({ command, description: aboutCommand(command, words).plain }));
  voice.notice((one) => one.introduce(commands));
  const conversation = new Conversation(parts, voice, me);
  await poll(line, signal, { take: (update) => conversation.take(update), heard, now: parts.now, pause });
}

/** Who the bot is, as soon as the server can be asked; null when nobody wants to know any more. */
async function hello(line: ChatLine, signal: AbortSignal, { parts: { now }, pause, heard }: SessionParts) {
  const since = now();
  for (let times = 1; !signal.aborted; times += 1) {
    try {
      return await line.hello(signal);
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof ChatError) || error.kind === 'token') throw error;
      heard({ error, times, ms: now() - since });
      const wait = Math.min(LONGEST_MS, 1000 * 2 ** Math.min(times - 1, 6));
      await pause(Math.max(error.retryAfterMs, jittered(wait)), signal);
    }
  }
  return null;
}
