import { textOf } from './json.js';

/** The member of an inbound's settings that holds its ownership mark. Cores ignore members that they do not know. */
export const MARK_MEMBER = 'managedBy';

/** The ownership mark that a centre writes into each inbound and client that it creates on a node. */
export interface Mark {
  /** Of the client or inbound; `OTHER_CENTRE` when another centre wrote the mark, 0 when there is none. */
  readonly number: number;
  /** See `uidOf`; empty in older marks, which have only the number. */
  readonly uid: string;
}

/**
 * The mark of a client (in its comment) or of an inbound (in its settings). By it a centre recognises what it created, under
 * any name or credential. Numbers are assigned again after a backup was restored; a `uid` is not.
 */
export function markOf(centre: string, number: number, uid: string): string {
  return `portolan:${centre}:${number}${uid === '' ? '' : `:${uid}`}`;
}

/** Distinguishes a client or an inbound from every other one with its number: the end of the id of the event that added it. */
export function uidOf({ id }: { readonly id: string }): string {
  return id.slice(-12);
}

/** Instead of a number: another centre created it. */
export const OTHER_CENTRE = -1;

/** Instead of the number of an inbound: another centre marked it, but this centre has adopted it since. */
export const PREVIOUS_CENTRE = -2;

/** Parses a mark. `centre`: the id of this panel. */
export function readMark(centre: string, mark: unknown): Mark {
  const [, of, digits, uid = ''] = /^portolan:([\w-]{1,64}):([1-9]\d{0,14})(?::(\w{1,12}))?$/.exec(textOf(mark)) ?? [];
  if (of === undefined) return { number: 0, uid: '' };
  return of === centre ? { number: Number(digits), uid } : { number: OTHER_CENTRE, uid: '' };
}
