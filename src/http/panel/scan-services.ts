import type { Rejection } from '../../commands/rejection.js';
import type { Counter } from '../../events/traffic/counters.js';
import type { RecountRule } from '../../events/traffic/traffic.js';
import type { Topic } from '../../projections/capsule/capsule.js';

type CounterOf = (client: number) => Counter | undefined;

/** Work that reads the whole log, beside the panel. */
export interface ScanServices {
  readonly scans: {
    /** The counters of the clients under the rules of the panel and under other rules, up to a position. */
    readonly recount: (
      rules: readonly RecountRule[],
      position: number,
    ) => Promise<
      { readonly counted: CounterOf; readonly recounted: CounterOf; readonly unchecked: number } | Rejection
    >;
    /** A new file with a capsule of the log up to a position; null = no client has or had this name. */
    readonly capsule: (
      topic: Topic,
      position: number,
    ) => Promise<{ readonly path: string; readonly bytes: number } | Rejection | null>;
  };
}
