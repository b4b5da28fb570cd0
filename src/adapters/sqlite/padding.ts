import { type EventRow, PLAIN } from './codec.js';

/** SQLite's sizes for a page of 4096 bytes; see "B-tree Cell Format" of its file format. */
const PAGE_CONTENT = 4092;
/** The least part of a row that stays in the leaf page when the rest is on overflow pages. */
const LEAF_LEAST = 489;
/** A rest of this length stays in the leaf page, so it is moved to an overflow page of its own. */
const REST_LEAST = 64;
/** A rest of this length goes to an overflow page: SQLite's limit is 3572, and the size of a row is estimated. */
const REST_MOVED = 3640;
/** Shorter rows are not padded: they would take a whole page until they are pruned. */
const PAD_FROM = 1024;
/** Integers, lengths and the two hashes. */
const OTHER_COLUMNS = 130;

/**
 * A measured payload with padding, so that its row leaves as little as possible in its leaf page. Rows are never moved, so
 * what a pruned payload occupies in leaf pages stays unused for ever: with 1000 active clients a whole page for each poll.
 * Overflow pages are freed as a whole. The padding is covered by the payload's hash and ignored by `storedData`.
 */
export function padded(
  payload: Buffer,
  { stream, type, meta, encoding }: Omit<EventRow, 'payload' | 'payload_hash' | 'hash'>,
): Buffer {
  const size = payload.length + stream.length + type.length + Buffer.byteLength(meta) + OTHER_COLUMNS;
  const rest = (size - LEAF_LEAST) % PAGE_CONTENT;
  if (size < PAD_FROM || rest < REST_LEAST || rest >= REST_MOVED) return payload;
  // JSON ends with spaces; after the end of a deflate stream, bytes are ignored.
  return Buffer.concat([payload, Buffer.alloc(REST_MOVED - rest, encoding === PLAIN ? ' ' : 0)]);
}
