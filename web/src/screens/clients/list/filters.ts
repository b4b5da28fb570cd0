import type { ClientQuery } from '../../../api/queries';

export const STATES = ['all', 'online', 'active', 'expiring', 'high', 'depleted', 'expired', 'disabled'] as const;
const SORTS = ['email', 'inbound', 'state', 'used', 'expiry', 'seen', 'comment', 'created'] as const;
export const DEFAULTS = {
  ...{ search: '', state: 'all', inbound: 'all', node: 'all' },
  ...{ sort: 'email', order: 'asc' },
} as const;
/** Filters without an effect. */
export const NO_FILTERS = { search: '', state: 'all', inbound: 'all', node: 'all' } as const;
export type Filters = Readonly<Record<keyof typeof DEFAULTS, string>>;

/** The filters of the address as the API takes them; what is not known falls back to the default. */
export function queryOf({ search, state, inbound, node, sort, order }: Filters): ClientQuery {
  return {
    search: search.trim(),
    state: STATES.find((one) => one === state) ?? 'all',
    inbound: /^\d{1,9}$/.test(inbound) ? Number(inbound) : 0,
    ...(/^\d{1,9}$/.test(node) ? { node: Number(node) } : {}),
    sort: SORTS.find((one) => one === sort) ?? 'email',
    order: order === 'desc' ? 'desc' : 'asc',
  };
}
