import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import { joined, type Part, partsOf } from '../../events/log/parts.js';
import type { SnapshotStore } from '../../events/log/snapshot-store.js';
import { warnOperator } from '../../lib/errors/operator-warning.js';
import { message } from '../../messages/message.js';
import { open, seal } from '../sqlite/keyring.js';
import { readSpare, replaceFileAsync } from './files.js';

const Header = z.strictObject({
  generation: z.string(),
  name: z.string(),
  version: z.int(),
  position: z.int().nonnegative(),
  /** Chain hash at `position`: a snapshot of another log is ignored. */
  hash: z.string(),
  /** Sealed parts that follow. Earlier releases wrote the whole state as one box, without this number. */
  parts: z.int().positive().optional(),
});
type Header = z.infer<typeof Header>;

interface Chain {
  readonly generation: string;
  hashAt(position: number): string | null;
  readonly rolledTo: number;
}

/**
 * Snapshots as files: a line of JSON, then the state in parts, each with its length. They are encrypted because they contain
 * the sealed fields of the log. Encoding one part at a time does not block the event loop.
 */
export function snapshotFiles(folder: string, key: Buffer, log: Chain): SnapshotStore {
  const fileOf = (name: string): string => join(folder, `${name}.snapshot`);
  /** The folder must not be a link, because files in it are deleted. */
  const isOurs = (): boolean => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== false;
  if (!isOurs()) warnOperator(message('storage.snapshotsOff', { folder }));
  return {
    load(name, version) {
      if (!isOurs()) return null;
      const content = readSpare(fileOf(name));
      if (content === null) return null;
      try {
        const end = content.indexOf(10);
        const line = content.subarray(0, end).toString();
        const header = Header.parse(JSON.parse(line));
        const usable =
          header.generation === log.generation &&
          header.name === name &&
          header.version === version &&
          header.hash === log.hashAt(header.position) &&
          // A later sum may include bytes that this state already contains.
          header.position >= log.rolledTo;
        if (!usable) return null;
        return { position: header.position, state: stateIn(content.subarray(end + 1), header, line, key) };
      } catch {
        return null; // incomplete, modified or encrypted with another key: the log is read instead
      }
    },

    async save(name, version, position, state) {
      const hash = log.hashAt(position);
      if (hash === null || !isOurs()) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { count, parts } = partsOf(state);
      const header: Header = { generation: log.generation, name, version, position, hash, parts: count };
      await replaceFileAsync(fileOf(name), sealed(JSON.stringify(header), parts, key));
    },

    clear() {
      if (!existsSync(folder) || !isOurs()) return;
      for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true, force: true });
    },
  };
}

const LENGTH_BYTES = 4;

/** The content of a file. Each part is bound to its place. */
function* sealed(line: string, parts: Iterable<Part>, key: Buffer): Generator<Buffer> {
  yield Buffer.from(`${line}\n`);
  let place = 0;
  for (const part of parts) {
    const box = seal(key, serialize(part), `${place} ${line}`);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(box.length);
    yield Buffer.concat([length, box]);
    place += 1;
  }
}

/** Throws for a file that is incomplete, modified or encrypted with another key. */
function stateIn(content: Buffer, { parts }: Header, line: string, key: Buffer): unknown {
  return parts === undefined ? deserialize(open(key, content, line)) : joined(opened(content, parts, line, key));
}

function* opened(content: Buffer, parts: number, line: string, key: Buffer): Generator<Part> {
  let at = 0;
  for (let place = 0; place < parts; place += 1) {
    const begin = at + LENGTH_BYTES;
    at = begin + content.readUInt32BE(at);
    yield deserialize(open(key, content.subarray(begin, at), `${place} ${line}`)) as Part;
  }
  if (at !== content.length) throw new Error('bytes after the last part');
}
