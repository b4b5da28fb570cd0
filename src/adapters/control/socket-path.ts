import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';

/** Unix limits the path of a socket to 107 bytes. Above this many bytes the socket is in a short temporary folder. */
const MAX_PATH_BYTES = 95;

/** The path of the control socket of the panel with this run directory. */
export function controlSocket(runDir: string): string {
  const socket = join(resolve(runDir), 'control.sock');
  if (Buffer.byteLength(socket) <= MAX_PATH_BYTES) return socket;
  const name = createHash('sha256').update(dirname(socket)).digest('hex').slice(0, 16);
  return join(tmpdir(), `portolan-${name}`, 'control.sock');
}

/** Creates the folder of the socket with mode 0700. Throws `MessageError` when another account can write to the folder. */
export function makeSocketFolder(socket: string): void {
  const folder = dirname(socket);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0)
    throw new MessageError(message('cli.socketFolderOpen', { folder }));
}

/** Whether the socket and its folder belong to the owner of the run directory or to root. */
export function isTrusted(socket: string, runDir: string): boolean {
  const owners = [statSync(runDir).uid, 0];
  return [socket, dirname(socket)].every((path) => owners.includes(lstatSync(path).uid));
}
