/** Fields that are read between two turns of the loop, a few ms. */
const TURN = 50_000;
const LENGTH_DELIMITED = 2;

/**
 * Why these bytes are no list that the core could read, or null. Both kinds of list have one shape: entries in field 1,
 * each with a name in field 1 and its addresses or domains in field 2.
 */
export async function geoFlaw(bytes: Buffer): Promise<string | null> {
  let names = 0;
  let members = 0;
  let read = 0;
  for (let at = 0; at < bytes.length; ) {
    const entry = fieldAt(bytes, at, bytes.length);
    if (entry === null || entry.number !== 1 || entry.type !== LENGTH_DELIMITED) return 'what came is no geo file';
    for (let inner = entry.from; inner < entry.to; ) {
      const field = fieldAt(bytes, inner, entry.to);
      if (field === null) return 'what came is no geo file, or only a part of one';
      if (field.number === 1 && field.type === LENGTH_DELIMITED && field.to > field.from) names += 1;
      if (field.number === 2 && field.type === LENGTH_DELIMITED) members += 1;
      inner = field.to;
      read += 1;
      if (read % TURN === 0) await turn();
    }
    at = entry.to;
    read += 1;
    if (read % TURN === 0) await turn();
  }
  return names === 0 || members === 0 ? 'what came is an empty geo file' : null;
}

/** Others run in between. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Field {
  readonly number: number;
  readonly type: number;
  /** Where its content begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** The field of a protobuf message that begins at `at`; null when there is none that ends before `end`. */
function fieldAt(bytes: Buffer, at: number, end: number): Field | null {
  const tag = varintAt(bytes, at, end);
  if (tag === null) return null;
  const [number, type] = [Math.floor(tag.value / 8), tag.value % 8];
  const sizes: Readonly<Record<number, number>> = { 1: 8, 5: 4 };
  let [from, to] = [tag.to, tag.to + (sizes[type] ?? 0)];
  if (type === 0) to = varintAt(bytes, from, end)?.to ?? Number.POSITIVE_INFINITY;
  else if (type === LENGTH_DELIMITED) {
    const length = varintAt(bytes, from, end);
    if (length === null) return null;
    from = length.to;
    to = from + length.value;
  } else if (sizes[type] === undefined) return null;
  return number === 0 || to > end ? null : { number, type, from, to };
}

function varintAt(bytes: Buffer, at: number, end: number): { readonly value: number; readonly to: number } | null {
  let value = 0;
  for (let index = 0; index < 10 && at + index < end; index += 1) {
    const byte = bytes[at + index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, to: at + index + 1 };
  }
  return null;
}
