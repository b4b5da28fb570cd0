import { accessEvents } from './access/access.js';
import { backupEvents } from './backup.js';
import { clientEvents } from './client/client.js';
import { manyClientEvents } from './client/many-clients.js';
import { coreEvents } from './core.js';
import { geoEvents } from './geo/geo.js';
import type { EventGroup } from './group-names.js';
import { importEvents } from './import.js';
import { inboundEvents } from './inbound/inbound.js';
import { ipLimitEvents } from './ip-limit.js';
import { nodeEvents } from './node/node.js';
import { nodeSyncEvents } from './node/node-sync.js';
import { personalDataEvents } from './personal-data/personal-data.js';
import { settingsEvents } from './settings/settings.js';
import { trafficEvents } from './traffic/traffic.js';
import { trafficReportEvents } from './traffic/traffic-report.js';
import { userEvents } from './user.js';

type Types = readonly { readonly type: string }[];

/** The groups. Types in no list are `panel`. */
const GROUPS: readonly (readonly [group: EventGroup, types: Types])[] = [
  ['clients', [...clientEvents, ...manyClientEvents, ...ipLimitEvents, ...personalDataEvents]],
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
export const groupOf = (type: string): EventGroup => byType.get(type) ?? 'panel';
