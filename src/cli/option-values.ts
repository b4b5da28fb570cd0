import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { UsageError } from '../lib/errors/operator-error.js';
import { isoTime } from '../lib/time/iso-time.js';
import { message } from '../messages/message.js';

/** Throws `UsageError` unless the text is a whole number between two limits, both allowed. `name` is the option or the argument. */
export function wholeNumber(
  name: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const number = Number(text);
  if (!/^\d{1,15}$/.test(text) || number < min || number > max)
    throw new UsageError(message('cli.numberInvalid', { name, value: text, min, max }));
  return number;
}

/** Throws `UsageError` when both options are given. */
export function assertOneOf(name: string, value: unknown, other: string, otherValue: unknown): void {
  if (value !== undefined && otherValue !== undefined)
    throw new UsageError(message('cli.optionsConflict', { name, other }));
}

/** Throws `UsageError` for an empty value: as a path it would be the current folder. */
export function assertNotEmpty(name: string, value: string | undefined): void {
  if (value === '') throw new UsageError(message('cli.optionNeedsValue', { name }));
}

/** The position that an option gives as a number or as an ISO time; by default that of the last event. */
export function positionAt(
  log: Pick<SqliteEventLog, 'head' | 'positionAt'>,
  name: string,
  value: string | undefined,
): number {
  const head = log.head().position;
  if (value === undefined) return head;
  if (/^\d{1,15}$/.test(value) && Number(value) <= head) return Number(value);
  const time = isoTime(value);
  if (time === null) throw new UsageError(message('cli.placeInvalid', { name, value, head }));
  return log.positionAt(time);
}
