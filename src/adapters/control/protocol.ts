import { z } from 'zod';

/** What an operator asks of the running panel: one line of JSON, and one line back. */
export const ControlRequest = z.strictObject({ type: z.string().max(64), data: z.unknown() });
export type ControlRequest = z.output<typeof ControlRequest>;

/** `error` is a sentence for people. */
export const ControlAnswer = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), result: z.unknown() }),
  z.strictObject({ ok: z.literal(false), error: z.string() }),
]);
export type ControlAnswer = z.output<typeof ControlAnswer>;

/** Longest line in bytes, either way: what is larger goes by the name of a file. */
export const LONGEST_LINE = 1024 * 1024;
