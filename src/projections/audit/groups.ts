import { catalog } from '../../events/catalog.js';
import { withMany } from '../../events/client/members.js';
import type { EventGroup } from '../../events/group-names.js';
import { groupOf } from '../../events/groups.js';

/** Measurements that the panel records all the time. They hide everything else, so a list without a type leaves them out. */
const ROUTINE: ReadonlySet<string> = new Set([
  'TrafficRecorded',
  'NodeTrafficRecorded',
  'ClientIpsSeen',
  'MeasurementsRolledUp',
]);

/** Every event type with its group. */
export const auditTypes = catalog.map(({ type }) => ({ type, group: groupOf(type), routine: ROUTINE.has(type) }));

/** The types that a filter selects, with those of events about many clients; null = all. `types` empty = those of the group; `group` empty = all groups. */
export function typesOf(
  types: readonly string[],
  group: EventGroup | '',
  routine: boolean,
): ReadonlySet<string> | null {
  if (types.length > 0) return new Set(withMany(types));
  if (group === '' && routine) return null;
  const selected = auditTypes.filter((one) => (group === '' || one.group === group) && (routine || !one.routine));
  return new Set(selected.map(({ type }) => type));
}
