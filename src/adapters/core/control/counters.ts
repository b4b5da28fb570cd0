import type { CoreCounters } from '../../../commands/ports/core.js';
import { CounterTable } from '../../../events/traffic/counter-table.js';
import { blockOutbound, metricsTag } from '../config/names.js';
import { FieldReader } from './field-reader.js';
import type { CoreApi } from './grpc.js';

interface Sums {
  up: number;
  down: number;
}

/**
 * Reads a `QueryStatsResponse`, repeated field 1 of `{ name = 1, value = 2 }`, and sums its counters: those of clients, such
 * as `user>>>5:alice>>>traffic>>>uplink`, by number, over all names that a client has had in this run. Accounts of SOCKS,
 * HTTP and mixed inbounds and the panel's own outbounds are left out. The names of clients are never made strings.
 */
export function decodeCounters(bytes: Buffer): CoreCounters {
  const clients = new CounterTable();
  const inbounds = new Map<string, Sums>();
  const outbounds = new Map<string, Sums>();
  const [answer, counter] = [new FieldReader(bytes), new FieldReader(bytes)];
  while (answer.next()) {
    if (answer.field !== 1) continue;
    let start = 0;
    let end = 0;
    let value = 0;
    counter.enter(answer.start, answer.end);
    while (counter.next()) {
      if (counter.field === 1) {
        start = counter.start;
        end = counter.end;
      } else if (counter.field === 2) value = counter.value;
    }
    const isUp = endsWith(bytes, start, end, UP);
    if (!isUp && !endsWith(bytes, start, end, DOWN)) continue;
    const last = end - (isUp ? UP : DOWN).length;
    if (startsWith(bytes, start, last, USER)) {
      const client = clientIn(bytes, start + USER.length, last);
      if (client > 0) clients.add(client, isUp ? value : 0, isUp ? 0 : value);
    } else if (startsWith(bytes, start, last, INBOUND))
      add(inbounds, bytes.toString('utf8', start + INBOUND.length, last), isUp, value);
    else if (startsWith(bytes, start, last, OUTBOUND))
      add(outbounds, bytes.toString('utf8', start + OUTBOUND.length, last), isUp, value);
  }
  for (const own of [blockOutbound, metricsTag]) outbounds.delete(own);
  return { clients, inbounds, outbounds };
}

/** More clients than this are read with all others in one answer. */
const MAX_QUERIES = 16;

/** The counters of some clients. The core is asked only for those, unless they are many. */
export async function countersOf(api: CoreApi, clients: ReadonlySet<number>): Promise<CounterTable> {
  const names = clients.size > MAX_QUERIES ? [''] : [...clients].map((client) => `${client}:`);
  const answers = await Promise.all(
    names.map((name) => api.call('StatsService/QueryStats', { pattern: `${USER.toString()}${name}`, reset: false })),
  );
  // The core matches anywhere in a name, so an answer may contain others.
  const counted = answers.flatMap((bytes) => [...decodeCounters(bytes).clients]);
  return CounterTable.of(new Map(counted.filter(([client]) => clients.has(client))));
}

const USER = Buffer.from('user>>>');
const INBOUND = Buffer.from('inbound>>>');
const OUTBOUND = Buffer.from('outbound>>>');
const UP = Buffer.from('>>>traffic>>>uplink');
const DOWN = Buffer.from('>>>traffic>>>downlink');

function startsWith(bytes: Buffer, start: number, end: number, prefix: Buffer): boolean {
  if (end - start < prefix.length) return false;
  for (let i = 0; i < prefix.length; i += 1) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}

function endsWith(bytes: Buffer, start: number, end: number, suffix: Buffer): boolean {
  return end - start >= suffix.length && startsWith(bytes, end - suffix.length, end, suffix);
}

/** Numbers of more digits would not be exact. */
const MAX_DIGITS = 15;
const [ZERO, COLON] = [48, 58];

/** `clientOfAccount` of the bytes of a name. */
export function clientIn(bytes: Buffer, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end && at <= start + MAX_DIGITS; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === COLON) return number;
    const digit = byte - ZERO;
    if (digit < 0 || digit > 9 || (at === start && digit === 0)) return 0;
    number = number * 10 + digit;
  }
  return 0;
}

function add(sums: Map<string, Sums>, tag: string, isUp: boolean, value: number): void {
  let sum = sums.get(tag);
  if (sum === undefined) sums.set(tag, (sum = { up: 0, down: 0 }));
  if (isUp) sum.up += value;
  else sum.down += value;
}
