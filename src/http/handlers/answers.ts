import type { Done } from '../../commands/bus.js';
import { Rejection } from '../../commands/rejection.js';
import { Message } from '../context.js';

/** The sentence for what was done, or the rejection. */
export function said(done: Done | Rejection, text: string): Message | Rejection {
  return done instanceof Rejection ? done : new Message(text);
}
