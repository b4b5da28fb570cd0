import type { CoreCounter } from '../../commands/ports/core.js';
import { cutOutbound, metricsTag } from './names.js';

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

/** `user>>>EMAIL>>>traffic>>>uplink` and its like, up and down of one name together. Our own outbound is left out. */
export function groupCounters(readings: readonly CounterReading[]): CoreCounter[] {
  return prefixes.flatMap(([kind, prefix]) => {
    const groups = new Map<string, { kind: CoreCounter['kind']; name: string; up: number; down: number }>();
    for (const { name: path, value } of readings) {
      if (!path.startsWith(prefix)) continue;
      const isUp = path.endsWith(up);
      if (!isUp && !path.endsWith(down)) continue;
      const name = path.slice(prefix.length, isUp ? -up.length : -down.length);
      let group = groups.get(name);
      if (group === undefined) groups.set(name, (group = { kind, name, up: 0, down: 0 }));
      if (isUp) group.up = value;
      else group.down = value;
    }
    if (kind === 'outbound') for (const own of [cutOutbound, metricsTag]) groups.delete(own);
    return [...groups.values()];
  });
}

const up = '>>>traffic>>>uplink';
const down = '>>>traffic>>>downlink';
const prefixes: readonly (readonly [CoreCounter['kind'], string])[] = [
  ['client', 'user>>>'],
  ['inbound', 'inbound>>>'],
  ['outbound', 'outbound>>>'],
];
