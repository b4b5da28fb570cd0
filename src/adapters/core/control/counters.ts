import type { CoreCounters } from '../../../commands/ports/core.js';
import { clientOfAccount } from '../../../lib/account-name.js';
import { blockOutbound, metricsTag } from '../config/names.js';

/** A counter as the core reports it. */
export interface CounterReading {
  readonly name: string;
  /** Bytes. */
  readonly value: number;
}

/**
 * Decodes a `QueryStatsResponse`: repeated field 1 of `{ name = 1, value = 2 }`. By hand, since reflection takes several
 * times as long for 20,000 counters and this runs every few seconds on the thread that serves requests.
 */
export function readCounters(bytes: Buffer): readonly CounterReading[] {
  const readings: CounterReading[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('the answer of the core is cut off');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const skip = (key: number): void => {
    const wire = key & 7;
    if (wire === 0) varint();
    else if (wire === 2) at += varint();
    else at += wire === 1 ? 8 : 4;
  };
  while (at < bytes.length) {
    const key = varint();
    if (key !== 10) {
      skip(key);
      continue;
    }
    const length = varint();
    const end = at + length;
    let name = '';
    let value = 0;
    while (at < end) {
      const field = varint();
      if (field === 10) {
        const size = varint();
        name = bytes.toString('utf8', at, at + size);
        at += size;
      } else if (field === 16) value = varint();
      else skip(field);
    }
    readings.push({ name, value });
  }
  return readings;
}

interface Sums {
  up: number;
  down: number;
}

/**
 * Sums counters such as `user>>>5:alice>>>traffic>>>uplink` by client, over all names that it has had in this run. Accounts
 * of SOCKS, HTTP and mixed inbounds and the panel's own outbounds are left out.
 */
export function groupCounters(readings: readonly CounterReading[]): CoreCounters {
  const clients = new Map<number, Sums>();
  const inbounds = new Map<string, Sums>();
  const outbounds = new Map<string, Sums>();
  for (const { name: path, value } of readings) {
    const isUp = path.endsWith(up);
    if (!isUp && !path.endsWith(down)) continue;
    const from = path.indexOf('>>>') + 3;
    const name = path.slice(from, isUp ? -up.length : -down.length);
    if (path.startsWith('user>>>')) {
      const client = clientOfAccount(name);
      if (client > 0) add(clients, client, isUp, value);
    } else if (path.startsWith('inbound>>>')) add(inbounds, name, isUp, value);
    else if (path.startsWith('outbound>>>')) add(outbounds, name, isUp, value);
  }
  for (const own of [blockOutbound, metricsTag]) outbounds.delete(own);
  return { clients, inbounds, outbounds };
}

function add<K>(sums: Map<K, Sums>, key: K, isUp: boolean, value: number): void {
  let sum = sums.get(key);
  if (sum === undefined) sums.set(key, (sum = { up: 0, down: 0 }));
  if (isUp) sum.up += value;
  else sum.down += value;
}

const up = '>>>traffic>>>uplink';
const down = '>>>traffic>>>downlink';
