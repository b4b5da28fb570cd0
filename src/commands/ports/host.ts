import type { Observable } from 'rxjs';

/** One reading of the machine. Bytes, percent, seconds; what cannot be read is 0. */
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
  readonly appStats: { readonly threads: number; readonly mem: number };
}

/** Samples the machine once every 2 s, however many ask. */
export interface HostMonitor {
  readonly latest: HostReading;
  readonly readings$: Observable<HostReading>;
}
