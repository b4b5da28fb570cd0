import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** A process that listens for TCP on a port. */
interface PortHolder {
  readonly pid: number;
  /** Its command name, as `ps` shows it. */
  readonly name: string;
}

/**
 * The process that listens for TCP on a port, at any address. Null when unknown: without root, only processes of the same
 * account are visible.
 */
export function portHolder(port: number): PortHolder | null {
  const sockets = socketsOn(port, 'self');
  if (sockets.size === 0) return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const pid = pids.find((one) => holdsAny(one, sockets));
  return pid === undefined ? null : { pid: Number(pid), name: commandOf(pid) };
}

/** Whether this process listens for TCP on a port, at any address. False when unknown. */
export function holdsPort(pid: number, port: number): boolean {
  const sockets = socketsOn(port, pid);
  return sockets.size > 0 && holdsAny(pid, sockets);
}

function socketsOn(port: number, pid: number | 'self'): ReadonlySet<string> {
  return new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(`/proc/${pid}/net/${table}`, port)));
}

function holdsAny(pid: number | string, sockets: ReadonlySet<string>): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((handle) => sockets.has(linkOf(`${folder}/${handle}`)));
  } catch {
    return false;
  }
}

/** In the form in which links of open files name them. */
function listeningSockets(table: string, port: number): readonly string[] {
  try {
    const rows = readFileSync(table, 'utf8').trim().split('\n').slice(1);
    return rows.flatMap((row) => {
      const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
      const found = state === LISTENING && Number.parseInt(local.split(':')[1] ?? '', 16) === port;
      return found ? [`socket:[${inode}]`] : [];
    });
  } catch {
    return [];
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a process';
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
