import type { HostMonitor } from '../../commands/ports/host.js';
import type { ReadModels } from '../../projections/read-models.js';
import { statusOf } from './codec/status.js';
import { JsonOf } from './contract/route.js';
import type { Status } from './contract/schemas/status.js';

/** The status as JSON, rendered once for each reading of the machine and each change of the core. */
export function statusText(read: ReadModels, host: HostMonitor, now: () => number): () => JsonOf<Status> {
  let [reading, core] = [host.latest, read.records.core().process];
  let text: JsonOf<Status> | null = null;
  return () => {
    const current = read.records.core().process;
    if (text === null || reading !== host.latest || core !== current) {
      [reading, core] = [host.latest, current];
      text = JsonOf.from<Status>(statusOf(read, reading, now()));
    }
    return text;
  };
}
