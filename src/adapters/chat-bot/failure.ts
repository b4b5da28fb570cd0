import { ChatError } from '../../commands/ports/chat-bot.js';
import { diskFault } from '../../lib/disk-fault.js';
import { render } from '../../messages/render.js';

export const UNREACHABLE = 'The server of the bot API could not be reached';
/** Without a word of the server about how long, in ms. */
const USUAL_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 3_600_000;

/** What the server said no with, as the library throws it. */
interface Refusal {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: unknown };
}

/** Whatever a call ended with, as a `ChatError`; the cause tells the log more, and never the token. */
export function failure(thrown: unknown): ChatError {
  // The library puts what `fetch` threw inside of an error of its own.
  const error = thrown instanceof Error && 'error' in thrown ? thrown.error : thrown;
  if (error instanceof ChatError) return error;
  if (isRefusal(error)) return rejected(error.error_code, error.description, error.parameters?.retry_after);
  const fault = diskFault(error);
  if (fault) {
    const why = render(fault.why, 'en');
    return new ChatError('refused', `The file cannot be read: ${why}`, { cause: new Error(why) });
  }
  return new ChatError('unreachable', UNREACHABLE, {
    cause: new Error(error instanceof Error ? error.name : 'unknown'),
  });
}

/** A no of the server, by its code; `details` are its words. */
export function rejected(code: number, details: string, retryAfter?: unknown): ChatError {
  const cause = new Error(`${code}: ${details.slice(0, 300)}`);
  switch (code) {
    case 401:
    case 404:
      return new ChatError('token', 'The server of the bot API does not know this token', { cause });
    case 403:
      return new ChatError('gone', 'The chat does not want the bot: write /start to it first', { cause });
    case 409:
      return new ChatError('taken', 'Another process polls with the same token', { cause });
    case 413:
      return new ChatError('refused', 'The file is too large for the server of the bot API', { cause });
    case 429: {
      const seconds = typeof retryAfter === 'number' && retryAfter > 0 ? retryAfter : USUAL_PAUSE_MS / 1000;
      const retryAfterMs = Math.min(seconds * 1000, LONGEST_PAUSE_MS);
      return new ChatError('slow', 'The server of the bot API wants to be left alone for a while', {
        cause,
        retryAfterMs,
      });
    }
    case 400:
      return /chat not found|user is deactivated|group chat was/i.test(details)
        ? new ChatError('gone', 'There is no such chat: write /start to the bot first', { cause })
        : new ChatError('refused', 'The server of the bot API does not take this message', { cause });
    default:
      return new ChatError('unreachable', UNREACHABLE, { cause });
  }
}

function isRefusal(error: unknown): error is Refusal {
  return (
    error instanceof Error &&
    'error_code' in error &&
    typeof error.error_code === 'number' &&
    'description' in error &&
    typeof error.description === 'string'
  );
}
