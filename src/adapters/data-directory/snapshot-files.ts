import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
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
});

interface Chain {
  readonly generation: string;
  hashAt(position: number): string | null;
  readonly rolledTo: number;
}

/** Snapshots as files: a line of JSON, then the state. It is encrypted because it contains the sealed fields of the log. */
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
        return { position: header.position, state: deserialize(open(key, content.subarray(end + 1), line)) as unknown };
      } catch {
        return null; // incomplete, modified or encrypted with another key: the log is read instead
      }
    },

    async save(name, version, position, state) {
      const hash = log.hashAt(position);
      if (hash === null || !isOurs()) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const header: z.infer<typeof Header> = { generation: log.generation, name, version, position, hash };
      const line = JSON.stringify(header);
      const box = seal(key, serialize(state), line);
      await replaceFileAsync(fileOf(name), Buffer.concat([Buffer.from(`${line}\n`), box]));
    },

    clear() {
      if (!existsSync(folder) || !isOurs()) return;
      for (const file of readdirSync(folder)) rmSync(join(folder, file), { recursive: true, force: true });
    },
  };
}
