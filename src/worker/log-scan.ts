import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { existingDataDirectory } from '../adapters/data-directory/data-directory.js';
import type { Rejection } from '../commands/rejection.js';
import { storageRejection } from '../commands/storage.js';
import { type Counter, zero } from '../events/traffic/counters.js';
import type { RecountRule } from '../events/traffic/traffic.js';
import { eventsOf, type Topic } from '../projections/capsule/capsule.js';
import { recount } from '../projections/recount/recount.js';
import { type Journal, openJournal } from '../store/journal.js';
import { writeCapsule } from './capsule.js';

/** What is read from the log up to a position. */
export type ScanTask = { readonly root: string; readonly position: number } & (
  | { readonly name: 'recount'; readonly rules: readonly RecountRule[] }
  | { readonly name: 'capsule'; readonly topic: Topic; readonly panel: string; readonly path: string }
);

/** Numbers of a row: client, bytes up and down as counted, bytes up and down as recounted. */
export const ROW = 5;

/** The counters of all clients that have any, in rows of `ROW` numbers. */
export interface CountedRows {
  readonly rows: Float64Array<ArrayBuffer>;
  readonly unchecked: number;
}

/** `bytes`: size of the file; null = no client has or had this name. */
export interface CapsuleFile {
  readonly bytes: number | null;
}

/** The result, or the rejection because of the disk: an instance of a class cannot be sent between threads. */
export type ScanResult = CountedRows | CapsuleFile | { readonly refused: Pick<Rejection, 'code' | 'details'> };

/** Reads the log in a thread of its own: one pass over a million events takes half a minute. */
export function run(task: ScanTask): ScanResult {
  try {
    const journal = openJournal(existingDataDirectory(task.root), { readonly: true });
    try {
      return task.name === 'recount' ? recounted(journal, task) : capsule(journal, task);
    } finally {
      journal.log.close();
    }
  } catch (error) {
    const refused = storageRejection(error);
    if (!refused) throw error;
    return { refused: { code: refused.code, details: refused.details } };
  }
}

function recounted({ log }: Journal, { rules, position }: Extract<ScanTask, { name: 'recount' }>): CountedRows {
  const { counted, recounted: due, unchecked } = recount(eventsOf(log, position), rules, log.rolledTo);
  const isUsed = ({ up, down }: Counter): boolean => up + down > 0;
  const used = [...counted].filter(([client, bytes]) => isUsed(bytes) || isUsed(due.get(client) ?? zero));
  const rows = new Float64Array(used.length * ROW);
  for (const [index, [client, { up, down }]] of used.entries()) {
    const other = due.get(client) ?? zero;
    rows.set([client, up, down, other.up, other.down], index * ROW);
  }
  return { rows, unchecked };
}

/** Writes the events to a file beside the result first, because the header before them has the digests after them. */
function capsule({ log }: Journal, task: Extract<ScanTask, { name: 'capsule' }>): CapsuleFile {
  const { topic, panel, path, position } = task;
  const body = `${path}-body`;
  try {
    const head = { panel, head: position };
    const header = withFile(body, (write) => writeCapsule(log, topic, head, (line) => write(Buffer.from(line))));
    if (header === null) return { bytes: null };
    withFile(path, (write) => {
      write(Buffer.from(`${JSON.stringify(header)}\n`));
      for (const part of partsOf(body)) write(part);
    });
    return { bytes: statSync(path).size };
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    rmSync(body, { force: true });
  }
}

const BUFFER_BYTES = 256 * 1024;

/** Creates a private file, and collects what is written in blocks. */
function withFile<T>(path: string, use: (write: (bytes: Buffer) => void) => T): T {
  const file = openSync(path, 'wx', 0o600);
  let [waiting, size]: [Buffer[], number] = [[], 0];
  const flush = (): void => {
    const block = Buffer.concat(waiting);
    for (let at = 0; at < block.length; ) at += writeSync(file, block, at);
    [waiting, size] = [[], 0];
  };
  try {
    const result = use((bytes) => {
      waiting.push(bytes);
      size += bytes.length;
      if (size >= BUFFER_BYTES) flush();
    });
    flush();
    return result;
  } finally {
    closeSync(file);
  }
}

function* partsOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const part = Buffer.alloc(BUFFER_BYTES);
      const length = readSync(file, part);
      if (length === 0) return;
      yield part.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
