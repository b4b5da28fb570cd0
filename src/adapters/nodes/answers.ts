import { NodeError } from '../../commands/ports/remote-panel.js';
import { message } from '../../messages/message.js';

type Fields = Readonly<Record<string, unknown>>;

/** An answer of which a member is not what a panel sends. `where` is its path in the answer, as `status.mem.total`. */
export function nonsense(where: string): NodeError {
  return new NodeError('not-an-envelope', message('node.replyMember', { member: where }));
}

/** A count of bytes or of ms. Absent = NaN. Throws `NodeError` for a text, a fraction, and what is negative or infinite. */
export function countIn(row: Fields, name: string, at: string): number {
  const value = row[name];
  if (value === undefined) return Number.NaN;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw nonsense(`${at}.${name}`);
  return value as number;
}

/** A whole number, also a negative one. Absent = NaN. Throws `NodeError` for anything else. */
export function wholeIn(row: Fields, name: string, at: string): number {
  const value = row[name];
  if (value === undefined) return Number.NaN;
  if (!Number.isSafeInteger(value)) throw nonsense(`${at}.${name}`);
  return value as number;
}

/** Absent = empty. Throws `NodeError` for what is no text. */
export function textIn(row: Fields, name: string, at: string): string {
  const value = row[name] ?? '';
  if (typeof value !== 'string') throw nonsense(`${at}.${name}`);
  return value;
}

/** Absent = undefined. Throws `NodeError` for anything but true and false. */
export function flagIn(row: Fields, name: string, at: string): boolean | undefined {
  const value = row[name];
  if (value !== undefined && typeof value !== 'boolean') throw nonsense(`${at}.${name}`);
  return value;
}

/** Absent or null = none. Throws `NodeError` for what is no list. */
export function listIn(row: Fields, name: string, at: string): readonly unknown[] {
  const value = row[name] ?? [];
  if (!Array.isArray(value)) throw nonsense(`${at}.${name}`);
  return value;
}
