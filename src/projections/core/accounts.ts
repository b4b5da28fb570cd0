import type { Entry, Flow } from '../../events/log/ledger-store.js';

/** The part of the ledger from which an account is read. */
interface LedgerReader {
  flowsOf(client: number): readonly Flow[];
  entriesOf(client: number): readonly Entry[];
}

/** All lines of one email, including those of clients that had it before. */
export interface Account {
  /** Every client with a line in it, the lowest number first. */
  readonly clients: readonly AccountMember[];
  readonly flows: readonly Flow[];
  readonly entries: readonly Entry[];
}

interface AccountMember {
  readonly client: number;
  /** The inbound to which it was added; 0 when unknown. */
  readonly inbound: number;
  /** When it was added, in ms since 1970. */
  readonly since: number;
  /** When it was deleted or left the email, in ms; null when neither happened. */
  readonly until: number | null;
}

/**
 * The account of clients with one email. A client that leaves the email transfers its bytes to one of the others, so its
 * lines up to that point belong to the account and later ones do not. Names do not matter: a renamed client keeps its lines,
 * and a client with an email that was deleted and used again has another account.
 */
export function accountOf(books: LedgerReader, clients: readonly number[]): Account {
  const flows: Flow[] = [];
  const entries: Entry[] = [];
  const members = new Map<number, AccountMember>();
  const waiting = clients.map((client) => ({ client, until: endOf(books.entriesOf(client)) }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { client, until } = next;
    const all = books.entriesOf(client);
    const from = all.findLast(({ kind, position }) => kind === 'transferred out' && position < until)?.position ?? 0;
    const within = ({ position }: { readonly position: number }): boolean => position > from && position <= until;
    const own = all.filter(within);
    entries.push(...own);
    flows.push(...books.flowsOf(client).filter(within));
    for (const { kind, other, position } of own)
      if (kind === 'transferred in') waiting.push({ client: other, until: position });
    if (!members.has(client) || until === Number.POSITIVE_INFINITY) members.set(client, memberOf(client, all, own));
  }
  return { clients: [...members.values()].sort((a, b) => a.client - b.client), flows, entries };
}

/** The account of a deleted client whose traffic was transferred ends with the transfer. */
function endOf(entries: readonly Entry[]): number {
  const [left, deleted] = entries.slice(-2);
  return left?.kind === 'transferred out' && deleted?.kind === 'deleted' ? left.position : Number.POSITIVE_INFINITY;
}

function memberOf(client: number, all: readonly Entry[], own: readonly Entry[]): AccountMember {
  const added = all.find(({ kind }) => kind === 'added');
  const left = own.findLast(({ kind }) => kind === 'transferred out' || kind === 'deleted');
  return { client, inbound: added?.other ?? 0, since: added?.at ?? 0, until: left?.at ?? null };
}
