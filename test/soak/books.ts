import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CounterReading } from '../../src/adapters/core/control/counters.js';
import { connectApi } from '../../src/adapters/core/control/grpc.js';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { logOf } from '../e2e/support.js';
import { type Pair, plus } from './ledger.js';

/** What the log of the panel says, read beside the panel, and what the core itself says. */
export class Books {
  readonly #dataDir: string;
  #position = 0;
  readonly #clients = new Map<number, Pair>();
  #run = '';
  #ofRun = { clients: new Map<number, Pair>(), inbounds: new Map<number, Pair>() };
  /** Times at which a core ended, ms. */
  readonly stops: number[] = [];
  /** Numbers of clients that were depleted. */
  readonly depleted = new Set<number>();
  readonly counts = new Map<string, number>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Takes in what was appended since the last time. */
  read(): void {
    for (const event of logOf(this.#dataDir, this.#position)) this.#take(event);
  }

  #take(event: RecordedEvent): void {
    this.#position = event.position;
    this.counts.set(event.type, (this.counts.get(event.type) ?? 0) + 1);
    if (event.type === 'MeasurementsRolledUp') throw new Error('a soak is over before anything is rolled up');
    if (event.type === 'ClientDepleted') this.depleted.add(event.data.client);
    if (event.type === 'CoreStopped' || event.type === 'CoreFailed') this.stops.push(event.meta.at);
    if (event.type === 'CoreStarted' && event.data.run !== this.#run) {
      this.#run = event.data.run;
      this.#ofRun = { clients: new Map(), inbounds: new Map() };
    }
    if (event.type !== 'TrafficRecorded') return;
    const ofRun = event.data.run === this.#run;
    for (const [client, up, down] of event.data.clients) {
      add(this.#clients, client, { up, down });
      if (ofRun) add(this.#ofRun.clients, client, { up, down });
    }
    for (const [inbound, up, down] of ofRun ? event.data.inbounds : [])
      add(this.#ofRun.inbounds, inbound, { up, down });
  }

  /** All that was booked to a client in all runs. */
  client(number: number): Pair {
    return this.#clients.get(number) ?? { up: 0, down: 0 };
  }

  /** All that was booked to an inbound in this run. */
  inbound(id: number): Pair {
    return this.#ofRun.inbounds.get(id) ?? { up: 0, down: 0 };
  }

  /**
   * Where the log and the counters of the running core differ, as sentences; none when both are the same. The counters
   * are read and taken apart here on their own, without the code of the panel that does so.
   */
  async differences(): Promise<string[]> {
    const { clients, inbounds } = await rawCounters(this.#dataDir);
    this.read();
    const found = compared('client', clients, this.#ofRun.clients);
    const [sum, booked] = [inbounds, this.#ofRun.inbounds].map((all) =>
      [...all.values()].reduce(plus, { up: 0, down: 0 }),
    );
    if (JSON.stringify(sum) !== JSON.stringify(booked))
      found.push(`inbounds: the core has ${JSON.stringify(sum)}, the log ${JSON.stringify(booked)}`);
    return found;
  }
}

/** The counters of the running core by number of the client and by tag. */
async function rawCounters(dataDir: string): Promise<{ clients: Map<number, Pair>; inbounds: Map<string, Pair> }> {
  const api = connectApi(socketOf(dataDir));
  try {
    const readings = await api.call('StatsService/QueryStats', { pattern: '', reset: false }, 15_000);
    const clients = new Map<number, Pair>();
    const inbounds = new Map<string, Pair>();
    for (const reading of readings) {
      const [kind, name = '', , direction] = reading.name.split('>>>');
      const pair = pairOf(reading, direction);
      const number = /^(\d+):/.exec(name)?.[1];
      if (kind === 'user' && number !== undefined) add(clients, Number(number), pair);
      if (kind === 'inbound' && name !== 'api') add(inbounds, name, pair);
    }
    return { clients, inbounds };
  } finally {
    api.close();
  }
}

function pairOf({ value }: CounterReading, direction: string | undefined): Pair {
  return direction === 'uplink' ? { up: value, down: 0 } : { up: 0, down: value };
}

/** As the panel chooses it: the path of a unix socket has a limit. */
function socketOf(dataDir: string): string {
  const runDir = join(dataDir, 'run');
  const socket = join(runDir, 'core.sock');
  if (Buffer.byteLength(socket) <= 95) return socket;
  return join(tmpdir(), `portolan-${createHash('sha256').update(runDir).digest('hex').slice(0, 16)}`, 'core.sock');
}

function compared<K>(what: string, core: ReadonlyMap<K, Pair>, log: ReadonlyMap<K, Pair>): string[] {
  return [...new Set([...core.keys(), ...log.keys()])].flatMap((key) => {
    const [here, there] = [core.get(key), log.get(key)].map((pair) => JSON.stringify(pair ?? { up: 0, down: 0 }));
    return here === there ? [] : [`${what} ${String(key)}: the core has ${here}, the log ${there}`];
  });
}

function add<K>(sums: Map<K, Pair>, key: K, pair: Pair): void {
  sums.set(key, plus(sums.get(key) ?? { up: 0, down: 0 }, pair));
}
