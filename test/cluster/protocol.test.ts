import { cpSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogReplication } from '../../src/adapters/sqlite/replication/log-replication.js';
import { align } from '../../src/cluster/alignment.js';
import { Diverged, Following, keysIn } from '../../src/cluster/following.js';
import { Copies } from '../../src/cluster/leader/copies.js';
import { Publisher } from '../../src/cluster/publisher.js';
import { setAsideTail } from '../../src/cluster/set-aside.js';
import { clientAdded, clientNumber, draft, inboundAdded, T0 } from '../kit/builders.js';
import { context, TestLog, temporaryFolder } from '../kit/log.js';
import { type Fate, MemoryStream, memoryKeys } from './memory-cluster.js';

/** Pause of the publisher between two attempts, in ms. */
const RETRY_MS = 1;
const MONTH_MS = 31 * 86_400_000;
const NAMES = ['one', 'two', 'three'] as const;
type Name = (typeof NAMES)[number];

/** One process of a member. */
interface Process {
  readonly log: TestLog;
  sequence: number;
  /** The last position that its log has from the stream. */
  position: number;
  publisher: Publisher | null;
  /** What the others have, as they have reported it to this leader. */
  copies: Copies;
  ended: boolean;
}

type Ack = 'quorum' | 'quorum+1';

/** What was acknowledged: the position and the id of the event. */
type Acknowledged = Map<number, string>;

/**
 * Three members with real logs, the real publisher, follower, comparison and setting aside, and a stream and a lease in memory.
 * Each step is one thing that may happen; between any two of them a process may end.
 */
class Model {
  readonly #folders = new Map<Name, string>();
  readonly #running = new Map<Name, Process>();
  readonly #keys = memoryKeys();
  readonly stream: MemoryStream;
  readonly acknowledged: Acknowledged = new Map();
  #lease: Name | null = null;
  #clients = 1;
  readonly #ack: Ack;
  /** The events that each member has had from the stream. */
  readonly #had = new Map<Name, ReadonlyMap<number, string>>();

  constructor(ack: Ack) {
    this.#ack = ack;
    const first = new TestLog();
    first.append(inboundAdded());
    this.stream = new MemoryStream(first.log.head().position);
    first.log.close();
    for (const name of NAMES) {
      const folder = temporaryFolder();
      cpSync(first.directory.root, folder, { recursive: true });
      this.#folders.set(name, folder);
    }
  }

  #folderOf(name: Name): string {
    return this.#folders.get(name) as string;
  }

  /** Starts a member as `ClusterLink.prepare` does: what the stream does not have is set aside unless it may lead. */
  async start(name: Name): Promise<void> {
    if (this.#running.has(name)) return;
    const log = new TestLog(this.#folderOf(name));
    const copies = new Copies(log.log, Date.now);
    const process: Process = { log, sequence: 0, position: 0, publisher: null, copies, ended: false };
    const port = this.stream.portFor(name, () => process.ended);
    const found = await align(port, log.log);
    const led = found.relation === 'ahead' && this.#lease !== null && this.#lease !== name;
    if (found.relation === 'diverged' || led) {
      log.log.close();
      const { directory } = log;
      await setAsideTail({ directory, position: found.position, keys: this.#keys, now: Date.now });
      log.reopen();
      process.copies = new Copies(log.log, Date.now);
    }
    [process.sequence, process.position] = [found.sequence, found.position];
    this.#running.set(name, process);
  }

  /** Applies what the stream has; a log that does not continue it ends its process. */
  async follow(name: Name): Promise<void> {
    const process = this.#running.get(name);
    if (process === undefined || process.publisher !== null) return;
    const stop = new AbortController();
    const following = new Following(
      {
        ...{
          replica: new LogReplication(process.log.log),
          keysOf: keysIn(this.#keys),
          now: Date.now,
          warn: () => undefined,
        },
        stream: this.stream.portFor(name, () => process.ended),
        moved: () => stop.abort(),
      },
      process,
    );
    if (this.stream.batches.length === process.sequence) return;
    try {
      await following.run(stop.signal);
      [process.sequence, process.position] = [following.sequence, following.position];
      this.#had.set(name, idsOf(process.log));
    } catch (error) {
      if (!(error instanceof Diverged)) throw error;
      this.crash(name, false);
    }
  }

  /** Takes a free lease and leads. */
  async lead(name: Name): Promise<void> {
    const process = this.#running.get(name);
    if (process === undefined || process.publisher !== null || this.#lease !== null) return;
    this.#lease = name;
    await this.follow(name);
    if (process.ended) return;
    const stream = this.stream.portFor(name, () => process.ended);
    const { relation, position, sequence } = await align(stream, process.log.log);
    if (relation === 'diverged' || relation === 'gap') return this.crash(name, false);
    const replica = new LogReplication(process.log.log);
    process.publisher = new Publisher(
      {
        ...{ replica, stream, keys: this.#keys, retryMs: RETRY_MS, now: Date.now, warn: () => undefined },
        lost: () => this.crash(name, false),
      },
      { position, sequence },
    );
    this.append(name);
  }

  /** Decides a change on a member that leads, or that still believes that it does, and waits for its confirmation. */
  append(name: Name): void {
    const process = this.#running.get(name);
    if (process === undefined || process.publisher === null) return;
    this.#clients += 1;
    // Two leaders that do not know of each other add different clients under the same number, so under the same data key.
    const number = process.log.all().length + 1;
    const added = clientAdded(draft(`client-${this.#clients}`, this.#clients), clientNumber(number));
    // Some changes share the key of their month, which the first of them creates.
    const at = T0 + Math.floor(this.#clients / 3) * MONTH_MS;
    const [event] = process.log.log.append([added], context({ at }));
    const { position = 0, id = '' } = event ?? {};
    void this.#confirmed(process, position).then((isConfirmed) => {
      if (!isConfirmed || process.ended) return;
      this.acknowledged.set(position, id);
      const isCopied = NAMES.some((other) => other !== name && this.#had.get(other)?.get(position) === id);
      if (this.#ack === 'quorum+1' && !isCopied) this.uncopied.push(position);
    });
  }

  /** Positions that were acknowledged though no other member had them. */
  readonly uncopied: number[] = [];

  async #confirmed({ publisher, copies }: Process, position: number): Promise<boolean> {
    if (!(await publisher?.confirmed(position, 60_000))) return false;
    return this.#ack === 'quorum' || copies.reached(position, 60_000);
  }

  /** A follower reports what it has; a former leader hears it too. */
  report(name: Name): void {
    const process = this.#running.get(name);
    const hash = process?.log.log.hashAt(process.position) ?? null;
    if (process === undefined || process.publisher !== null || hash === null) return;
    for (const { publisher, copies } of this.#running.values())
      if (publisher !== null) copies.take({ member: name, position: process.position, hash });
  }

  /** Decides on what is on its way. */
  async deliver(fate: Fate): Promise<void> {
    // What was decided just before is on its way first.
    await sleep(1);
    this.stream.deliver(fate);
    // The publisher continues after its pause; a process that is fenced ends.
    await sleep(RETRY_MS + 2);
  }

  /** The lease runs out; its holder does not notice. */
  expire(): void {
    this.#lease = null;
  }

  crash(name: Name, arrives: boolean): void {
    const process = this.#running.get(name);
    if (process === undefined) return;
    process.ended = true;
    process.publisher?.stop();
    this.#running.delete(name);
    this.stream.disconnect(name, arrives);
    process.log.log.close();
  }

  /** Everything works again: all members restart, one of them leads, and all get what it has. */
  async heal(): Promise<readonly TestLog[]> {
    for (const name of NAMES) this.crash(name, true);
    this.expire();
    for (const name of NAMES) await this.start(name);
    await this.lead('one');
    const { publisher, log } = this.#running.get('one') as Process;
    for (let i = 0; i < 500 && publisher?.position !== log.log.head().position; i += 1) await this.deliver('answered');
    for (const name of NAMES) {
      await this.follow(name);
      await this.start(name);
      await this.follow(name);
    }
    return NAMES.map((name) => (this.#running.get(name) as Process).log);
  }
}

const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ does: fc.constant('start' as const), name }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('lead' as const), name }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('append' as const), name }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('follow' as const), name }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('report' as const), name }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('expire' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('deliver' as const),
      fate: fc.constantFrom<Fate>('answered', 'answered', 'answer lost', 'lost'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('crash' as const), name, arrives: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A leader ends after its key has reached the cluster and before its event has; the next one uses the same id. */
const KEY_WITHOUT_EVENT: Step[] = [
  { does: 'lead', name: 'one' },
  { does: 'deliver', fate: 'lost' },
  { does: 'crash', name: 'one', arrives: false },
  { does: 'expire' },
  { does: 'lead', name: 'two' },
  { does: 'deliver', fate: 'answered' },
  { does: 'follow', name: 'three' },
];

/** The copy of a follower is reported before and after it exists. */
const COPIED: Step[] = [
  { does: 'lead', name: 'one' },
  { does: 'report', name: 'two' },
  { does: 'deliver', fate: 'answered' },
  { does: 'report', name: 'two' },
  { does: 'follow', name: 'two' },
  { does: 'report', name: 'two' },
  { does: 'deliver', fate: 'answered' },
];

async function run(model: Model, step: Step): Promise<void> {
  switch (step.does) {
    case 'start':
      return model.start(step.name);
    case 'lead':
      return model.lead(step.name);
    case 'append':
      return model.append(step.name);
    case 'follow':
      return model.follow(step.name);
    case 'report':
      return model.report(step.name);
    case 'expire':
      return model.expire();
    case 'deliver':
      return model.deliver(step.fate);
    case 'crash':
      return model.crash(step.name, step.arrives);
  }
}

const idsOf = (log: TestLog): ReadonlyMap<number, string> =>
  new Map(log.all().map(({ position, id }) => [position, id]));

describe('the commit protocol', () => {
  it.each<Ack>(['quorum', 'quorum+1'])(
    'keeps each change acknowledged at %s once, at its position, on all members, wherever processes end',
    async (ack) => {
      let acknowledged = 0;
      const keeps = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const model = new Model(ack);
        for (const name of NAMES) await model.start(name);
        for (const step of steps) await run(model, step);
        const before = new Map(model.acknowledged);
        const logs = await model.heal();
        acknowledged += before.size;
        expect(model.uncopied).toEqual([]);
        const [first] = logs.map((log) => log.log.head());
        for (const log of logs) {
          expect(log.log.head()).toEqual(first);
          // Every key that an event was sealed with has reached every member.
          expect(log.log.stored.keyring.problem(new Set())).toBeNull();
          const ids = idsOf(log);
          for (const [position, id] of before) expect(ids.get(position)).toBe(id);
        }
      });
      await fc.assert(keeps, { numRuns: 25, examples: [[KEY_WITHOUT_EVENT], [COPIED]] });
      // Guards the test itself: runs must get as far as an acknowledgement.
      expect(acknowledged).toBeGreaterThan(0);
    },
  );
});
