import { closeSync, openSync, readdirSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { NatsServer } from './server.js';

/** The files in which a server stores the messages of a stream, the oldest first. `KV_` and `OBJ_` precede names of buckets. */
export function blockFiles(server: NatsServer, stream: string, account = '$G'): string[] {
  const folder = join(server.storeDir, 'jetstream', account, 'streams', stream, 'msgs');
  const number = (name: string): number => Number.parseInt(name, 10);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.blk'))
    .sort((a, b) => number(a) - number(b))
    .map((name) => join(folder, name));
}

/** Inverts one byte of a file; a negative position counts from the end. */
export function flipByte(file: string, position: number): void {
  const at = position < 0 ? statSync(file).size + position : position;
  const descriptor = openSync(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    if (readSync(descriptor, byte, 0, 1, at) !== 1) throw new Error(`${file} has no byte ${at}`);
    writeSync(descriptor, Buffer.from([~(byte[0] ?? 0) & 255]), 0, 1, at);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes the last bytes of a file. */
export function cutEnd(file: string, bytes: number): void {
  truncateSync(file, Math.max(0, statSync(file).size - bytes));
}
