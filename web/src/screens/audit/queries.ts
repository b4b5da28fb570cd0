import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError, api } from '../../api/client';
import type { Diff, Noun } from './diff';
import type { AuditQuery } from './filter';
import { isBackup } from './moment';

const NEWS_MS = 4000;
/** More new events than this are not counted. */
export const MAX_NEWS = 100;
const PAGE = 100;
/** Clients of an event about many that are shown at once. */
const MEMBERS = 20;
/** Documents of one answer at most. */
export const MOST_DOCUMENTS = 1000;

/** The matching events, newest first, in pages. `since` changes when the list starts again from the newest event. */
export const auditPages = (query: AuditQuery, since: number) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'pages', query, since],
    queryFn: ({ pageParam, signal }) =>
      api.get('/panel/api/audit/page', { query: { ...query, before: pageParam, limit: PAGE }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => (next === 0 ? undefined : next),
    // What was recorded does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The matching events after a position, for their number. */
export const auditNews = (query: AuditQuery, after: number | undefined) =>
  queryOptions({
    queryKey: ['audit', 'news', query, after],
    queryFn: ({ signal }) =>
      api.get('/panel/api/audit/page', { query: { ...query, after: after ?? 0, limit: MAX_NEWS }, signal }),
    enabled: after !== undefined,
    refetchInterval: NEWS_MS,
  });

export const auditEvent = (position: string) =>
  queryOptions({
    queryKey: ['audit', 'event', position],
    queryFn: ({ signal }) => api.get('/panel/api/audit/:position', { params: { position }, signal }),
  });

/** The clients of an event about many, in pages. */
export const eventMembers = (position: number) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'members', position],
    queryFn: ({ pageParam, signal }) =>
      api.get('/panel/api/audit/:position/members', {
        params: { position },
        query: { skip: pageParam, limit: MEMBERS },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const shown = pages.reduce((sum, { members }) => sum + members.length, 0);
      return shown < total ? shown : undefined;
    },
    // What was recorded does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });

export interface DiffQuery {
  /** As the API takes moments and backups. */
  readonly from: string;
  /** Empty = now. */
  readonly to: string;
  readonly noun: Noun | '';
  /** Email; empty = all. */
  readonly client: string;
}

/** A backup that is sent with the question. */
export interface UploadedBackup {
  readonly file: File;
  /** For a sealed backup; empty = that in the settings is tried. */
  readonly passphrase: string;
}

interface Part {
  readonly skip: number;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** What differs, or a part of it. */
export async function diffOf(
  query: DiffQuery,
  backup: UploadedBackup | null,
  { skip, limit, signal }: Part,
): Promise<Diff> {
  const part = { ...query, skip, limit };
  if (backup === null) return api.get('/panel/api/audit/diff', { query: part, ...(signal ? { signal } : {}) });
  const form = new FormData();
  for (const [name, value] of Object.entries(part)) form.append(name, String(value));
  if (backup.passphrase !== '') form.append('passphrase', backup.passphrase);
  // The server reads the parts in this order.
  form.append('db', backup.file);
  const { obj } = await api.upload('/panel/api/audit/diffUpload', form, {
    follow: () => undefined,
    signal: signal ?? new AbortController().signal,
  });
  return obj;
}

/** What differs between two moments or backups, in pages of documents. `sent`: tells one upload from another. */
export const diffPages = (query: DiffQuery, backup: UploadedBackup | null, sent: number) => {
  const isRead = backup !== null || isBackup(query.from) || isBackup(query.to);
  return infiniteQueryOptions({
    queryKey: ['audit', 'diff', query, backup && sent],
    queryFn: ({ pageParam, signal }) =>
      diffOf(query, backup, { skip: pageParam, limit: isRead ? MOST_DOCUMENTS : PAGE, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ counts: { added, removed, changed } }, pages) => {
      const shown = pages.reduce((sum, { documents }) => sum + documents.length, 0);
      return shown < added + removed + changed ? shown : undefined;
    },
    retry: false,
    // The panel reads a backup as a whole for each answer.
    ...(isRead ? { staleTime: Number.POSITIVE_INFINITY } : {}),
  });
};

export const auditTypes = queryOptions({
  queryKey: ['audit', 'types'],
  queryFn: ({ signal }) => api.get('/panel/api/audit/types', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const auditChain = queryOptions({
  queryKey: ['audit', 'chain'],
  queryFn: ({ signal }) => api.get('/panel/api/audit/chain', { signal }),
  refetchInterval: 30_000,
});

/** The last signed head, the places where heads are published, and the hash that the log has at its position now. */
export const publishedHead = queryOptions({
  queryKey: ['audit', 'head'],
  async queryFn({ signal }) {
    const { last, sinks } = await api.get('/panel/api/proof/status', { signal });
    if (last === null) return { last, sinks, isInChain: false };
    return { last, sinks, isInChain: (await hashAt(last.position, signal)) === last.hash };
  },
});

/** The chain hash of an event; null = the log has no such event. */
async function hashAt(position: number, signal: AbortSignal): Promise<string | null> {
  try {
    const params = { position: String(position) };
    return (await api.get('/panel/api/audit/:position', { params, signal })).hash;
  } catch (error) {
    if (error instanceof ApiError && !error.isOffline) return null;
    throw error;
  }
}
