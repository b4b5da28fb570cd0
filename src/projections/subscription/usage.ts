/** What one client used and may use. */
export interface ClientUsage {
  /** Bytes. */
  readonly up: number;
  readonly down: number;
  /** Bytes; 0 = no cap. */
  readonly capBytes: number;
  /** Milliseconds since 1970; 0 = never; negative = a duration that has not started. */
  readonly expiresAt: number;
}

/**
 * A subscription as one account: sums of bytes; no cap as soon as one client has none; the end that all of them share,
 * else none.
 */
export function totalUsage(clients: readonly ClientUsage[]): ClientUsage {
  const [first] = clients;
  const expiresAt = first && clients.every((client) => client.expiresAt === first.expiresAt) ? first.expiresAt : 0;
  return {
    up: sum(clients.map(({ up }) => up)),
    down: sum(clients.map(({ down }) => down)),
    capBytes: clients.every(({ capBytes }) => capBytes > 0) ? sum(clients.map(({ capBytes }) => capBytes)) : 0,
    expiresAt,
  };
}

/** Apps read plain unsigned integers: no fraction, no exponent. */
function sum(counts: readonly number[]): number {
  const total = counts.reduce((all, count) => all + count, 0);
  return total > 0 ? Math.min(Math.floor(total), Number.MAX_SAFE_INTEGER) : 0;
}
