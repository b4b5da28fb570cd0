import { keepPreviousData, replaceEqualDeep, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { ClientRow, Gets } from '../../../api/contract.generated';
import { type ClientQuery, clientPage } from '../../../api/queries';
import type { RemoteRows } from '../../../ui/table/DataTable';

type ClientPage = Gets['/panel/api/clients/page']['reply'];

/** Rows of one request. */
const PAGE = 100;
/** A page is loaded when the view is so many rows away from it. */
const AHEAD = 50;

/** The first page of the clients that match: it also has their number and totals. */
export const useFirstPage = (query: ClientQuery) =>
  useQuery({ ...clientPage({ ...query, offset: 0, limit: PAGE }), placeholderData: keepPreviousData });

/** The list that the table shows: a query and the first page of its answer. */
export interface ShownList {
  readonly query: ClientQuery;
  readonly page: ClientPage | undefined;
}

/**
 * The last answered query with its answer. It lags behind the answers by as long as React needs to render the rows, so
 * that a key that is typed meanwhile does not wait for them.
 */
export function useShownList(query: ClientQuery, { data, isPlaceholderData }: UseQueryResult<ClientPage>): ShownList {
  const [{ shown, answer }, setShown] = useState({ shown: { query, page: data } as ShownList, answer: data });
  if (!isPlaceholderData && (shown.query !== query || answer !== data)) {
    // The rows that are equal in both answers stay the same objects: they are not rendered again.
    setShown({ shown: { query, page: replaceEqualDeep(shown.page, data) }, answer: data });
  }
  return useDeferredValue(shown);
}

interface ClientRows {
  readonly remote: RemoteRows<ClientRow>;
  /** Why a page in view could not be loaded; null if none failed. */
  readonly problem: Error | null;
  readonly retry: () => void;
}

/**
 * The clients that match, of which only the pages in view are loaded. A component that uses it is rendered whenever a page
 * is requested or arrives, so it must hold nothing but the table.
 */
export function useClientRows({ query, page: first }: ShownList): ClientRows {
  const [view, setView] = useState({ from: 0, to: 0 });
  const matched = first?.matched ?? 0;
  const last = Math.max(0, Math.ceil(matched / PAGE) - 1);
  const indexes = Array.from(
    { length: Math.min(view.to, last) - view.from + 1 },
    (_, index) => view.from + index,
  ).filter((index) => index > 0);
  const { pages, problem, retry } = useQueries({
    queries: indexes.map((index) => clientPage({ ...query, offset: index * PAGE, limit: PAGE })),
    combine: (results) => {
      const pages = results.map(({ data }, n) => [indexes[n] ?? -1, data?.clients ?? []] as const);
      const failed = results.filter(({ data, error }) => error !== null && data === undefined);
      return {
        pages: new Map<number, readonly ClientRow[]>(pages),
        problem: failed[0]?.error ?? null,
        retry: () => void Promise.all(failed.map(({ refetch }) => refetch())),
      };
    },
  });
  const rowAt = (index: number): ClientRow | undefined => {
    const page = Math.floor(index / PAGE);
    return (page === 0 ? first?.clients : pages.get(page))?.[index % PAGE];
  };
  const onRange = useCallback((from: number, to: number) => {
    const next = { from: Math.floor(Math.max(0, from - AHEAD) / PAGE), to: Math.floor((to + AHEAD) / PAGE) };
    setView((before) => (before.from === next.from && before.to === next.to ? before : next));
  }, []);
  const resetKey = useMemo(() => JSON.stringify(query), [query]);
  return { remote: { count: matched, rowAt, onRange, resetKey }, problem, retry };
}
