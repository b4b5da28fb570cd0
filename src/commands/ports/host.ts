import type { Observable } from 'rxjs';

/** One reading of the machine. Bytes, percent, seconds; what cannot be read is 0 and named in `missing`. */
export interface HostReading {
  readonly cpu: number;
  readonly cpuCores: number;
  readonly logicalPro: number;
  readonly cpuSpeedMhz: number;
  readonly mem: { readonly current: number; readonly total: number };
  readonly swap: { readonly current: number; readonly total: number };
  readonly disk: { readonly current: number; readonly total: number };
  /** Bytes a second since the reading before. */
  readonly netIO: { readonly up: number; readonly down: number };
  /** Bytes since the machine started. */
  readonly netTraffic: { readonly sent: number; readonly recv: number };
  readonly tcpCount: number;
  readonly udpCount: number;
  readonly load: { readonly load1: number; readonly load5: number; readonly load15: number };
  readonly uptime: number;
  /** Public addresses of the machine itself; 'N/A' behind NAT. No external service is queried. */
  readonly publicIP: { readonly ipv4: string; readonly ipv6: string };
  readonly appStats: { readonly threads: number; readonly mem: number };
  /** Names of the members that are not available, or not yet: a rate needs two readings. */
  readonly missing: readonly string[];
}

/** Samples the machine once every 2 s for all callers. */
export interface HostMonitor {
  readonly latest: HostReading;
  readonly readings$: Observable<HostReading>;
}

/** Why a port cannot be bound. */
export type PortProblem = 'taken' | 'forbidden' | 'no such address';
