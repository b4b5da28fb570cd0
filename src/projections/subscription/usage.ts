/** Usage and limits of a client. */
export interface ClientUsage {
  /** Clients of the same person have the same total usage. Absent = the client has no siblings. */
  readonly person?: string;
  /** Bytes. */
  readonly up: number;
  readonly down: number;
  /** Bytes; 0 = no cap. */
  readonly capBytes: number;
  /** Milliseconds since 1970; 0 = never; negative = a duration that has not started. */
  readonly expiresAt: number;
}

/**
 * The usage and limits of a subscription: sums over its persons, each with the largest cap of its clients. It has no cap if
 * one client has none, and an expiry only if all clients have the same.
 */
export function totalUsage(clients: readonly ClientUsage[]): ClientUsage {
  const [first] = clients;
  const expiresAt = first && clients.every((client) => client.expiresAt === first.expiresAt) ? first.expiresAt : 0;
  const persons = distinctByEmail(clients);
  return {
    up: sum(persons.map(({ up }) => up)),
    down: sum(persons.map(({ down }) => down)),
    capBytes: clients.every(({ capBytes }) => capBytes > 0) ? sum(persons.map(({ capBytes }) => capBytes)) : 0,
    expiresAt,
  };
}

/** Clients with the same email count once, with the largest of their caps. */
function distinctByEmail(clients: readonly ClientUsage[]): readonly ClientUsage[] {
  const persons = new Map<unknown, ClientUsage>();
  for (const client of clients) {
    const name = client.person ?? client;
    const known = persons.get(name);
    persons.set(name, known ? { ...known, capBytes: Math.max(known.capBytes, client.capBytes) } : client);
  }
  return [...persons.values()];
}

/** An unsigned integer without fraction or exponent, as apps expect. */
function sum(counts: readonly number[]): number {
  const total = counts.reduce((all, count) => all + count, 0);
  return total > 0 ? Math.min(Math.floor(total), Number.MAX_SAFE_INTEGER) : 0;
}
