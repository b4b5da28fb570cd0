import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The path of a unix socket is limited to 107 bytes; a deep data directory gets a short one of its own. */
const LONGEST_PATH = 95;

/** Where the panel of this run directory listens for its operator. */
export function controlSocket(runDir: string): string {
  const socket = join(resolve(runDir), 'control.sock');
  if (Buffer.byteLength(socket) <= LONGEST_PATH) return socket;
  const name = createHash('sha256').update(dirname(socket)).digest('hex').slice(0, 16);
  return join(tmpdir(), `portolan-${name}`, 'control.sock');
}

/** Makes the folder of the socket, which nobody else may enter. Throws when another account was there first. */
export function makeSocketFolder(socket: string): void {
  const folder = dirname(socket);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0)
    throw new Error(`${folder} can be written by another account`);
}

/** Whether the socket is one that only the owner of the run directory, or root, can have put there. */
export function isTrusted(socket: string, runDir: string): boolean {
  const owners = [statSync(runDir).uid, 0];
  return [socket, dirname(socket)].every((path) => owners.includes(lstatSync(path).uid));
}
