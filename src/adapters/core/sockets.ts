import { execFile } from 'node:child_process';

/** Conditions in one call: the kernel takes them as a program of limited length. */
const batch = 50;

/**
 * Ends the sockets that fit any of these conditions (in the words of `ss`). Resolves to false when some are still there:
 * no `ss`, no right to do it, or a kernel without socket destruction. That is no error: nothing else was promised.
 */
export async function destroy(network: 'tcp' | 'udp', conditions: readonly string[]): Promise<boolean> {
  let complete = true;
  for (let at = 0; at < conditions.length; at += batch) {
    const filter = conditions
      .slice(at, at + batch)
      .map((condition) => `( ${condition} )`)
      .join(' or ');
    const before = await list(network, ['-K'], filter);
    // What was destroyed just now is still shown while it closes.
    const left = before === null ? null : await list(network, [], filter);
    if (left === null || left.some((line) => !/^(FIN|CLOS|TIME|LAST)/.test(line))) complete = false;
  }
  return complete;
}

/** Of the sockets that fit a condition, those that belong to this process, each as a condition that fits only it. */
export async function socketsOf(pid: number, condition: string): Promise<readonly string[]> {
  const lines = (await list('tcp', ['-p'], condition)) ?? [];
  return lines
    .filter((line) => line.includes(`pid=${pid},`))
    .flatMap((line) => {
      const [, , , local, peer] = line.split(/\s+/);
      return local === undefined || peer === undefined ? [] : [`src = ${plain(local)} and dst = ${plain(peer)}`];
    });
}

/** The far ends of all TCP connections of this machine. Null when nobody can tell. */
export async function livePeers(): Promise<ReadonlySet<string> | null> {
  const lines = await list('tcp', [], 'sport > :0');
  return lines === null ? null : new Set(lines.map((line) => plain(line.split(/\s+/)[4] ?? '')));
}

/** `sport` is one of these inclusive ranges. */
export function onPorts(ranges: readonly (readonly [number, number])[]): string {
  return `( ${ranges
    .map(([from, to]) => (from === to ? `sport = :${from}` : `( sport >= :${from} and sport <= :${to} )`))
    .join(' or ')} )`;
}

/** An IPv4 address on an IPv6 socket, as the core itself writes it. */
function plain(address: string): string {
  return address.replace(/^\[::ffff:([\d.]+)\]/, '$1');
}

function list(network: 'tcp' | 'udp', flags: readonly string[], filter: string): Promise<readonly string[] | null> {
  const args = ['-H', '-n', network === 'tcp' ? '-t' : '-ua', ...flags, filter];
  return new Promise((resolve) => {
    execFile('ss', args, { timeout: 5000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      resolve(error === null ? stdout.split('\n').filter((line) => line !== '') : null);
    });
  });
}
