import { accessEvents } from './access/access.js';
import { tokenEvents } from './access/tokens.js';
import { backupEvents } from './backup.js';
import { certificateEvents } from './certificate.js';
import { chatBotEvents } from './chat-bot.js';
import { clientEvents } from './client/client.js';
import { manyClientEvents } from './client/many-clients.js';
import { clusterEvents } from './cluster.js';
import { coreEvents } from './core.js';
import { directoryEvents } from './directory.js';
import { geoEvents } from './geo/geo.js';
import { importEvents } from './import.js';
import { inboundEvents } from './inbound/inbound.js';
import { ipLimitEvents } from './ip-limit.js';
import type { EventOf, EventType, Recorded } from './log/event.js';
import { nodeEvents } from './node/node.js';
import { nodeSyncEvents } from './node/node-sync.js';
import { panelEvents } from './panel.js';
import { personalDataEvents } from './personal-data/personal-data.js';
import { proofEvents } from './proof/proof.js';
import { releaseEvents } from './releases.js';
import { secondFactorEvents } from './second-factor.js';
import { settingsEvents } from './settings/settings.js';
import { trafficEvents } from './traffic/traffic.js';
import { trafficReportEvents } from './traffic/traffic-report.js';
import { undoEvents } from './undo.js';
import { userEvents } from './user.js';
import { webhookEvents } from './webhook/webhook.js';

/** All event types. Other types cannot be stored, and the panel does not start with a log that contains one. */
export const catalog = [
  ...inboundEvents,
  ...clientEvents,
  ...manyClientEvents,
  ...trafficEvents,
  ...coreEvents,
  ...settingsEvents,
  ...userEvents,
  ...secondFactorEvents,
  ...panelEvents,
  ...certificateEvents,
  ...releaseEvents,
  ...directoryEvents,
  ...backupEvents,
  ...nodeEvents,
  ...nodeSyncEvents,
  ...geoEvents,
  ...importEvents,
  ...chatBotEvents,
  ...trafficReportEvents,
  ...ipLimitEvents,
  ...accessEvents,
  ...tokenEvents,
  ...personalDataEvents,
  ...webhookEvents,
  ...proofEvents,
  ...clusterEvents,
  ...undoEvents,
] as const;

export type PanelEvent = EventOf<(typeof catalog)[number]>;
type RecordEach<E> = E extends PanelEvent ? Recorded<E> : never;
export type RecordedEvent = RecordEach<PanelEvent>;

/** The types whose payloads are rolled up after the retention window. All other payloads stay forever. */
export const measuredTypes: readonly string[] = catalog
  .filter((type) => type.class === 'measured')
  .map(({ type }) => type);

const byName = new Map<string, EventType>(catalog.map((type) => [type.type, type]));

/** The event type with a name; undefined for a name that only another version of the panel knows. */
export function eventType(name: string): EventType | undefined {
  return byName.get(name);
}
