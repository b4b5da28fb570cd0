import { execFile } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Conditions in one call: the kernel takes them as a program of limited length. */
const batch = 50;
/** Lines that are read without a pause. */
const slice = 2000;

/**
 * Ends the sockets that fit any of these conditions (in the words of `ss`). Resolves to false when some are still there:
 * no `ss`, no right to do it, or a kernel without socket destruction. That is no error: nothing else was promised.
 */
export async function destroy(network: 'tcp' | 'udp', conditions: readonly string[]): Promise<boolean> {
  let complete = true;
  for (const part of batches(conditions)) {
    const filter = part.map((condition) => `( ${condition} )`).join(' or ');
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

/** How long nothing came from each of these far ends (address and port), ms; those that nobody can tell are missing. */
export async function quietFor(peers: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const quiet = new Map<string, number>();
  const some = [...peers].map((peer) => `dst = ${peer}`);
  // Beyond a few calls, all connections of the machine are cheaper.
  const filters = some.length > 4 * batch ? ['sport > :0'] : batches(some).map((part) => part.join(' or '));
  for (const filter of filters) {
    let peer = '';
    for (const [n, line] of ((await list('tcp', ['-i'], filter)) ?? []).entries()) {
      if (n % slice === slice - 1) await nextTurn();
      // A line about a connection, and one that is indented with what the kernel knows of it.
      if (!/^\s/.test(line)) peer = plain(line.split(/\s+/)[4] ?? '');
      else if (peers.has(peer)) {
        const ms = Math.min(sinceLast('rcv', line), sinceLast('ack', line));
        if (Number.isFinite(ms)) quiet.set(peer, ms);
      }
    }
  }
  return quiet;
}

function sinceLast(what: 'rcv' | 'ack', line: string): number {
  return Number(new RegExp(`\\blast${what}:(\\d+)`).exec(line)?.[1] ?? Number.POSITIVE_INFINITY);
}

function batches(conditions: readonly string[]): readonly (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (let at = 0; at < conditions.length; at += batch) parts.push(conditions.slice(at, at + batch));
  return parts;
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
