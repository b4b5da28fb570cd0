import { z } from 'zod';
import { isText, type Text } from '../../messages/message.js';

/** A request of the command line to the running panel: one line of JSON, answered by one line. */
export const ControlRequest = z.strictObject({ type: z.string().max(64), data: z.unknown() });
export type ControlRequest = z.output<typeof ControlRequest>;

/** `error` is a `Text`. */
export const ControlAnswer = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), result: z.unknown() }),
  z.strictObject({ ok: z.literal(false), error: z.custom<Text>(isText) }),
]);
export type ControlAnswer = z.output<typeof ControlAnswer>;

/** Limit of a line in bytes, in both directions. Larger content is passed as the path of a file. */
export const MAX_LINE_BYTES = 1024 * 1024;
