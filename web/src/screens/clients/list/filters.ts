import type { ClientQuery } from '../../../api/queries';
import { useFilters } from '../../../ui/table/filters';

export const STATES = ['all', 'enabled', 'active', 'expiring', 'high', 'depleted', 'expired', 'disabled'] as const;
const SORTS = ['email', 'inbound', 'state', 'used', 'expiry', 'seen', 'comment', 'created'] as const;
/** Filters without an effect. */
export const NO_FILTERS = { search: '', state: 'all', online: 'all', inbound: 'all', node: 'all' } as const;
export const DEFAULTS = { ...NO_FILTERS, sort: 'email', order: 'asc' } as const;
export type Filters = Readonly<Record<keyof typeof DEFAULTS, string>>;

/** The filters in the address of the list. */
export function useClientFilters(): readonly [Filters, (changes: Partial<Filters>) => void] {
  const [inAddress, change] = useFilters<keyof Filters>(DEFAULTS);
  const filters = withOnline(inAddress);
  return [filters, (changes) => change(filters === inAddress ? changes : { ...filters, ...changes })];
}

/** Links and views of earlier versions have online as a state. */
export const withOnline = (filters: Filters): Filters =>
  filters.state === 'online' ? { ...filters, state: 'all', online: 'yes' } : filters;

export const isFiltered = (filters: Filters): boolean =>
  Object.entries(NO_FILTERS).some(([name, value]) => filters[name as keyof typeof NO_FILTERS] !== value);

/** The filters of the address as the API takes them; what is not known falls back to the default. */
export function queryOf({ search, state, online, inbound, node, sort, order }: Filters): ClientQuery {
  return {
    search: search.trim(),
    state: STATES.find((one) => one === state) ?? 'all',
    ...(online === 'yes' || online === 'no' ? { online: online === 'yes' } : {}),
    inbound: /^\d{1,9}$/.test(inbound) ? Number(inbound) : 0,
    ...(/^\d{1,9}$/.test(node) ? { node: Number(node) } : {}),
    sort: SORTS.find((one) => one === sort) ?? 'email',
    order: order === 'desc' ? 'desc' : 'asc',
  };
}
