import type { Gets } from '../../api/contract.generated';

/** The filters in the address. Empty = any. `kind` is a group as `group:clients`, or an event type. */
export const DEFAULTS = {
  ...{ kind: '', client: '', inbound: '', node: '', by: '', actor: '', ip: '', from: '', to: '', routine: '' },
} as const;
export type Filters = Readonly<Record<keyof typeof DEFAULTS, string>>;

export type AuditQuery = NonNullable<Gets['/panel/api/audit/page']['query']>;
export type AuditEntry = Gets['/panel/api/audit/page']['reply']['events'][number];
/** Tells entries apart: the parts of several clients in one event have the same position. */
export const keyOf = ({ position, subject }: AuditEntry): string => `${position} ${subject?.number ?? ''}`;

export type Group = AuditEntry['group'];
export type ActorKind = AuditEntry['actor']['kind'];

export const GROUPS: readonly Group[] = [
  ...(['clients', 'inbounds', 'nodes', 'access', 'settings', 'core', 'geo', 'backups', 'traffic', 'panel'] as const),
];
export const KINDS: readonly ActorKind[] = ['user', 'token', 'bot', 'node', 'system'];
/** The filters that are behind the button for more. */
export const MORE = ['inbound', 'node', 'actor', 'ip', 'from', 'to', 'routine'] as const;

/** The filters as the API takes them; what is not known is left out. Times are those of the browser's time zone. */
export function queryOf(filters: Filters): AuditQuery {
  const { kind, client, inbound, node, by, actor, ip, from, to, routine } = filters;
  const group = GROUPS.find((one) => kind === `group:${one}`);
  const query: Record<string, string | number | boolean | undefined> = {
    ...{ group, types: group === undefined ? kind : '', client: client.trim(), inbound: numberIn(inbound) },
    ...{ node: numberIn(node), by: KINDS.find((one) => one === by), actor: actor.trim(), ip: ip.trim() },
    // The end of a minute belongs to it.
    ...{ from: timeIn(from), to: timeIn(to) && timeIn(to) + 59_999, routine: routine === 'true' },
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => Boolean(value)));
}

const numberIn = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0);

function timeIn(text: string): number {
  const at = new Date(text).getTime();
  return Number.isFinite(at) && at > 0 ? at : 0;
}
