import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectApi } from '../../src/adapters/core/control/grpc.js';
import { decode } from '../../src/adapters/core/control/messages.js';
import type { RecordedEvent } from '../../src/events/catalog.js';
import { logOf } from '../e2e/support.js';
import { plus, type Traffic } from './client-lifetime.js';

/** The traffic in the log of the panel, which is read without the panel, and the counters of the core. */
export class LogCounters {
  readonly #dataDir: string;
  #position = 0;
  readonly #clients = new Map<number, Traffic>();
  #run = '';
  #ofRun = { clients: new Map<number, Traffic>(), inbounds: new Map<number, Traffic>() };
  /** Times at which a core stopped, ms. */
  readonly stops: number[] = [];
  /** Numbers of clients that were depleted. */
  readonly depleted = new Set<number>();
  readonly counts = new Map<string, number>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  /** Reads the events since the last call. */
  read(): void {
    for (const event of logOf(this.#dataDir, this.#position)) this.#take(event);
  }

  #take(event: RecordedEvent): void {
    this.#position = event.position;
    this.counts.set(event.type, (this.counts.get(event.type) ?? 0) + 1);
    if (event.type === 'MeasurementsRolledUp') throw new Error('a soak must end before the first roll-up');
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

  /** The recorded traffic of a client in all runs of the core. */
  client(number: number): Traffic {
    return this.#clients.get(number) ?? { up: 0, down: 0 };
  }

  /** The recorded traffic of an inbound in this run of the core. */
  inbound(id: number): Traffic {
    return this.#ofRun.inbounds.get(id) ?? { up: 0, down: 0 };
  }

  /**
   * The differences between the log and the counters of the running core; none if both are equal. The counters
   * are read and parsed here without the code of the panel.
   */
  async differences(): Promise<string[]> {
    const { clients, inbounds } = await rawCounters(this.#dataDir);
    this.read();
    const found = compared('client', clients, this.#ofRun.clients);
    const [inCore, inLog] = [inbounds, this.#ofRun.inbounds].map((all) =>
      [...all.values()].reduce(plus, { up: 0, down: 0 }),
    );
    if (JSON.stringify(inCore) !== JSON.stringify(inLog))
      found.push(`inbounds: the core has ${JSON.stringify(inCore)}, the log ${JSON.stringify(inLog)}`);
    return found;
  }
}

/** The counters of the running core by client number and by tag. */
async function rawCounters(
  dataDir: string,
): Promise<{ clients: Map<number, Traffic>; inbounds: Map<string, Traffic> }> {
  const api = connectApi(socketOf(dataDir));
  try {
    const bytes = await api.call('StatsService/QueryStats', { pattern: '', reset: false }, 15_000);
    const { stat } = decode<{ stat: readonly Reading[] }>('xray.app.stats.command.QueryStatsResponse', bytes);
    const clients = new Map<number, Traffic>();
    const inbounds = new Map<string, Traffic>();
    for (const reading of stat) {
      const [kind, name = '', , direction] = reading.name.split('>>>');
      const traffic = trafficOf(reading, direction);
      const number = /^(\d+):/.exec(name)?.[1];
      if (kind === 'user' && number !== undefined) add(clients, Number(number), traffic);
      if (kind === 'inbound' && name !== 'api') add(inbounds, name, traffic);
    }
    return { clients, inbounds };
  } finally {
    api.close();
  }
}

/** A counter as the core reports it, in bytes. */
interface Reading {
  readonly name: string;
  readonly value: number;
}

function trafficOf({ value }: Reading, direction: string | undefined): Traffic {
  return direction === 'uplink' ? { up: value, down: 0 } : { up: 0, down: value };
}

/** The same path as in the panel: the path of a unix socket has a maximum length. */
function socketOf(dataDir: string): string {
  const runDir = join(dataDir, 'run');
  const socket = join(runDir, 'core.sock');
  if (Buffer.byteLength(socket) <= 95) return socket;
  return join(tmpdir(), `portolan-${createHash('sha256').update(runDir).digest('hex').slice(0, 16)}`, 'core.sock');
}

function compared<K>(what: string, core: ReadonlyMap<K, Traffic>, log: ReadonlyMap<K, Traffic>): string[] {
  return [...new Set([...core.keys(), ...log.keys()])].flatMap((key) => {
    const [here, there] = [core.get(key), log.get(key)].map((traffic) => JSON.stringify(traffic ?? { up: 0, down: 0 }));
    return here === there ? [] : [`${what} ${String(key)}: the core has ${here}, the log ${there}`];
  });
}

function add<K>(sums: Map<K, Traffic>, key: K, traffic: Traffic): void {
  sums.set(key, plus(sums.get(key) ?? { up: 0, down: 0 }, traffic));
}
