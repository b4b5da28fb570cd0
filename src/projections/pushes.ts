import type { RecordedEvent } from '../events/catalog.js';

/** What a browser is told over the WebSocket (specification, part 6), besides the status. */
export type Push =
  | { readonly type: 'xrayState'; readonly data: string }
  | {
      readonly type: 'notification';
      readonly title: string;
      readonly body: string;
      readonly severity: 'success' | 'warning' | 'error';
    }
  | { readonly type: 'invalidate'; readonly resource: string };

/** The nouns behind the event types, as the client knows them. */
const resources: readonly (readonly [RegExp, string])[] = [
  [/^(Inbound|Client)(?!IpsSeen)/, 'inbounds'],
  [/^(TrafficRecorded|ClientIpsSeen)$/, ''],
  [/^OutboundTraffic/, 'outbounds'],
  [/^CoreTemplate/, 'core'],
  [/^Settings/, 'settings'],
  [/^(User|Credentials|ApiToken)/, 'users'],
];

/** What a batch of events means to the browsers: at most one `invalidate` for each resource. */
export function pushesOf(events: readonly RecordedEvent[]): readonly Push[] {
  const stale = new Set<string>();
  const pushes: Push[] = [];
  for (const event of events) {
    pushes.push(...corePushes(event));
    const resource = resources.find(([pattern]) => pattern.test(event.type))?.[1];
    if (resource) stale.add(resource);
  }
  return [...pushes, ...[...stale].map((resource): Push => ({ type: 'invalidate', resource }))];
}

function corePushes(event: RecordedEvent): readonly Push[] {
  switch (event.type) {
    case 'CoreStarted':
      return [
        { type: 'xrayState', data: 'running' },
        {
          type: 'notification',
          title: 'The core is running',
          body: `Version ${event.data.version}`,
          severity: 'success',
        },
      ];
    case 'CoreStopped':
      return [
        { type: 'xrayState', data: 'stop' },
        {
          type: 'notification',
          title: 'The core has stopped',
          body: `Reason: ${event.data.reason}`,
          severity: 'warning',
        },
      ];
    case 'CoreFailed':
      return [
        { type: 'xrayState', data: 'error' },
        { type: 'notification', title: 'The core failed', body: event.data.reason, severity: 'error' },
      ];
    default:
      return [];
  }
}
