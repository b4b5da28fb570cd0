import { NodeError } from '../../commands/ports/remote-panel.js';
import { message } from '../../messages/message.js';

type Fields = Readonly<Record<string, unknown>>;

/** For a reply with an invalid member. `path`: where it is in the reply, such as `status.mem.total`. */
export function invalidMember(path: string): NodeError {
  return new NodeError('invalid-reply', message('node.replyMember', { member: path }));
}

/** A count of bytes or ms; NaN when it is missing. Throws `NodeError` for anything else, also for a negative number. */
export function countIn(row: Fields, name: string, at: string): number {
  const value = row[name];
  if (value === undefined) return Number.NaN;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw invalidMember(`${at}.${name}`);
  return value as number;
}

/** An integer; NaN when it is missing. Throws `NodeError` for anything else. */
export function wholeIn(row: Fields, name: string, at: string): number {
  const value = row[name];
  if (value === undefined) return Number.NaN;
  if (!Number.isSafeInteger(value)) throw invalidMember(`${at}.${name}`);
  return value as number;
}

/** A string; empty when it is missing. Throws `NodeError` for anything else. */
export function textIn(row: Fields, name: string, at: string): string {
  const value = row[name] ?? '';
  if (typeof value !== 'string') throw invalidMember(`${at}.${name}`);
  return value;
}

/** A boolean; undefined when it is missing. Throws `NodeError` for anything else. */
export function flagIn(row: Fields, name: string, at: string): boolean | undefined {
  const value = row[name];
  if (value !== undefined && typeof value !== 'boolean') throw invalidMember(`${at}.${name}`);
  return value;
}

/** An array; empty when it is missing or null. Throws `NodeError` for anything else. */
export function listIn(row: Fields, name: string, at: string): readonly unknown[] {
  const value = row[name] ?? [];
  if (!Array.isArray(value)) throw invalidMember(`${at}.${name}`);
  return value;
}
