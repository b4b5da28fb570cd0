import type { RecordedEvent } from '../events/catalog.js';
import type { Alarm } from '../lib/alarms.js';
import { notificationOf } from './notifications.js';

/** A WebSocket message to browsers (specification, part 6), other than the status. */
export type Push =
  | { readonly type: 'xrayState'; readonly data: string }
  | ({ readonly type: 'notification' } & Alarm)
  | { readonly type: 'invalidate'; readonly resource: string };

/** The resource that an event changes, as clients name it; empty for none. The first match counts. */
const resources: readonly (readonly [RegExp, string])[] = [
  [/^(Inbound|Client)(?!Ips(Seen|Blocked|Unblocked)$)/, 'inbounds'],
  [/^(TrafficRecorded|ClientIpsSeen)$/, ''],
  [/^OwnerAssigned$/, 'inbounds'],
  [/^OutboundTraffic/, 'outbounds'],
  [/^CoreTemplate/, 'core'],
  [/^(Secret)?Setting/, 'settings'],
  [/^(User|ApiToken|Token|Admin|Role|Session|LoggedIn$|LoggedOut$)/, 'users'],
  [/^Node(Added|Updated|TokenReplaced|Enabled|Disabled|Deleted|Identified|Went|Inbound|Unmanaged|Sync)/, 'nodes'],
  [/^GeoSource/, 'custom-geo'],
  [/^Webhook/, 'webhooks'],
  [/^(LegalHold|PersonalData)/, 'personal-data'],
];

/** With other rights, an admin sees other inbounds and clients. */
const CHANGES_OF_ACCESS = /^(AdminAccessChanged|RoleDefined|TokenChanged)$/;

/** The messages for a batch of events, with at most one `invalidate` for each resource. */
export function pushesOf(events: readonly RecordedEvent[]): readonly Push[] {
  const stale = new Set<string>();
  const pushes: Push[] = [];
  for (const event of events) {
    pushes.push(...pushesOfEvent(event));
    const resource = resources.find(([pattern]) => pattern.test(event.type))?.[1];
    if (resource) stale.add(resource);
    if (CHANGES_OF_ACCESS.test(event.type)) stale.add('inbounds');
  }
  return [...pushes, ...[...stale].map((resource): Push => ({ type: 'invalidate', resource }))];
}

const CORE_STATES: Partial<Record<RecordedEvent['type'], string>> = {
  CoreStarted: 'running',
  CoreStopped: 'stop',
  CoreFailed: 'error',
};

function pushesOfEvent(event: RecordedEvent): readonly Push[] {
  const state = CORE_STATES[event.type];
  const notification = notificationOf(event);
  return [
    ...(state === undefined ? [] : [{ type: 'xrayState', data: state } as const]),
    ...(notification ? [{ type: 'notification', ...notification } as const] : []),
  ];
}
