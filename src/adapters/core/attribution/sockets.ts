import { execFile } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTimeout } from '../../../lib/timeout.js';

/** Conditions in one call: the kernel compiles them to a program of limited length. */
const CONDITIONS_PER_CALL = 50;
/** How long `ss` may take, ms. */
const TIMEOUT_MS = 5000;
/** Lines that are read without a pause. */
const LINES_PER_TURN = 2000;

/**
 * Destroys the sockets that match any of these conditions (in the syntax of `ss`). Resolves to false when some remain: `ss`
 * is missing, the permission is missing, or the kernel does not support it.
 */
export async function destroy(network: 'tcp' | 'udp', conditions: readonly string[]): Promise<boolean> {
  let complete = true;
  for (const part of batches(conditions)) {
    const filter = part.map((condition) => `( ${condition} )`).join(' or ');
    const before = await list(network, ['-K'], filter);
    // A destroyed socket is still listed while it closes.
    const remaining = before === null ? null : await list(network, [], filter);
    if (remaining === null || remaining.some((line) => !/^(FIN|CLOS|TIME|LAST)/.test(line))) complete = false;
  }
  return complete;
}

/** The sockets of a process that match a condition, each as a condition that matches only that socket. */
export async function socketsOf(pid: number, condition: string): Promise<readonly string[]> {
  const lines = (await list('tcp', ['-p'], condition)) ?? [];
  return lines
    .filter((line) => line.includes(`pid=${pid},`))
    .flatMap((line) => {
      const [, , , local, peer] = line.split(/\s+/);
      return local === undefined || peer === undefined ? [] : [`src = ${plain(local)} and dst = ${plain(peer)}`];
    });
}

/** Those of these local UDP ports that a process has open now: the system may have given a port to another process since. */
export async function udpPortsOf(pid: number, ports: readonly string[]): Promise<readonly string[]> {
  const open = new Set<string>();
  for (const part of batches(ports.map((port) => `sport = :${port}`))) {
    for (const line of (await list('udp', ['-p'], part.join(' or '))) ?? [])
      if (line.includes(`pid=${pid},`)) open.add(portOf(line.split(/\s+/)[3] ?? ''));
  }
  return [...open];
}

/** The remote ends of all TCP connections of this machine. Null when unknown. */
export async function livePeers(): Promise<ReadonlySet<string> | null> {
  const lines = await list('tcp', [], 'sport > :0');
  return lines === null ? null : new Set(lines.map((line) => plain(line.split(/\s+/)[4] ?? '')));
}

/** Time since data last came from each of these remote ends (address and port), ms; unknown ones are missing. */
export const quietFor = (peers: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> =>
  quiet('dst', peers, ['rcv', 'ack']);

/** Time since data was last sent or received on these sockets of this machine, by their local ends, ms. */
export const idleFor = (locals: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> =>
  quiet('src', locals, ['rcv', 'snd']);

async function quiet(
  end: 'src' | 'dst',
  wanted: ReadonlySet<string>,
  signs: readonly ('rcv' | 'snd' | 'ack')[],
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  const conditions = [...wanted].map((one) => `${end} = ${one}`);
  // For many ends, one call that lists all connections is cheaper.
  const filters =
    conditions.length > 4 * CONDITIONS_PER_CALL ? ['sport > :0'] : batches(conditions).map((part) => part.join(' or '));
  for (const filter of filters) {
    let name = '';
    for (const [n, line] of ((await list('tcp', ['-i'], filter)) ?? []).entries()) {
      if (n % LINES_PER_TURN === LINES_PER_TURN - 1) await nextTurn();
      // A line about a connection, and an indented line with the kernel's details.
      if (!/^\s/.test(line)) name = plain(line.split(/\s+/)[end === 'src' ? 3 : 4] ?? '');
      else if (wanted.has(name) && /\brto:/.test(line))
        times.set(name, Math.min(...signs.map((sign) => sinceLast(sign, line))));
    }
  }
  return times;
}

/** In ms. `ss` leaves out what is 0. */
function sinceLast(what: 'rcv' | 'snd' | 'ack', line: string): number {
  return Number(new RegExp(`\\blast${what}:(\\d+)`).exec(line)?.[1] ?? 0);
}

function batches(conditions: readonly string[]): readonly (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (let at = 0; at < conditions.length; at += CONDITIONS_PER_CALL)
    parts.push(conditions.slice(at, at + CONDITIONS_PER_CALL));
  return parts;
}

/** The local ends with an open UDP socket. Null when unknown. */
export async function openUdp(locals: ReadonlySet<string>): Promise<ReadonlySet<string> | null> {
  const ports = new Set<string>();
  for (const part of batches([...locals].map((local) => `sport = :${portOf(local)}`))) {
    const lines = await list('udp', [], part.join(' or '));
    if (lines === null) return null;
    for (const line of lines) ports.add(portOf(line.split(/\s+/)[3] ?? ''));
  }
  return new Set([...locals].filter((local) => ports.has(portOf(local))));
}

/** The port of an address as `ss` and the core write it. */
export const portOf = (address: string): string => address.slice(address.lastIndexOf(':') + 1);

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
    const late = new AbortController();
    const ended = startTimeout(TIMEOUT_MS, () => late.abort());
    execFile('ss', args, { signal: late.signal, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      ended();
      resolve(error === null ? stdout.split('\n').filter((line) => line !== '') : null);
    });
  });
}
