interface Query {
  readonly data: unknown;
  readonly error: Error | null;
  readonly errorUpdateCount: number;
}

/**
 * The problem to show for a query without data: TanStack Query clears the error while it asks again, and what was on screen
 * must not flicker. Null for a query that has data, or that has not failed yet.
 *
 * @param before what was shown last
 */
export function lastProblem({ data, error, errorUpdateCount }: Query, before: Error | null): Error | null {
  if (data !== undefined) return null;
  return error ?? (errorUpdateCount > 0 ? before : null);
}
