import { rm } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { Thread } from '../adapters/threads/thread.js';
import { Rejection, reject } from '../commands/rejection.js';
import type { Counter } from '../events/traffic/counters.js';
import type { RecountRule } from '../events/traffic/traffic.js';
import type { Topic } from '../projections/capsule/capsule.js';
import { type CapsuleFile, type CountedRows, ROW, type ScanResult, type ScanTask } from './log-scan.js';

/** For one scan and all that wait before it, in ms. */
const TIMEOUT_MS = 15 * 60_000;
/** Recounts that are kept, so that applying one, or showing more of it, need not read the log again. */
const KEPT = 2;

/** The counters of clients by number. */
interface RecountTable {
  readonly counted: (client: number) => Counter | undefined;
  readonly recounted: (client: number) => Counter | undefined;
  /** Sums of former measurements to which a rule could not be applied. */
  readonly unchecked: number;
}

interface Parts {
  /** The data directory. */
  readonly root: string;
  /** The version of this panel. */
  readonly panel: string;
  /** Each time a new private path. */
  readonly newFile: () => string;
}

/** Reads the whole log in a thread beside the panel, one scan at a time, so that the panel keeps answering. */
export class LogScans {
  readonly #parts: Parts;
  readonly #thread = new Thread<ScanTask, ScanResult>('worker/log-scan', { ms: TIMEOUT_MS });
  readonly #recounts = new LRUCache<string, Promise<RecountTable | Rejection>>({ max: KEPT });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What the clients would have used under other rules up to a position. The same question is answered once. */
  recount(rules: readonly RecountRule[], position: number): Promise<RecountTable | Rejection> {
    const key = JSON.stringify([rules, position]);
    const known = this.#recounts.get(key);
    if (known) return known;
    const scan = this.#scan<CountedRows>({ name: 'recount', root: this.#parts.root, rules, position }).then((found) =>
      found instanceof Rejection ? found : tableOf(found),
    );
    this.#recounts.set(key, scan);
    const forget = (): void => void (this.#recounts.get(key) === scan && this.#recounts.delete(key));
    void scan.then((found) => found instanceof Rejection && forget(), forget);
    return scan;
  }

  /** Writes a capsule to a new file. Null: no client has or had this name. */
  async capsule(
    topic: Topic,
    position: number,
  ): Promise<{ readonly path: string; readonly bytes: number } | Rejection | null> {
    const { root, panel, newFile } = this.#parts;
    const path = newFile();
    try {
      const found = await this.#scan<CapsuleFile>({ name: 'capsule', root, position, topic, panel, path });
      if (found instanceof Rejection) return found;
      return found.bytes === null ? null : { path, bytes: found.bytes };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  async #scan<R extends ScanResult>(task: ScanTask): Promise<R | Rejection> {
    try {
      const found = await this.#thread.run(task);
      return 'refused' in found ? new Rejection(found.refused.code, found.refused.details) : (found as R);
    } catch (error) {
      const { name, code } = error as NodeJS.ErrnoException;
      if (name === 'TimeoutError' || code === 'ERR_WORKER_OUT_OF_MEMORY') return reject('LOG_SCAN_FAILED');
      throw error;
    }
  }
}

function tableOf({ rows, unchecked }: CountedRows): RecountTable {
  const places = new Map<number, number>();
  for (let at = 0; at < rows.length; at += ROW) places.set(rows[at] ?? 0, at);
  const counterAt =
    (column: number) =>
    (client: number): Counter | undefined => {
      const at = places.get(client);
      return at === undefined ? undefined : { up: rows[at + column] ?? 0, down: rows[at + column + 1] ?? 0 };
    };
  return { counted: counterAt(1), recounted: counterAt(3), unchecked };
}
