import { ChatError } from '../../commands/ports/chat-bot.js';
import { diskFault } from '../../lib/errors/disk-fault.js';
import { message } from '../../messages/message.js';

/** Pause if the server specifies none, in ms. */
const DEFAULT_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 3_600_000;

/** An error answer of the bot API, as the library throws it. */
interface Refusal {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: unknown };
}

/** Any error of a call as a `ChatError`. The cause has details for the log, but never the token. */
export function failure(thrown: unknown): ChatError {
  // The library wraps the error of `fetch` in its own error.
  const error = thrown instanceof Error && 'error' in thrown ? thrown.error : thrown;
  if (error instanceof ChatError) return error;
  if (isRefusal(error)) return rejected(error.error_code, error.description, error.parameters?.retry_after);
  const fault = diskFault(error);
  if (fault) return new ChatError('refused', message('bot.fileUnreadable', { why: fault.why }), { cause: error });
  return new ChatError('unreachable', message('bot.unreachable'), {
    cause: new Error(error instanceof Error ? error.name : 'unknown'),
  });
}

/** The error for a status of the bot API. `details` is its description, `retryAfter` in seconds. */
export function rejected(code: number, details: string, retryAfter?: unknown): ChatError {
  const cause = new Error(`${code}: ${details.slice(0, 300)}`);
  switch (code) {
    case 401:
    case 404:
      return new ChatError('token', message('bot.tokenUnknown'), { cause });
    case 403:
      return new ChatError('gone', message('bot.chatBlocked'), { cause });
    case 409:
      return new ChatError('taken', message('bot.tokenInUse'), { cause });
    case 413:
      return new ChatError('refused', message('bot.fileTooLarge'), { cause });
    case 429: {
      const seconds = typeof retryAfter === 'number' && retryAfter > 0 ? retryAfter : DEFAULT_PAUSE_MS / 1000;
      const retryAfterMs = Math.min(seconds * 1000, MAX_PAUSE_MS);
      return new ChatError('slow', message('bot.rateLimited'), {
        cause,
        retryAfterMs,
      });
    }
    case 400:
      return /chat not found|user is deactivated|group chat was/i.test(details)
        ? new ChatError('gone', message('bot.chatMissing'), { cause })
        : new ChatError('refused', message('bot.messageRefused'), { cause });
    default:
      return new ChatError('unreachable', message('bot.unreachable'), { cause });
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
