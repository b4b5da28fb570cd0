import type { Done } from '../../../commands/bus.js';
import { Rejection } from '../../../commands/rejection.js';
import { within } from '../../../lib/time/within.js';
import type { Text } from '../../../messages/message.js';
import { Message } from '../context.js';

/** How long a caller waits for an answer, in ms; the work goes on without it. */
const PATIENCE_MS = 50_000;

/** The sentence for what was done, or the rejection. */
export function said(done: Done | Rejection, text: Text | string): Message | Rejection {
  return done instanceof Rejection ? done : new Message(text);
}

/** The outcome, or after a while the news that it goes on. */
export function patiently<T>(
  task: Promise<T | Rejection>,
  success: (result: T) => Message,
  meanwhile: unknown,
): Promise<Message | Rejection> {
  const ended = task.then((result) => (result instanceof Rejection ? result : success(result)));
  // Whoever does the work says when it breaks down.
  ended.catch(() => undefined);
  return within(
    PATIENCE_MS,
    ended,
    () => new Message('This takes a while and goes on; a notification tells how it ended.', meanwhile),
  );
}
