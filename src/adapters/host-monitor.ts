import { closeSync, openSync, readFileSync, readSync, statfsSync } from 'node:fs';
import { cpus, loadavg, uptime } from 'node:os';
import { type Observable, Subject } from 'rxjs';
import type { HostMonitor, HostReading } from '../commands/ports/host.js';

const EVERY_MS = 2000;
/** Interfaces whose bytes another interface counts too. */
const VIRTUAL = /^(lo|veth|docker|br-|virbr|tun|tap|wg|cni|flannel|ifb)/;

interface CpuTimes {
  readonly busy: number;
  readonly total: number;
}

const NOTHING: HostReading = {
  cpu: 0,
  cpuCores: 0,
  logicalPro: 0,
  cpuSpeedMhz: 0,
  mem: { current: 0, total: 0 },
  swap: { current: 0, total: 0 },
  disk: { current: 0, total: 0 },
  netIO: { up: 0, down: 0 },
  netTraffic: { sent: 0, recv: 0 },
  tcpCount: 0,
  udpCount: 0,
  load: { load1: 0, load5: 0, load15: 0 },
  uptime: 0,
  appStats: { threads: 0, mem: 0 },
};

/** The machine, read from /proc through files that stay open. What a system does not have reads as 0. */
export class ProcHostMonitor implements HostMonitor {
  readonly #readings = new Subject<HostReading>();
  readonly #folder: string;
  readonly #open = new Map<string, number | null>();
  readonly #buffer = Buffer.allocUnsafe(16_384);
  readonly #fixed = { ...processors() };
  #timer: NodeJS.Timeout | undefined;
  #latest = NOTHING;
  #cpu: CpuTimes = { busy: 0, total: 0 };
  #sampledAt = 0;

  /** `folder` is the one whose disk is shown. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get latest(): HostReading {
    return this.#latest;
  }

  get readings$(): Observable<HostReading> {
    return this.#readings;
  }

  start(): void {
    if (this.#timer) return;
    this.sample();
    this.#timer = setInterval(() => this.sample(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const handle of this.#open.values()) if (handle !== null) closeSync(handle);
    this.#open.clear();
  }

  /** Reads the machine now. */
  sample(): HostReading {
    const at = performance.now();
    const seconds = (at - this.#sampledAt) / 1000;
    const before = this.#latest;
    const netTraffic = this.#traffic();
    const rate = (now: number, then: number) =>
      before === NOTHING || seconds <= 0 ? 0 : Math.max(0, Math.round((now - then) / seconds));
    const [load1 = 0, load5 = 0, load15 = 0] = loadavg();
    this.#latest = {
      ...this.#fixed,
      ...this.#memory(),
      ...this.#sockets(),
      cpu: this.#load(),
      disk: this.#disk(),
      netTraffic,
      netIO: { up: rate(netTraffic.sent, before.netTraffic.sent), down: rate(netTraffic.recv, before.netTraffic.recv) },
      load: { load1, load5, load15 },
      uptime: Math.floor(uptime()),
      appStats: { threads: this.#threads(), mem: process.memoryUsage.rss() },
    };
    this.#sampledAt = at;
    this.#readings.next(this.#latest);
    return this.#latest;
  }

  /** The file as it is now, its first 16 KB; '' when it cannot be read. */
  #text(file: string): string {
    let handle = this.#open.get(file);
    try {
      if (handle === undefined) {
        handle = openSync(file, 'r');
        this.#open.set(file, handle);
      }
      if (handle === null) return '';
      return this.#buffer.toString('latin1', 0, readSync(handle, this.#buffer, 0, this.#buffer.length, 0));
    } catch {
      this.#open.set(file, null);
      return '';
    }
  }

  #load(): number {
    const text = this.#text('/proc/stat');
    const times = text.slice(0, text.indexOf('\n')).split(/ +/).slice(1, 9).map(Number);
    const total = times.reduce((sum, time) => sum + time, 0);
    const now = { busy: total - (times[3] ?? 0) - (times[4] ?? 0), total };
    const then = this.#cpu;
    this.#cpu = now;
    const elapsed = now.total - then.total;
    if (then.total === 0 || elapsed <= 0) return this.#latest.cpu;
    return Math.min(100, Math.max(0, Math.round(((now.busy - then.busy) / elapsed) * 10_000) / 100));
  }

  #memory() {
    const text = this.#text('/proc/meminfo');
    const of = (name: string) => numberAfter(text, `${name}:`) * 1024;
    const total = of('MemTotal');
    const swap = of('SwapTotal');
    return {
      mem: { current: total - of('MemAvailable'), total },
      swap: { current: swap - of('SwapFree'), total: swap },
    };
  }

  #traffic() {
    let sent = 0;
    let recv = 0;
    for (const line of this.#text('/proc/net/dev').split('\n').slice(2)) {
      const [name = '', counters] = line.trim().split(/: */);
      if (counters === undefined || VIRTUAL.test(name)) continue;
      const numbers = counters.split(/ +/);
      recv += Number(numbers[0]);
      sent += Number(numbers[8]);
    }
    return { sent, recv };
  }

  #sockets() {
    const four = this.#text('/proc/net/sockstat');
    const six = this.#text('/proc/net/sockstat6');
    return {
      tcpCount: numberAfter(four, 'TCP: inuse') + numberAfter(six, 'TCP6: inuse'),
      udpCount: numberAfter(four, 'UDP: inuse') + numberAfter(six, 'UDP6: inuse'),
    };
  }

  #disk() {
    try {
      const { blocks, bfree, bsize } = statfsSync(this.#folder);
      return { current: (blocks - bfree) * bsize, total: blocks * bsize };
    } catch {
      return NOTHING.disk;
    }
  }

  #threads(): number {
    const text = this.#text('/proc/self/stat');
    // The name of the program stands in brackets and may hold spaces.
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[17] ?? 0) || 0;
  }
}

function numberAfter(text: string, name: string): number {
  const at = text.indexOf(name);
  return at < 0 ? 0 : Number.parseInt(text.slice(at + name.length, at + name.length + 24), 10) || 0;
}

/** What does not change while the panel runs. */
function processors() {
  const all = cpus();
  let cores = 0;
  try {
    const text = readFileSync('/proc/cpuinfo', 'utf8');
    const places = text
      .split('\n\n')
      .map((block) => /physical id\s*: (\d+)[^]*core id\s*: (\d+)/.exec(block)?.slice(1).join());
    cores = new Set(places.filter((place) => place !== undefined)).size;
  } catch {
    // Not Linux: the number of processors stands for the number of cores.
  }
  return { cpuCores: cores || all.length, logicalPro: all.length, cpuSpeedMhz: all[0]?.speed ?? 0 };
}
