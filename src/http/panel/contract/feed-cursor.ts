/** The position of a follower of the events, and the history that it belongs to. */
export interface Cursor {
  readonly position: number;
  /** The identity of the log; empty = any. */
  readonly generation: string;
  /** The first digits of the chain hash at the position, which differ in every other history; empty = any. */
  readonly hash: string;
}

interface Chain {
  readonly generation: string;
  hashAt(position: number): string | null;
}

/** Of 64 digits: enough to distinguish histories, and short enough to be sent with each event. */
const HASH_DIGITS = 16;

/** The cursor of a position in a log. */
export function cursorAt(log: Chain, position: number): Cursor {
  const hash = log.hashAt(position) ?? '0'.repeat(HASH_DIGITS);
  return { position, generation: log.generation, hash: hash.slice(0, HASH_DIGITS) };
}

/** `42.0b5f6a52-9a43-4b1b-8a9c-6d0a4f1f2f10.9f86d081884c7d65` */
export const cursorText = ({ position, generation, hash }: Cursor): string => `${position}.${generation}.${hash}`;

/** Null for an invalid cursor. */
export function readCursor(text: string): Cursor | null {
  const [, position, generation = '', hash = ''] = /^(\d{1,15})\.([\w-]{1,64})\.([0-9a-f]{16})$/.exec(text) ?? [];
  return position === undefined ? null : { position: Number(position), generation, hash };
}
