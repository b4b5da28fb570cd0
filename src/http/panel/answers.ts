import type { Done } from '../../commands/bus.js';
import { Rejection } from '../../commands/rejection.js';
import { within } from '../../lib/time/within.js';
import { message, type Text } from '../../messages/message.js';
import { Message } from './outcomes.js';

/** How long a caller waits for the result of a task, in ms. */
const TIMEOUT_MS = 50_000;

/** The text of a success, or the rejection. */
export function messageOf(done: Done | Rejection, text: Text): Message | Rejection {
  return done instanceof Rejection ? done : new Message(text);
}

/** The result of a task, or after a while the text that it is still running. */
export function withinTimeout<T>(
  task: Promise<T | Rejection>,
  success: (result: T) => Message,
  meanwhile: unknown,
): Promise<Message | Rejection> {
  const ended = task.then((result) => (result instanceof Rejection ? result : success(result)));
  // The task reports its own failure.
  ended.catch(() => undefined);
  return within(TIMEOUT_MS, ended, () => new Message(message('common.stillRunning'), meanwhile));
}
