import type { RecordedEvent } from '../events/catalog.js';
import { type Fold, TRAFFIC } from '../events/log/fold.js';

/** One line of the audit timeline. It has no data, so it contains no secrets. */
interface TimelineEntry {
  readonly position: number;
  readonly at: number;
  readonly type: string;
  readonly stream: string;
  readonly actor: { readonly kind: RecordedEvent['meta']['actor']['kind']; readonly id: string };
  readonly correlationId: string;
}

/** The newest administrative events, the oldest first. */
type Timeline = TimelineEntry[];

const MAX_ENTRIES = 2000;
/** Measurements are left out, because they would displace the administrative events. */
const MEASURED: ReadonlySet<string> = new Set([
  'TrafficRecorded',
  'NodeTrafficRecorded',
  'NodeInboundApplied',
  'ClientIpsSeen',
  'ClientIpsBlocked',
  'ClientIpsUnblocked',
  'LoggedIn',
  'LoggedOut',
  'LoginFailed',
  'TwoFactorCodeUsed',
  'DirectorySynced',
  'NodeWentOnline',
  'NodeWentOffline',
  'NodeSyncFailed',
  'NodeSyncRecovered',
]);

export const timeline: Fold<Timeline> = {
  name: 'timeline',
  version: 1,
  ignores: TRAFFIC,
  initial: () => [],
  apply(state, { position, type, stream, meta }) {
    if (MEASURED.has(type)) return;
    const { at, actor, correlationId } = meta;
    state.push({ position, at, type, stream, actor: { kind: actor.kind, id: actor.id }, correlationId });
    if (state.length >= 2 * MAX_ENTRIES) state.splice(0, state.length - MAX_ENTRIES);
  },
  save: (state) => state.slice(-MAX_ENTRIES),
};
