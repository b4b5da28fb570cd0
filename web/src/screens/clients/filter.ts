import type { ClientRow, ClientState } from '../../model/clients';

export const STATES = ['all', 'online', 'active', 'expiring', 'high', 'depleted', 'expired', 'disabled'] as const;

interface Wanted {
  readonly search: string;
  readonly state: string;
  readonly inbound: string;
}

/** States whose clients may connect. */
const MAY_CONNECT: ReadonlySet<ClientState> = new Set(['active', 'expiring', 'high']);

/** The clients that a search and filters leave. */
export function filtered(
  rows: readonly ClientRow[],
  { search, state, inbound }: Wanted,
  online: ReadonlySet<string>,
): readonly ClientRow[] {
  const text = search.trim().toLowerCase();
  if (text === '' && state === 'all' && inbound === 'all') return rows;
  return rows.filter((row) => {
    if (inbound !== 'all' && String(row.inbound.id) !== inbound) return false;
    if (state !== 'all' && !hasState(row, state, online)) return false;
    return text === '' || row.text.includes(text);
  });
}

function hasState(row: ClientRow, state: string, online: ReadonlySet<string>): boolean {
  if (state === 'online') return online.has(row.email);
  if (state === 'active') return MAY_CONNECT.has(row.state);
  return row.state === state;
}
