import {
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import { headers, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core';
import {
  type Batch,
  type BatchLabel,
  type BatchStream,
  type FoundLabel,
  type LogServer,
  type StreamEnds,
  type StreamedBatch,
  WrongSequence,
} from '../../commands/ports/cluster.js';
import { REQUEST_MS } from './connection.js';
import { natsRequest } from './errors.js';

/** The stream with the log, and its only subject. */
export const STREAM = 'PORTOLAN_LOG';
export const SUBJECT = 'portolan.log';

/** Room for the headers of a message, in bytes. */
const HEADER_BYTES = 1024;
/** Messages that are applied together at most. */
const MAX_TOGETHER = 500;
/** Room for messages that wait to be applied, in bytes. */
const AHEAD_BYTES = 8 * 1024 * 1024;
/** How long the consumer may be without a sign of life, in ms. */
const IDLE_MS = 1000;

interface Part extends BatchLabel {
  readonly part: number;
  readonly parts: number;
}

/** The log as a stream of NATS JetStream. A batch that is larger than a message is stored in parts. */
export class NatsBatchStream implements BatchStream {
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;

  private constructor(connection: NatsConnection, manager: JetStreamManager) {
    this.#connection = connection;
    this.#client = jetstream(connection, { timeout: REQUEST_MS });
    this.#manager = manager;
  }

  static async open(connection: NatsConnection): Promise<NatsBatchStream> {
    const options = { timeout: REQUEST_MS, checkAPI: false };
    return new NatsBatchStream(connection, await jetstreamManager(connection, options));
  }

  async ends(): Promise<StreamEnds> {
    const { state, config } = await natsRequest(() => this.#manager.streams.info(STREAM));
    const before = state.messages === 0 ? state.last_seq : state.first_seq - 1;
    const { base = 0, removed = 0, building } = config.metadata ?? {};
    return {
      ...{ before, last: state.last_seq, messages: state.messages },
      ...{ base: Number(base), removed: Number(removed), isBuilding: building !== undefined },
    };
  }

  /** The servers with a copy of the stream. Rejects with `ClusterAway` when they have no quorum. */
  async servers(): Promise<readonly LogServer[]> {
    const { cluster } = await natsRequest(() => this.#manager.streams.info(STREAM));
    const leader = cluster?.leader ?? this.#connection.info?.server_name ?? '';
    return [
      { name: leader, isLeader: true, isCurrent: true, lag: 0 },
      ...(cluster?.replicas ?? []).map(({ name, current, offline, lag }) => ({
        // The server leaves out what is zero or false.
        ...{ name, isLeader: false, isCurrent: current && !offline, lag: Number(lag || 0) },
      })),
    ].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async labelFrom(sequence: number): Promise<FoundLabel | null> {
    // With a subject, the server skips sequences without a message. The type of the library lacks the field.
    const query = { seq: sequence, next_by_subj: SUBJECT };
    const found = await natsRequest(() => this.#manager.streams.getMessage(STREAM, query));
    if (found === null) return null;
    const { part, parts, ...label } = labelIn(found.header);
    return { ...label, sequence: found.seq, complete: part === parts, storedAt: found.time.getTime() };
  }

  async publish(batch: Batch, after: number): Promise<number> {
    const size = (this.#connection.info?.max_payload ?? 1024 * 1024) - HEADER_BYTES;
    const parts = Math.max(1, Math.ceil(batch.body.length / size));
    let last = after;
    for (let part = 1; part <= parts; part += 1) {
      const body = batch.body.subarray((part - 1) * size, part * size);
      const options = { expect: { lastSequence: last }, timeout: REQUEST_MS, retries: 0 };
      const msgID = parts === 1 ? batch.id : `${batch.id}/${batch.last}/${part}/${parts}`;
      const ack = await natsRequest(() =>
        this.#client.publish(SUBJECT, body, { ...options, msgID, headers: headersOf({ ...batch, part, parts }) }),
      );
      if (ack.duplicate) await this.#assertSame(ack.seq, batch);
      last = ack.seq;
    }
    return last;
  }

  /** The stream has a message with this id already: it may end at another event, if a former process has sent it. */
  async #assertSame(sequence: number, { last, hash }: Batch): Promise<void> {
    const label = await this.labelFrom(sequence);
    if (label?.sequence !== sequence || label.last !== last || label.hash !== hash)
      throw new WrongSequence(`message ${sequence} of the stream ends at position ${label?.last}, not at ${last}`);
  }

  async trim(sequence: number): Promise<void> {
    const { metadata = {} } = (await natsRequest(() => this.#manager.streams.info(STREAM))).config;
    const removed = String(Math.max(sequence, Number(metadata['removed'] ?? 0)));
    await natsRequest(() => this.#manager.streams.update(STREAM, { metadata: { ...metadata, removed } }));
    await natsRequest(() => this.#manager.streams.purge(STREAM, { seq: sequence + 1 }));
  }

  async follow(
    after: number,
    apply: (batches: readonly StreamedBatch[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const consumer = await natsRequest(() => this.#client.consumers.get(STREAM, { opt_start_seq: after + 1 }));
    const messages = await natsRequest(() => consumer.consume({ max_bytes: AHEAD_BYTES, idle_heartbeat: IDLE_MS }));
    const stop = (): void => messages.stop();
    signal.addEventListener('abort', stop, { once: true });
    const assembly = new Assembly();
    let waiting: StreamedBatch[] = [];
    try {
      for await (const message of messages) {
        const batch = assembly.add(message);
        if (batch !== null) waiting.push(batch);
        if (message.info.pending > 0 && waiting.length < MAX_TOGETHER) continue;
        if (waiting.length > 0) await apply(waiting);
        waiting = [];
        if (signal.aborted) return;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      messages.stop();
    }
  }
}

/** Puts batches together again. A batch whose publisher did not finish is followed by another one, and is dropped. */
class Assembly {
  #id = '';
  #bodies: Uint8Array[] = [];

  add(message: Pick<JsMsg, 'headers' | 'data' | 'seq'>): StreamedBatch | null {
    const { part, parts, ...label } = labelIn(message.headers);
    if (part === 1) [this.#id, this.#bodies] = [label.id, []];
    if (label.id !== this.#id || part !== this.#bodies.length + 1) return null;
    this.#bodies.push(message.data);
    if (part < parts) return null;
    const body = parts === 1 ? message.data : Buffer.concat(this.#bodies);
    return { ...label, body, sequence: message.seq };
  }
}

function headersOf({ first, last, hash, id, part, parts }: Part): MsgHdrs {
  const made = headers();
  const fields = { First: first, Last: last, Hash: hash, Id: id, Part: part, Parts: parts };
  for (const [name, value] of Object.entries(fields)) made.set(`Portolan-${name}`, String(value));
  return made;
}

function labelIn(found: MsgHdrs | undefined): Part {
  const text = (name: string): string => found?.get(`Portolan-${name}`) ?? '';
  const number = (name: string): number => Number.parseInt(text(name), 10);
  const [first, last, part, parts] = [number('First'), number('Last'), number('Part'), number('Parts')];
  if (![first, last, part, parts].every(Number.isSafeInteger))
    throw new Error(`a message of the stream ${STREAM} has no valid label: it was not published by a panel`);
  return { first, last, part, parts, hash: text('Hash'), id: text('Id') };
}
