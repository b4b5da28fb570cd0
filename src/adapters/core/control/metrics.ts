import type { CoreMetrics } from '../../../commands/ports/gauges.js';
import type { JsonObject } from '../../../lib/json.js';
import { fold } from '../config/names.js';
import type { CoreApi } from './grpc.js';

interface Source {
  /** Throws `CoreError` 'not-running'. */
  readonly api: () => CoreApi;
  readonly listen: () => string | null;
  readonly template: () => JsonObject | null;
}

/** In ms; the next reading comes in two seconds. */
const TIMEOUT_MS = 1500;
const observatories = new Set(['observatory', 'burstobservatory']);

/**
 * Memory and observatory of a running core, read over its API. Its metrics page has the same values, but together with the
 * counters of every client: megabytes every two seconds for a few numbers.
 */
export function coreMetrics({ api, listen, template }: Source): CoreMetrics {
  return {
    get listen() {
      return listen();
    },
    runtime: async () => {
      const stats = await api().call('StatsService/GetSysStats', {}, TIMEOUT_MS);
      return {
        alloc: stats.Alloc,
        sys: stats.Sys,
        heapObjects: stats.LiveObjects,
        numGC: stats.NumGC,
        pauseTotalNs: stats.PauseTotalNs,
      };
    },
    observatory: async () => {
      // Without an observatory, the core does not have this method.
      if (!Object.keys(template() ?? {}).some((name) => observatories.has(fold(name)))) return [];
      const { status } = await api().call('ObservatoryService/GetOutboundStatus', {}, TIMEOUT_MS);
      return (status?.status ?? []).map((one) => ({
        tag: one.outbound_tag,
        alive: one.alive,
        delay: one.delay,
        lastSeenTime: one.last_seen_time,
        lastTryTime: one.last_try_time,
      }));
    },
  };
}
