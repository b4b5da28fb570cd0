import { readFileSync, statfsSync } from 'node:fs';
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os';
import { type Observable, Subject } from 'rxjs';
import type { HostMonitor, HostReading } from '../../commands/ports/host.js';
import { processors, publicAddresses } from './host-facts.js';

const INTERVAL_MS = 2000;
/** Offset from the even second, so that a timer that fires early stays in its own step. */
const AFTER_MS = 5;
const ADDRESSES_MS = 60_000;
/** Interfaces whose bytes are also counted by another interface. */
const VIRTUAL = /^(lo|veth|docker|br-|virbr|tun|tap|wg|cni|flannel|ifb|tailscale|zt)/;

interface CpuTimes {
  readonly busy: number;
  readonly total: number;
}
type Usage = HostReading['mem'];

const nothing: Usage = { current: 0, total: 0 };
const NEVER: HostReading = {
  ...{ cpu: 0, cpuCores: 0, logicalPro: 0, cpuSpeedMhz: 0, mem: nothing, swap: nothing, disk: nothing },
  ...{ netIO: { up: 0, down: 0 }, netTraffic: { sent: 0, recv: 0 }, tcpCount: 0, udpCount: 0 },
  ...{ load: { load1: 0, load5: 0, load15: 0 }, uptime: 0, publicIP: { ipv4: 'N/A', ipv6: 'N/A' } },
  ...{ appStats: { threads: 0, mem: 0 }, missing: ['status'] },
};

/**
 * Reads the machine from /proc if present, else from what Node provides. `cpu` is the mean since the previous reading, not
 * smoothed: the histories compute means themselves.
 */
export class ProcHostMonitor implements HostMonitor {
  readonly #readings = new Subject<HostReading>();
  readonly #folder: string;
  readonly #now: () => number;
  readonly #proc: string;
  readonly #processors: ReturnType<typeof processors>;
  #timer: NodeJS.Timeout | undefined;
  #latest = NEVER;
  #cpu: CpuTimes | null = null;
  #traffic: HostReading['netTraffic'] | null = null;
  #sampledAt = 0;
  #addresses = { ...NEVER.publicIP, until: 0 };

  /** `folder`: its disk is measured. `proc`: where /proc is mounted. */
  constructor(folder: string, { now = Date.now, proc = '/proc' }: { now?: () => number; proc?: string } = {}) {
    this.#folder = folder;
    this.#now = now;
    this.#proc = proc;
    this.#processors = processors(proc);
  }

  get latest(): HostReading {
    return this.#latest;
  }

  get readings$(): Observable<HostReading> {
    return this.#readings;
  }

  /** Samples at every even second of the clock, where the steps of the histories begin. */
  start(): void {
    if (this.#timer) return;
    this.sample();
    this.#plan();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #plan(): void {
    const wait = INTERVAL_MS - (Date.now() % INTERVAL_MS) + AFTER_MS;
    this.#timer = setTimeout(() => {
      this.#plan();
      this.sample();
    }, wait).unref();
  }

  /** Reads the machine now. */
  sample(): HostReading {
    const missing: string[] = [];
    const known = <T>(name: string, value: T | null, otherwise: T): T => {
      if (value === null) missing.push(name);
      return value ?? otherwise;
    };
    const at = performance.now();
    const seconds = (at - this.#sampledAt) / 1000;
    const trafficBefore = this.#traffic;
    if (this.#processors.cpuSpeedMhz === 0) missing.push('cpuSpeedMhz');
    this.#traffic = this.#readTraffic();
    this.#latest = {
      ...this.#processors,
      cpu: known('cpu', this.#readCpu(), 0),
      mem: known('mem', this.#readMemory(), nothing),
      swap: known('swap', this.#readSwap(), nothing),
      disk: known('disk', this.#readDisk(), nothing),
      netTraffic: known('netTraffic', this.#traffic, NEVER.netTraffic),
      netIO: known('netIO', rates(trafficBefore, this.#traffic, seconds), NEVER.netIO),
      tcpCount: known('tcpCount', this.#sockets('TCP'), 0),
      udpCount: known('udpCount', this.#sockets('UDP'), 0),
      load: known('load', loads(), NEVER.load),
      uptime: known(
        'uptime',
        orNull(() => Math.floor(uptime())),
        0,
      ),
      publicIP: known('publicIP', this.#publicIP(), NEVER.publicIP),
      appStats: {
        threads: known('appStats.threads', this.#threads(), 0),
        mem: known(
          'appStats.mem',
          orNull(() => process.memoryUsage.rss()),
          0,
        ),
      },
      missing,
    };
    this.#sampledAt = at;
    this.#readings.next(this.#latest);
    return this.#latest;
  }

  /** A file in /proc; empty when it cannot be read. */
  #read(name: string): string {
    return orNull(() => readFileSync(`${this.#proc}/${name}`, 'utf8')) ?? '';
  }

  #readCpu(): number | null {
    const now = this.#cpuTimes();
    const then = this.#cpu;
    this.#cpu = now;
    if (now === null || then === null) return null;
    const elapsed = now.total - then.total;
    if (elapsed <= 0) return this.#latest.cpu;
    return Math.min(100, Math.max(0, Math.round(((now.busy - then.busy) / elapsed) * 10_000) / 100));
  }

  #cpuTimes(): CpuTimes | null {
    const text = this.#read('stat');
    const times = text.startsWith('cpu ')
      ? text.slice(0, text.indexOf('\n')).split(/ +/).slice(1, 9).map(Number)
      : cpus().reduce(
          (sum, { times: { user, nice, sys, idle, irq } }) => added(sum, [user, nice, sys, idle, 0, irq]),
          [0],
        );
    const total = times.reduce((sum, time) => sum + time, 0);
    if (!(total > 0)) return null;
    return { busy: total - (times[3] ?? 0) - (times[4] ?? 0), total };
  }

  #readMemory(): Usage | null {
    const total = this.#memory('MemTotal') ?? orNull(totalmem) ?? 0;
    const available = this.#memory('MemAvailable') ?? this.#memory('MemFree') ?? orNull(freemem) ?? 0;
    return total > 0 ? { current: Math.max(0, total - available), total } : null;
  }

  #readSwap(): Usage | null {
    const total = this.#memory('SwapTotal');
    const free = this.#memory('SwapFree');
    return total === null || free === null ? null : { current: Math.max(0, total - free), total };
  }

  /** A value from meminfo, in bytes. */
  #memory(name: string): number | null {
    const kilobytes = numberAfter(this.#read('meminfo'), `${name}:`);
    return kilobytes === null ? null : kilobytes * 1024;
  }

  #readTraffic(): HostReading['netTraffic'] | null {
    const lines = this.#read('net/dev').split('\n').slice(2);
    if (lines.length === 0) return null;
    let sent = 0;
    let recv = 0;
    for (const line of lines) {
      const [name = '', counters] = line.trim().split(/: */);
      if (counters === undefined || VIRTUAL.test(name)) continue;
      const numbers = counters.split(/ +/);
      recv += Number(numbers[0]) || 0;
      sent += Number(numbers[8]) || 0;
    }
    return { sent, recv };
  }

  #sockets(protocol: 'TCP' | 'UDP'): number | null {
    const four = numberAfter(this.#read('net/sockstat'), `${protocol}: inuse`);
    const six = numberAfter(this.#read('net/sockstat6'), `${protocol}6: inuse`);
    return four === null ? null : four + (six ?? 0);
  }

  #readDisk(): Usage | null {
    return orNull(() => {
      const { blocks, bfree, bsize } = statfsSync(this.#folder);
      return { current: (blocks - bfree) * bsize, total: blocks * bsize };
    });
  }

  #threads(): number | null {
    const text = this.#read('self/stat');
    // The program name is in parentheses and may contain spaces.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[17]) || null;
  }

  /** Null when this machine has no public address, as behind a router. */
  #publicIP(): HostReading['publicIP'] | null {
    const now = this.#now();
    if (Math.abs(now - this.#addresses.until) > ADDRESSES_MS)
      this.#addresses = { ...(orNull(publicAddresses) ?? NEVER.publicIP), until: now };
    const { ipv4, ipv6 } = this.#addresses;
    return ipv4 === 'N/A' && ipv6 === 'N/A' ? null : { ipv4, ipv6 };
  }
}

/** Null when the system call fails, as in containers that hide the value. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function loads(): HostReading['load'] | null {
  const [load1, load5, load15] = orNull(loadavg) ?? [];
  return load1 === undefined || load5 === undefined || load15 === undefined ? null : { load1, load5, load15 };
}

/** Bytes per second; 0 when an interface and its counters disappeared. */
function rates(
  then: HostReading['netTraffic'] | null,
  now: HostReading['netTraffic'] | null,
  seconds: number,
): HostReading['netIO'] | null {
  if (then === null || now === null || seconds <= 0) return null;
  const rate = (after: number, before: number) => Math.max(0, Math.round((after - before) / seconds));
  return { up: rate(now.sent, then.sent), down: rate(now.recv, then.recv) };
}

function added(a: readonly number[], b: readonly number[]): number[] {
  return b.map((value, index) => value + (a[index] ?? 0));
}

function numberAfter(text: string, name: string): number | null {
  const at = text.indexOf(name);
  if (at < 0) return null;
  const number = Number.parseInt(text.slice(at + name.length, at + name.length + 24), 10);
  return Number.isFinite(number) ? number : null;
}
