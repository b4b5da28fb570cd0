import { v7 } from 'uuid';
import { eventType, type PanelEvent } from '../../events/catalog.js';
import { random } from '../../lib/random.js';
import { chainHash, type EventRow, encodePayload, idText, payloadHash } from './codec.js';
import type { Keyring } from './keyring.js';
import type { LogStatements } from './log-statements.js';
import { padded } from './padding.js';

const NO_HASH: Buffer = Buffer.alloc(32);
const FEW_STREAMS = 8;

/** Makes the rows of new events, and stores rows. To be used inside the transaction of an append. */
export class RowWriter {
  readonly #sql: LogStatements;
  readonly #keyring: Keyring;
  #sequence = 0;
  #sequenceAt = 0;

  constructor(sql: LogStatements, keyring: Keyring) {
    this.#sql = sql;
    this.#keyring = keyring;
  }

  /** The last version of each stream of these events. One query for many streams takes a third of the time. */
  versionsOf(events: readonly PanelEvent[]): Map<string, number> {
    const streams = [...new Set(events.map((event) => eventType(event.type)?.stream(event.data) ?? ''))];
    const versions =
      streams.length < FEW_STREAMS
        ? streams.map((stream) => this.#sql.version.get(stream)?.version)
        : this.#sql.versions.all(JSON.stringify(streams));
    return new Map(streams.map((stream, i) => [stream, versions[i] ?? 0]));
  }

  /** The row of an event after `before`. Counts up the version of its stream in `versions`. */
  rowOf(
    event: PanelEvent,
    { at, meta }: Pick<EventRow, 'at' | 'meta'>,
    before: Pick<EventRow, 'position' | 'hash'>,
    versions: Map<string, number>,
  ): { readonly row: EventRow; readonly id: string } {
    const id = this.#id(at);
    const text = idText(id);
    const { encoding, payload: content, type } = encodePayload(event, text, this.#keyring);
    const stream = type.stream(event.data);
    const version = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, version);
    // The hashes are assigned last: copies of so many members take as long as hashing them.
    const row = {
      position: before.position + 1,
      stream,
      version,
      id,
      type: event.type,
      schema: type.schemaVersion,
      at,
      meta,
      measured: type.class === 'measured' ? 1 : 0,
      encoding,
      payload: content,
      payload_hash: NO_HASH,
      hash: NO_HASH,
    };
    if (row.measured === 1) row.payload = padded(content, row);
    row.payload_hash = payloadHash(row.payload);
    row.hash = chainHash(before.hash, row);
    return { row, id: text };
  }

  /** Binds by position: binding by name takes as long as the insert itself. */
  store(row: EventRow): void {
    const { position, stream, version, id, type, schema, at, meta, measured, encoding, payload, payload_hash, hash } =
      row;
    this.#sql.insert.run(
      position,
      stream,
      version,
      id,
      type,
      schema,
      at,
      meta,
      measured,
      encoding,
      payload,
      payload_hash,
      hash,
    );
  }

  /** UUID v7 (RFC 9562), ascending within a millisecond. Random bytes come from a pool, because a call for each id is slow. */
  #id(at: number): Buffer {
    this.#sequence = at === this.#sequenceAt ? this.#sequence + 1 : 0;
    this.#sequenceAt = at;
    return v7({ msecs: at, seq: this.#sequence, random: random(16) }, Buffer.allocUnsafe(16));
  }
}
