/** What event types are about. The contract of the panel API uses these names as well. */
export const eventGroups = [
  'clients',
  'inbounds',
  'nodes',
  'access',
  'settings',
  'core',
  'geo',
  'backups',
  'traffic',
  'panel',
] as const;
export type EventGroup = (typeof eventGroups)[number];
