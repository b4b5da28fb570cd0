import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os, { freemem, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { publicAddresses } from '../../../src/adapters/host/host-facts.js';
import { ProcHostMonitor } from '../../../src/adapters/host/host-monitor.js';

/** A machine with these files of the kernel. */
function machine(files: Readonly<Record<string, string>> = {}) {
  const proc = mkdtempSync(join(tmpdir(), 'portolan-proc-'));
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(proc, name)), { recursive: true });
    writeFileSync(join(proc, name), text);
  };
  for (const [name, text] of Object.entries(files)) put(name, text);
  const monitor = new ProcHostMonitor(proc, { proc });
  onTestFinished(() => {
    monitor.stop();
    rmSync(proc, { recursive: true });
  });
  return { monitor, put };
}

const MEMINFO = 'MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\nSwapTotal: 50 kB\nSwapFree: 20 kB\n';
const DEV = 'Inter-|   Receive\n face |bytes\n';
const card = (name: string, recv: number, sent: number) => ` ${name}: ${recv} 1 0 0 0 0 0 0 ${sent} 1 0 0 0 0 0 0\n`;

/** Every number in a reading. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** The values that depend on the machine that runs the tests. */
const HERE: ReadonlySet<string> = new Set(['publicIP', 'cpuSpeedMhz']);
const missingOf = ({ missing }: { readonly missing: readonly string[] }) => missing.filter((name) => !HERE.has(name));

describe('the host monitor', () => {
  it.runIf(process.platform === 'linux')('reads this machine, with rates from the second reading on', () => {
    const monitor = new ProcHostMonitor('/tmp');
    onTestFinished(() => monitor.stop());
    expect(missingOf(monitor.sample())).toStrictEqual(['cpu', 'netIO']);
    const reading = monitor.sample();
    expect(monitor.latest).toBe(reading);
    expect(missingOf(reading).filter((name) => !['cpu', 'netIO'].includes(name))).toStrictEqual([]);
    for (const { current, total } of [reading.mem, reading.disk]) {
      expect(current).toBeGreaterThan(0);
      expect(current).toBeLessThanOrEqual(total);
    }
    expect(reading.logicalPro).toBeGreaterThan(0);
    expect(reading.uptime).toBeGreaterThan(0);
    expect(reading.appStats.threads).toBeGreaterThan(1);
  });

  it('reads at once, and then at every even second', () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 4, 1, 12, 0, 1, 300) });
    onTestFinished(() => void vi.useRealTimers());
    const { monitor } = machine();
    const times: number[] = [];
    monitor.readings$.subscribe(() => times.push(Date.now() % 60_000));
    monitor.start();
    monitor.start();
    vi.advanceTimersByTime(5000);
    monitor.stop();
    vi.advanceTimersByTime(5000);
    expect(times).toStrictEqual([1300, 2005, 4005, 6005]);
  });

  it('returns the values of the kernel', () => {
    const { monitor, put } = machine({
      stat: 'cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 2\n',
      meminfo: MEMINFO,
      'net/dev': DEV + card('lo', 9e9, 9e9) + card('eth0', 1000, 500) + card('veth1', 9e9, 9e9),
      'net/sockstat': 'sockets: used 9\nTCP: inuse 4 orphan 0\nUDP: inuse 2 mem 1\n',
      'net/sockstat6': 'TCP6: inuse 3\nUDP6: inuse 1\n',
      'self/stat': `1 (a (b) c) S ${'0 '.repeat(16)}12 0`,
    });
    const first = monitor.sample();
    expect(first).toMatchObject({
      mem: { current: 600 * 1024, total: 1000 * 1024 },
      swap: { current: 30 * 1024, total: 50 * 1024 },
      netTraffic: { sent: 500, recv: 1000 },
      tcpCount: 7,
      udpCount: 3,
      appStats: { threads: 12 },
    });
    expect(missingOf(first)).toStrictEqual(['cpu', 'netIO']);
    put('stat', 'cpu  150 0 150 750 150 0 0 0 0 0\n');
    put('net/dev', DEV + card('eth0', 900_000_000, 400));
    const second = monitor.sample();
    expect(second).toMatchObject({ cpu: 50, netTraffic: { sent: 400, recv: 900_000_000 } });
    expect(missingOf(second)).toStrictEqual([]);
    // The counter of a replaced card starts at zero.
    expect(second.netIO.up).toBe(0);
    expect(second.netIO.down).toBeGreaterThan(0);
  });

  it('lists the public address and the speed as missing if they are unknown', () => {
    const { monitor } = machine();
    const { missing, publicIP, cpuSpeedMhz } = monitor.sample();
    expect(missing.includes('publicIP')).toBe(publicIP.ipv4 === 'N/A' && publicIP.ipv6 === 'N/A');
    expect(missing.includes('cpuSpeedMhz')).toBe(cpuSpeedMhz === 0);
  });

  it('reads the processor speed from the kernel if the system does not report it', () => {
    const cpus = vi.spyOn(os, 'cpus');
    cpus.mockReturnValue([{ model: '', speed: 0, times: { user: 1, nice: 0, sys: 1, idle: 1, irq: 0 } }]);
    syncBuiltinESMExports();
    onTestFinished(() => {
      cpus.mockRestore();
      syncBuiltinESMExports();
    });
    const told = machine({ cpuinfo: 'processor\t: 0\nmodel name\t: a\ncpu MHz\t\t: 2445.418\n' }).monitor.sample();
    expect(told.cpuSpeedMhz).toBe(2445);
    expect(told.missing).not.toContain('cpuSpeedMhz');
    const untold = machine({ cpuinfo: 'processor : 0\ncpu MHz : fast\n' }).monitor.sample();
    expect(untold.cpuSpeedMhz).toBe(0);
    expect(untold.missing).toContain('cpuSpeedMhz');
  });

  it('sums all interfaces of a machine', () => {
    const many = Array.from({ length: 3000 }, (_, index) => card(`eth${index}`, 10, 1)).join('');
    expect(machine({ 'net/dev': DEV + many }).monitor.sample().netTraffic).toStrictEqual({ recv: 30_000, sent: 3000 });
  });

  it('reports missing values, and returns numbers for them', () => {
    const monitor = new ProcHostMonitor('/nowhere', { proc: '/nowhere' });
    onTestFinished(() => monitor.stop());
    monitor.sample();
    const reading = monitor.sample();
    expect(missingOf(reading)).toStrictEqual([
      ...['swap', 'disk', 'netTraffic', 'netIO', 'tcpCount', 'udpCount', 'appStats.threads'],
    ]);
    expect(reading.mem.total).toBe(totalmem());
    expect(reading.mem.current).toBeLessThanOrEqual(totalmem() - freemem() / 2);
    expect(numbersIn(reading).every(Number.isFinite)).toBe(true);
  });

  it.each(['', 'cpu\n', 'cpu a b c d\n', 'MemTotal: lots kB', '\0\xff', 'x'.repeat(100_000)])(
    'ignores %.20j',
    (text) => {
      const names = ['stat', 'meminfo', 'net/dev', 'net/sockstat', 'net/sockstat6', 'self/stat', 'cpuinfo'];
      const { monitor } = machine(Object.fromEntries(names.map((name) => [name, text])));
      monitor.sample();
      const reading = monitor.sample();
      expect(numbersIn(reading).filter((number) => !Number.isFinite(number) || number < 0)).toStrictEqual([]);
      expect(reading.missing).toContain('swap');
    },
  );
});

describe('the public addresses of the machine', () => {
  const one = (address: string, internal = false) => ({
    ...{ address, internal, netmask: '', mac: '', cidr: null },
    ...(address.includes(':') ? { family: 'IPv6' as const, scopeid: 0 } : { family: 'IPv4' as const }),
  });

  it('are those of its interfaces', () => {
    const eth0 = ['192.168.1.4', '10.1.1.1', '100.64.3.3', '169.254.1.1', '8.8.4.4', '9.9.9.9', 'fe80::1', 'fd00::1'];
    const interfaces = { lo: [one('127.0.0.1', true)], eth0: [...eth0, '2a00:1450::5'].map((address) => one(address)) };
    expect(publicAddresses(interfaces)).toStrictEqual({ ipv4: '8.8.4.4', ipv6: '2a00:1450::5' });
  });

  it('are N/A behind a router', () => {
    expect(publicAddresses({ eth0: [one('172.17.0.2'), one('::1')], none: undefined })).toStrictEqual({
      ipv4: 'N/A',
      ipv6: 'N/A',
    });
  });
});
