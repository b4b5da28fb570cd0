import { UsageError } from '../lib/errors/operator-error.js';
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

/** An ISO 8601 date, with or without a time; without a zone the time is local. */
const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A time in ms since 1970; null for a text that is not an ISO time. `Date.parse` alone accepts almost any number as a year. */
export function isoTime(text: string): number | null {
  const [, year, month, day] = ISO_TIME.exec(text) ?? [];
  const time = Date.parse(text);
  // `Date.parse` moves the 31st of a shorter month to the next one.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return Number.isNaN(time) || !isDay ? null : time;
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
