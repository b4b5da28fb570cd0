import { readFileSync } from 'node:fs';
import { cpus, networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Facts that do not change while the panel runs. Unknown values are 0. */
export function processors(proc: string): { cpuCores: number; logicalPro: number; cpuSpeedMhz: number } {
  const all = cpus();
  let cores = 0;
  let megahertz = 0;
  try {
    const text = readFileSync(`${proc}/cpuinfo`, 'utf8');
    const places = text
      .split('\n\n')
      .map((block) => /physical id\s*: (\d+)[^]*core id\s*: (\d+)/.exec(block)?.slice(1).join());
    megahertz = Math.round(Number(/^cpu MHz\s*: ([\d.]+)$/m.exec(text)?.[1] ?? 0)) || 0;
    cores = new Set(places.filter((place) => place !== undefined)).size;
  } catch {
    // Not Linux: the number of processors is used as the number of cores.
  }
  // Virtual machines often report no clock speed.
  return { cpuCores: cores || all.length, logicalPro: all.length, cpuSpeedMhz: all[0]?.speed || megahertz };
}

/** The first public address of each kind on an interface of this machine, or 'N/A'. */
export function publicAddresses(interfaces = networkInterfaces()): { ipv4: string; ipv6: string } {
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  const first = (family: 'IPv4' | 'IPv6'): string =>
    all.find((one) => one.family === family && !one.internal && isPublic(one.address))?.address ?? 'N/A';
  return { ipv4: first('IPv4'), ipv6: first('IPv6') };
}

function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast';
}
