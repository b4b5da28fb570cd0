import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { discard, readSpare, replaceFile } from '../adapters/data-directory/files.js';
import { asSystem, type Dispatch } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { ClusterAway } from '../commands/ports/cluster.js';
import {
  type Baselines,
  type Reading,
  readingOf,
  recordingOf,
  type SentReading,
  sentOf,
} from '../commands/reactors/traffic/readings.js';
import { Rejection, refusedByStorage } from '../commands/rejection.js';
import { sameJson } from '../lib/json.js';

/** Pause after a failed attempt, and how long a reading waits to be recorded, in ms. */
const RETRY_MS = 500;
const WAIT_MS = 2000;
/** Clients in one message: about 200 KB, below the limit of NATS. */
const MAX_CLIENTS = 5000;

/** What a machine may record about its core. */
const TYPES: ReadonlySet<string> = new Set<AnyCommand['type']>([
  ...(['RecordCoreStarted', 'RecordCoreStopped', 'RecordCoreFailed', 'RecordCoreDrift'] as const),
  ...(['RecordInboundRejected', 'RecordInboundAccepted'] as const),
]);
const counter = <K extends z.ZodType>(key: K) => z.tuple([key, z.number(), z.number()]);
const Sent = z.strictObject({
  run: z.string(),
  clients: z.array(counter(z.int())),
  inbounds: z.array(counter(z.string())),
  outbounds: z.array(counter(z.string())),
  released: z.array(z.string()),
});
const Item = z.strictObject({
  /** Of the record: one that arrives again has no second effect. */
  id: z.uuid(),
  at: z.number(),
  command: z.looseObject({ type: z.string().refine((type) => TYPES.has(type)), data: z.looseObject({}) }).nullable(),
  reading: Sent.nullable(),
});
type Item = z.output<typeof Item>;
const Request = z.strictObject({ machine: z.string(), item: Item });
const Answer = z.object({ isUnknown: z.boolean() });
type Answer = z.output<typeof Answer>;

/** What the leader needs to record what a machine reports. */
export interface Recording {
  readonly dispatch: Dispatch;
  /** The last recorded readings of the core of a machine. */
  readonly baselines: (machine: string) => Baselines;
}

interface Parts {
  /** Of this member. */
  readonly name: string;
  readonly isLeader: () => boolean;
  /** Has the leader record. Rejects with `ClusterAway`. */
  readonly send: (request: unknown) => Promise<unknown>;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

interface Begun extends Recording {
  /** What this machine has not recorded yet is kept here. */
  readonly file: string;
  /** The log does not have a run whose counters were sent. */
  readonly unknownRun: (run: string) => void;
}

/**
 * What a member reports about its core, in order, until the leader has recorded it: starts, failures, refused inbounds, and
 * counters. Counters are those since the start of a run, so a repeated or late report adds nothing. Everything that waits is
 * in a file, so that neither a restart of the panel nor one of the core loses it.
 */
export class MachineRecords {
  readonly #parts: Parts;
  #waiting: Item[] = [];
  #begun: Begun | null = null;
  #sending: Promise<void> | null = null;
  #stopped = false;
  /** The reports are in the file. */
  #kept = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Continues with what the process before has left. */
  begin(begun: Begun): void {
    this.#begun = begun;
    const kept = existsSync(begun.file) ? readSpare(begun.file) : null;
    if (kept === null) return;
    this.#kept = true;
    try {
      this.#waiting = z.array(Item).parse(JSON.parse(kept.toString()));
    } catch (error) {
      this.#parts.warn('the file of unrecorded counters is damaged', { file: begun.file, error: String(error) });
    }
    this.#wake();
  }

  /** The readings that wait, oldest first. */
  unrecorded(): readonly Reading[] {
    return this.#waiting.flatMap(({ reading }) => (reading ? [readingOf(reading)] : []));
  }

  command(command: AnyCommand): void {
    // A core that fails again and again for the same reason.
    if (this.#waiting.some((item) => item.command !== null && sameJson(item.command, command))) return;
    // The schema has a record of unknown members where each command has its own.
    this.#add({ command: command as unknown as Item['command'], reading: null });
  }

  /** Resolves when the reading is recorded, or after two seconds. `before`: what this log has of the run. */
  async reading(reading: Reading, before: Baselines): Promise<void> {
    const sent = sentOf(reading, before);
    if (sent === null) return;
    this.#add({ command: null, reading: sent as Item['reading'] });
    if (this.#sending) await Promise.race([this.#sending, sleep(WAIT_MS, undefined, { ref: false })]);
  }

  #add(content: Pick<Item, 'command' | 'reading'>): void {
    const item: Item = { ...content, id: randomUUID(), at: this.#parts.now() };
    if (this.#waiting.length === 0 && this.#parts.isLeader() && this.#recordHere(item)) return;
    const last = this.#waiting.at(-1);
    // The first one may be on its way.
    const replaces = this.#waiting.length > 1 && isOlder(last?.reading, item.reading);
    this.#waiting = [...(replaces ? this.#waiting.slice(0, -1) : this.#waiting), item];
    if (this.#kept) this.#keep();
    this.#wake();
  }

  #wake(): void {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
  }

  async #send(): Promise<void> {
    // In the next turn: the caller may be in the middle of a change.
    await sleep(0);
    for (let item = this.#waiting[0]; item && !this.#stopped; item = this.#waiting[0]) {
      try {
        for (const part of partsOf(item)) await this.#record(part);
        this.#waiting.shift();
      } catch (error) {
        if (!(error instanceof ClusterAway))
          this.#parts.warn('the leader could not record what this machine reports', { error: String(error) });
        this.#keep();
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    if (this.#waiting.length === 0 && this.#kept && this.#begun) {
      discard(this.#begun.file);
      this.#kept = false;
    }
  }

  async #record(item: Item): Promise<void> {
    const { name: machine, isLeader, send } = this.#parts;
    if (isLeader()) {
      if (!this.#recordHere(item)) throw new ClusterAway('this member cannot record now');
      return;
    }
    this.#learn(item, Answer.parse(await send({ machine, item })));
  }

  /** False: the cluster does not accept changes now. */
  #recordHere(item: Item): boolean {
    if (this.#begun === null) return false;
    try {
      this.#learn(item, record({ machine: this.#parts.name, item }, this.#begun));
      return true;
    } catch (error) {
      if (error instanceof ClusterAway) return false;
      throw error;
    }
  }

  #learn({ reading }: Item, { isUnknown }: Answer): void {
    if (isUnknown && reading) this.#begun?.unknownRun(reading.run);
  }

  #keep(): void {
    const { file } = this.#begun ?? {};
    if (file === undefined) return;
    try {
      replaceFile(file, JSON.stringify(this.#waiting));
      this.#kept = true;
    } catch (error) {
      this.#parts.warn('counters that wait for a leader could not be saved', { error: String(error) });
    }
  }

  /** Gives what waits a moment, and keeps the rest for the next process. */
  async stop(): Promise<void> {
    if (this.#sending) await Promise.race([this.#sending, sleep(WAIT_MS, undefined, { ref: false })]);
    this.#stopped = true;
    if (this.#waiting.length > 0) this.#keep();
  }
}

/** Whether a later reading says everything that an earlier one does. */
function isOlder(earlier: SentReading | null | undefined, later: SentReading | null): boolean {
  return !!earlier && !!later && earlier.run === later.run && earlier.released.length + later.released.length === 0;
}

/** An item in messages of a limited size. */
function* partsOf(item: Item): Generator<Item> {
  const { reading } = item;
  if (reading === null || reading.clients.length <= MAX_CLIENTS) return yield item;
  for (let from = 0; from < reading.clients.length; from += MAX_CLIENTS) {
    const isFirst = from === 0;
    const clients = reading.clients.slice(from, from + MAX_CLIENTS);
    const rest = isFirst ? {} : { inbounds: [], outbounds: [], released: [] };
    yield { ...item, reading: { ...reading, ...rest, clients } };
  }
}

/** Records on the leader what a machine has reported. Throws `ClusterAway` when the cluster accepts no changes. */
export function record(request: unknown, { dispatch, baselines }: Recording): Answer {
  const { machine, item } = Request.parse(request);
  const { id, at, reading } = item;
  const before = reading === null ? null : baselines(machine);
  // The sender is a member, and its own control of the core has made the command; `TYPES` are the types that it may have.
  const command =
    reading && before ? recordingOf(readingOf(reading), before) : (item.command as unknown as AnyCommand | null);
  if (command !== null) {
    const context =
      reading === null
        ? { ...asSystem('core'), at, commandId: { key: `machine/${id}`, fingerprint: '' } }
        : asSystem('traffic-intake');
    const done = dispatch(command, context);
    // An inbound may have been deleted meanwhile, and nothing is missing.
    if (done instanceof Rejection && (done.code.startsWith('CLUSTER_') || refusedByStorage(done)))
      throw new ClusterAway(done.message);
  }
  return { isUnknown: reading !== null && before?.run !== reading.run };
}
