import type { Subscription } from 'rxjs';
import type { Core } from '../../commands/ports/core.js';
import {
  type Bucket,
  type CoreGauges,
  type CoreMetric,
  type CoreRuntime,
  coreMetrics,
  type Gauges,
  type HostMetric,
  hostMetrics,
  type Sample,
} from '../../commands/ports/gauges.js';
import type { HostMonitor, HostReading } from '../../commands/ports/host.js';
import { textOf } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import { GaugeFile } from './file.js';
import { Rings, SLOT_SECONDS, WINDOW } from './rings.js';

interface GaugeParts {
  readonly host: HostMonitor;
  readonly core: Pick<Core, 'process' | 'stats'>;
  /** The number of clients that are online. */
  readonly online: () => number;
  /** The file that keeps the histories across restarts. */
  readonly file: string;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** Outbounds whose delays are kept. Of more, only the most recent. */
const MAX_TAGS = 64;
const DELAY = 'delay/';
/** Answers that are cached until the next reading: the same chart is often open in several browsers. */
const ANSWERS = 24;

const NOT_RUNNING: CoreGauges = {
  listen: '',
  reason: message('core.notRunning'),
  values: null,
  observatory: [],
  updatedAt: 0,
};
const metrics: ReadonlySet<string> = new Set([...hostMetrics, ...coreMetrics]);
const isKnown = (name: string): boolean => metrics.has(name) || name.startsWith(DELAY);

/** Measures everything at each reading of the machine. */
export class RingGauges implements Gauges {
  readonly #parts: GaugeParts;
  readonly #rings = new Rings();
  readonly #file: GaugeFile;
  readonly #answers = new Map<string, readonly Sample[]>();
  #core = NOT_RUNNING;
  #asking: Promise<void> | null = null;
  #pauses: Pauses = { run: '', numGC: 0, totalNs: 0, meanNs: 0 };
  #following: Subscription | undefined;

  constructor(parts: GaugeParts) {
    this.#parts = parts;
    this.#file = new GaugeFile(parts.file, this.#rings, 'the histories', parts.warn);
  }

  get core(): CoreGauges {
    return this.#core;
  }

  /** Loads the histories of the previous process, and subscribes to the machine. */
  start(): void {
    this.#file.start(this.#slot(), isKnown);
    this.#limitTags();
    this.#following = this.#parts.host.readings$.subscribe((reading) => this.#record(reading));
  }

  async stop(): Promise<void> {
    this.#following?.unsubscribe();
    await this.#asking;
    await this.#file.stop();
  }

  history(metric: HostMetric | CoreMetric, bucket: Bucket): readonly Sample[] {
    return this.#means(metric, bucket);
  }

  delays(tag: string, bucket: Bucket): readonly Sample[] | null {
    const last = this.#rings.lastOf(DELAY + tag);
    const known = last > this.#rings.newest - WINDOW || this.#core.observatory.some((one) => one.tag === tag);
    return known ? this.#means(DELAY + tag, bucket) : null;
  }

  #means(name: string, bucket: Bucket): readonly Sample[] {
    const key = `${bucket} ${name}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const samples = this.#rings.means(name, bucket);
    if (this.#answers.size >= ANSWERS) this.#answers.clear();
    this.#answers.set(key, samples);
    return samples;
  }

  #slot(): number {
    return Math.floor(this.#parts.now() / 1000 / SLOT_SECONDS);
  }

  #record(reading: HostReading): void {
    const slot = this.#slot();
    this.#rings.begin(slot);
    this.#add(slot, this.#hostValues(reading));
    this.#askCore(slot);
  }

  #add(slot: number, values: Iterable<readonly [string, number]>): void {
    this.#rings.add(slot, values);
    this.#answers.clear();
  }

  /** A value that could not be read is a gap, not a zero. */
  #hostValues({ cpu, mem, netIO, load, missing }: HostReading): readonly (readonly [HostMetric, number])[] {
    const unless = (name: string, value: number): number => (missing.includes(name) ? Number.NaN : value);
    return [
      ['cpu', unless('cpu', cpu)],
      ['mem', unless('mem', mem.total > 0 ? (mem.current / mem.total) * 100 : Number.NaN)],
      ['netUp', unless('netIO', netIO.up)],
      ['netDown', unless('netIO', netIO.down)],
      ['online', this.#parts.online()],
      ['load1', unless('load', load.load1)],
      ['load5', unless('load', load.load5)],
      ['load15', unless('load', load.load15)],
    ];
  }

  #askCore(slot: number): void {
    const { running } = this.#parts.core.process;
    if (running === null) {
      this.#core = NOT_RUNNING;
      return;
    }
    // A slow core is not queried twice at the same time.
    this.#asking ??= this.#readCore(slot, running.run)
      .catch((error: unknown) => {
        this.#core = { ...NOT_RUNNING, listen: this.#parts.core.stats.metrics.listen ?? '', reason: textOf(error) };
      })
      .finally(() => {
        this.#asking = null;
      });
  }

  async #readCore(slot: number, run: string): Promise<void> {
    const source = this.#parts.core.stats.metrics;
    const [runtime, observed] = await Promise.all([source.runtime(), source.observatory()]);
    this.#pauses = pausesOf(this.#pauses, run, runtime);
    const values = {
      coreAlloc: runtime.alloc,
      coreSys: runtime.sys,
      coreHeapObjects: runtime.heapObjects,
      coreNumGC: runtime.numGC,
      corePauseNs: this.#pauses.meanNs,
    };
    const observatory = observed.toSorted((a, b) => (a.tag < b.tag ? -1 : 1)).slice(0, MAX_TAGS);
    const updatedAt = Math.floor(this.#parts.now() / 1000);
    this.#core = { listen: source.listen ?? '', reason: null, values, observatory, updatedAt };
    const delays = observatory.flatMap(({ tag, alive, delay }) => (alive ? [[DELAY + tag, delay] as const] : []));
    this.#add(slot, [...Object.entries(values), ...delays]);
    this.#limitTags();
  }

  #limitTags(): void {
    const tags = this.#rings.names.filter((name) => name.startsWith(DELAY));
    const oldest = tags.toSorted((a, b) => this.#rings.lastOf(b) - this.#rings.lastOf(a));
    for (const [index, name] of oldest.entries())
      if (index >= MAX_TAGS || this.#rings.lastOf(name) <= this.#rings.newest - WINDOW) this.#rings.drop(name);
  }
}

interface Pauses {
  readonly run: string;
  readonly numGC: number;
  readonly totalNs: number;
  /** The mean of the garbage collections since the last reading that had any. */
  readonly meanNs: number;
}

function pausesOf(before: Pauses, run: string, { numGC, pauseTotalNs: totalNs }: CoreRuntime): Pauses {
  const from = before.run === run && numGC >= before.numGC ? before : { numGC: 0, totalNs: 0, meanNs: 0 };
  const count = numGC - from.numGC;
  const meanNs = count > 0 ? Math.round((totalNs - from.totalNs) / count) : from.meanNs;
  return { run, numGC, totalNs, meanNs };
}
