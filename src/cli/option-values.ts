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

/** Throws `UsageError` when both options are given. */
export function assertOneOf(name: string, value: unknown, other: string, otherValue: unknown): void {
  if (value !== undefined && otherValue !== undefined)
    throw new UsageError(message('cli.optionsConflict', { name, other }));
}

/** Throws `UsageError` for an empty value: as a path it would be the current folder. */
export function assertNotEmpty(name: string, value: string | undefined): void {
  if (value === '') throw new UsageError(message('cli.optionNeedsValue', { name }));
}
