import { Reader } from 'protobufjs/minimal.js';
import { isText, message, type Text } from '../../messages/message.js';

/** Lists and members that are read in one turn of the event loop; takes a few ms. */
const ENTRIES_PER_TURN = 10_000;
/** Fields of a member: a real domain has a type, a text and a few attributes. */
const MAX_FIELDS = 16;
/** Real files have a few thousand lists with short names. */
const MAX_LISTS = 50_000;
const MAX_NAME_BYTES = 1000;
const LENGTH_DELIMITED = 2;
const GROUP = 3;
const DAMAGED = message('geo.fileDamaged');

/** The contents of a geo file. */
export interface GeoLists {
  /** Names of the lists, in their order. */
  readonly tags: readonly string[];
  readonly hasAddresses: boolean;
  readonly hasDomains: boolean;
}

/**
 * The lists in these bytes, or why the core could not read them. Both kinds of list have the same format: entries in
 * field 1, each with a name in field 1 and its addresses or domains in field 2.
 */
export async function geoLists(bytes: Buffer): Promise<GeoLists | Text> {
  const reader = Reader.create(bytes);
  const tags: string[] = [];
  const members = { geoip: 0, geosite: 0 };
  let read = 0;
  for (let at = 0; at < bytes.length; ) {
    const entry = fieldAt(reader, at, bytes.length);
    if (entry === null || entry.number !== 1 || entry.type !== LENGTH_DELIMITED) return message('geo.notGeoFile');
    for (let inner = entry.from; inner < entry.to; ) {
      const field = fieldAt(reader, inner, entry.to);
      if (field === null) return DAMAGED;
      const inside = field.type === LENGTH_DELIMITED && field.to > field.from;
      // The core reads a name only at the start of an entry.
      if (field.number === 1 && inside && inner === entry.from) {
        if (tags.length === MAX_LISTS || field.to - field.from > MAX_NAME_BYTES) return DAMAGED;
        tags.push(bytes.toString('utf8', field.from, field.to));
      }
      if (field.number === 2 && inside) {
        const kind = kindOf(reader, field);
        if (kind === null) return DAMAGED;
        members[kind] += 1;
      }
      inner = field.to;
      read += 1;
      if (read % ENTRIES_PER_TURN === 0) await turn();
    }
    at = entry.to;
    read += 1;
    if (read % ENTRIES_PER_TURN === 0) await turn();
  }
  const { geoip, geosite } = members;
  if (tags.length === 0 || geoip + geosite === 0) return message('geo.fileEmpty');
  return { tags, hasAddresses: geoip > 0, hasDomains: geosite > 0 };
}

/** Why the core could not read these bytes as a geo file, or null. */
export async function geoFileProblem(bytes: Buffer): Promise<Text | null> {
  const lists = await geoLists(bytes);
  return isText(lists) ? lists : null;
}

/** A range has 4 or 16 bytes in field 1, a domain a text in field 2. Null for anything else, or for too many fields. */
function kindOf(reader: Reader, { from, to }: Field): 'geoip' | 'geosite' | null {
  let kind: 'geoip' | 'geosite' | null = null;
  let fields = 0;
  for (let at = from; at < to; fields += 1) {
    const field = fieldAt(reader, at, to);
    if (field === null || fields === MAX_FIELDS) return null;
    if (field.type === LENGTH_DELIMITED && field.number === 2) kind = 'geosite';
    else if (field.type === LENGTH_DELIMITED && field.number === 1) {
      if (![4, 16].includes(field.to - field.from)) return null;
      kind = 'geoip';
    }
    at = field.to;
  }
  return kind;
}

/** Lets other tasks run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Field {
  readonly number: number;
  readonly type: number;
  /** Start and end of its content. */
  readonly from: number;
  readonly to: number;
}

/** The field of a protobuf message that starts at `at`; null when there is none that ends by `end`. */
function fieldAt(reader: Reader, at: number, end: number): Field | null {
  reader.pos = at;
  try {
    const tag = reader.tag();
    const [number, type] = [tag >>> 3, tag & 7];
    if (number === 0 || type === GROUP) return null;
    const length = type === LENGTH_DELIMITED ? reader.size() : null;
    const from = reader.pos;
    if (length === null) reader.skipType(type);
    else reader.skip(length);
    return reader.pos > end ? null : { number, type, from, to: reader.pos };
  } catch {
    return null;
  }
}
