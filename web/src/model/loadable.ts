/** What is loaded: the result of a query, or of several. */
export interface Loadable<T> {
  /** Undefined until there is an answer. */
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly errorUpdateCount: number;
  readonly refetch: () => unknown;
}

/** Several queries as one: it has data when all have, and the first problem of those without. Only these are asked again. */
export function together<T>(queries: readonly Loadable<T>[]): Loadable<readonly T[]> {
  const missing = queries.filter(({ data }) => data === undefined);
  return {
    data: missing.length === 0 ? queries.flatMap(({ data }) => (data === undefined ? [] : [data])) : undefined,
    error: missing.find(({ error }) => error !== null)?.error ?? null,
    errorUpdateCount: missing.reduce((sum, { errorUpdateCount }) => sum + errorUpdateCount, 0),
    refetch: () => missing.forEach((query) => void query.refetch()),
  };
}
