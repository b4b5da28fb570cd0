import { z } from 'zod';
import { message } from '../../../messages/message.js';
import { type EventRow, NewerRelease, type StoredMeta, storedData } from '../codec.js';

/** An answered request; see the table `commands`. */
export interface CommandRow {
  readonly key: string;
  readonly fingerprint: string;
  readonly first: number;
  readonly last: number;
  readonly at: number;
}

/** Rows that another member of the cluster has stored. */
export interface ForeignBatch {
  readonly rows: readonly EventRow[];
  readonly commands: readonly CommandRow[];
  /** The `keyMark` of each data key that the rows are encrypted with, by id; without those that were destroyed. */
  readonly marks: Readonly<Record<string, string>>;
  /** The group of each of these keys that was stored in one, by id. */
  readonly groups: Readonly<Record<string, string>>;
}

/** Version of the format below. A member does not read a newer one, which must stay JSON with the member `format`. */
const FORMAT = 2;

// Not checked further: the hashes of the rows are.
const bytes = z.string().transform((text) => Buffer.from(text, 'base64'));
const integer = z.int().nonnegative();

const Row = z
  .tuple([
    integer,
    z.string(),
    integer,
    bytes,
    z.string(),
    integer,
    integer,
    z.string(),
    integer,
    integer,
    bytes,
    bytes,
    bytes,
  ])
  .transform(
    ([position, stream, version, id, type, schema, at, meta, measured, encoding, payload, payload_hash, hash]) => ({
      ...{ position, stream, version, id, type, schema, at, meta, measured, encoding, payload, payload_hash, hash },
    }),
  );

const Command = z.strictObject({
  key: z.string(),
  fingerprint: z.string(),
  first: integer,
  last: integer,
  at: integer,
});

const Versioned = z.object({ format: z.int() });

const Body = z.strictObject({
  format: z.int(),
  rows: z.array(Row),
  commands: z.array(Command),
  marks: z.record(z.string(), z.string()),
  // Not in format 1.
  groups: z.record(z.string(), z.string()).default({}),
});

/** Rows as bytes: JSON, with encrypted fields as they are stored. The payload of no row may be removed. */
export function encodeBatch({ rows, commands, marks, groups }: ForeignBatch): Buffer {
  const base64 = (value: Buffer): string => value.toString('base64');
  const encoded = rows.map((row) => {
    const { position, stream, version, id, type, schema, at, meta, measured, encoding, payload, payload_hash, hash } =
      row;
    if (payload === null) throw new Error(`the payload of event ${position} was rolled up`);
    const [first, second] = [base64(id), base64(payload)];
    const hashes = [base64(payload_hash), base64(hash)];
    return [position, stream, version, first, type, schema, at, meta, measured, encoding, second, ...hashes];
  });
  return Buffer.from(JSON.stringify({ format: FORMAT, rows: encoded, commands, marks, groups }));
}

/**
 * Throws `NewerRelease` for a batch in a newer format, and other errors for bytes that are not a batch. `first`: the position of
 * its first event.
 */
export function decodeBatch(body: Uint8Array, first: number): ForeignBatch {
  const json: unknown = JSON.parse(Buffer.from(body).toString());
  const { format } = Versioned.parse(json);
  if (format > FORMAT) throw new NewerRelease(first, message('storage.batchFormatNewer', { format, known: FORMAT }));
  return Body.parse(json);
}

/** The ids of the data keys that a row is encrypted with. */
export function keysOf(row: EventRow): readonly string[] {
  const { $sealed: sealed = [] } = (storedData(row) ?? {}) as { $sealed?: readonly { readonly key: string }[] };
  const { actor } = JSON.parse(row.meta) as StoredMeta;
  return [...sealed, actor.by, actor.who].flatMap((box) => (box ? [box.key] : []));
}
