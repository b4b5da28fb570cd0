import type { Bucket, Sample } from '../../commands/ports/gauges.js';
import { type NodeHistories, type NodeMetric, nodeMetrics } from '../../commands/ports/node-histories.js';
import type { NodeId } from '../../events/ids.js';
import { GaugeFile } from './file.js';
import { Rings, SLOT_SECONDS } from './rings.js';

interface Parts {
  /** The file that keeps the histories across restarts. */
  readonly file: string;
  readonly has: (node: number) => boolean;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

const nameOf = (node: number, metric: NodeMetric): string => `${metric}/${node}`;

/** Rings like those of this machine, in a separate file. */
export class RingNodeHistories implements NodeHistories {
  readonly #parts: Parts;
  readonly #rings = new Rings();
  readonly #file: GaugeFile;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#file = new GaugeFile(parts.file, this.#rings, 'the histories of the nodes', parts.warn);
  }

  /** Loads the histories of the previous process. */
  start(): void {
    const known = new RegExp(`^(?:${nodeMetrics.join('|')})/([1-9]\\d*)$`);
    this.#file.start(this.#slot(), (name) => this.#parts.has(Number(known.exec(name)?.[1])));
  }

  stop(): Promise<void> {
    return this.#file.stop();
  }

  add(node: NodeId, values: Readonly<Partial<Record<NodeMetric, number>>>): void {
    const slot = this.#begun();
    this.#rings.add(
      slot,
      nodeMetrics.map((metric) => [nameOf(node, metric), values[metric] ?? Number.NaN] as const),
    );
  }

  history(node: NodeId, metric: NodeMetric, bucket: Bucket): readonly Sample[] {
    this.#begun();
    return this.#rings.means(nameOf(node, metric), bucket);
  }

  forget(node: NodeId): void {
    for (const metric of nodeMetrics) this.#rings.drop(nameOf(node, metric));
  }

  #begun(): number {
    const slot = this.#slot();
    if (slot !== this.#rings.newest) this.#rings.begin(slot);
    return slot;
  }

  #slot(): number {
    return Math.floor(this.#parts.now() / 1000 / SLOT_SECONDS);
  }
}
