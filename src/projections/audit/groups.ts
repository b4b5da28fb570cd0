import { accessEvents } from '../../events/access/access.js';
import { backupEvents } from '../../events/backup.js';
import { catalog } from '../../events/catalog.js';
import { clientEvents } from '../../events/client/client.js';
import { coreEvents } from '../../events/core.js';
import { geoEvents } from '../../events/geo/geo.js';
import { importEvents } from '../../events/import.js';
import { inboundEvents } from '../../events/inbound/inbound.js';
import { ipLimitEvents } from '../../events/ip-limit.js';
import { nodeEvents } from '../../events/node/node.js';
import { nodeSyncEvents } from '../../events/node/node-sync.js';
import { settingsEvents } from '../../events/settings/settings.js';
import { trafficEvents } from '../../events/traffic.js';
import { trafficReportEvents } from '../../events/traffic-report.js';
import { userEvents } from '../../events/user.js';

/** What event types are about. */
export type AuditGroup =
  | 'clients'
  | 'inbounds'
  | 'nodes'
  | 'access'
  | 'settings'
  | 'core'
  | 'geo'
  | 'backups'
  | 'traffic'
  | 'panel';
type Types = readonly { readonly type: string }[];

/** The groups. Types in no list are `panel`. */
const GROUPS: readonly (readonly [group: AuditGroup, types: Types])[] = [
  ['clients', [...clientEvents, ...ipLimitEvents]],
  ['inbounds', inboundEvents],
  ['nodes', [...nodeEvents, ...nodeSyncEvents]],
  ['access', [...userEvents, ...accessEvents]],
  ['settings', settingsEvents],
  ['core', coreEvents],
  ['geo', geoEvents],
  ['backups', [...backupEvents, ...importEvents]],
  ['traffic', [...trafficEvents, ...trafficReportEvents]],
];

const byType = new Map(GROUPS.flatMap(([group, types]) => types.map(({ type }) => [type, group] as const)));

/** The group of an event type. */
export const groupOf = (type: string): AuditGroup => byType.get(type) ?? 'panel';

/** Measurements that the panel records all the time. They hide everything else, so a list without a type leaves them out. */
const ROUTINE: ReadonlySet<string> = new Set([
  'TrafficRecorded',
  'NodeTrafficRecorded',
  'ClientIpsSeen',
  'MeasurementsRolledUp',
]);

/** Every event type with its group. */
export const auditTypes = catalog.map(({ type }) => ({ type, group: groupOf(type), routine: ROUTINE.has(type) }));

/** The types that a filter selects; null = all. `types` empty = those of the group; `group` empty = all groups. */
export function typesOf(
  types: readonly string[],
  group: AuditGroup | '',
  routine: boolean,
): ReadonlySet<string> | null {
  if (types.length > 0) return new Set(types);
  if (group === '' && routine) return null;
  const selected = auditTypes.filter((one) => (group === '' || one.group === group) && (routine || !one.routine));
  return new Set(selected.map(({ type }) => type));
}
