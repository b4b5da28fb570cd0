import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** Whether this process listens for TCP on a port, at any address. False where the system does not say. */
export function holdsPort(pid: number, port: number): boolean {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(`/proc/${pid}/net/${table}`, port)));
  if (sockets.size === 0) return false;
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((handle) => sockets.has(linkOf(`${folder}/${handle}`)));
  } catch {
    return false;
  }
}

/** As the links of open files name them. */
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

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
