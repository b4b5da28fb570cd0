import { useSyncExternalStore } from 'react';
import { ApiError, api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { type Field, type FieldKey, type SecretKey, sameValue, type Value } from './catalog';

type Body = NonNullable<Posts['/panel/setting/update']['body']>;

/** A change of one field. `from` is the value that it was made to. */
export type Change =
  | { readonly secret: false; readonly from: Value; readonly to: Value }
  /** Null removes the secret. */
  | { readonly secret: true; readonly to: string | null };

export interface Draft {
  readonly changes: ReadonlyMap<FieldKey, Change>;
  /** Why the panel refused a field. */
  readonly errors: Readonly<Partial<Record<FieldKey, string>>>;
  /** The admin confirmed that forwarded headers from all addresses count. */
  readonly trustsEveryProxy: boolean;
}

const EMPTY: Draft = { changes: new Map(), errors: {}, trustsEveryProxy: false };

/** Kept while the page is open, so that an ended session loses nothing. */
let current = EMPTY;
const listeners = new Set<() => void>();
function keep(draft: Draft): void {
  current = draft;
  for (const listener of listeners) listener();
}
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useDraft = (): Draft => useSyncExternalStore(subscribe, () => current);

function put(key: FieldKey, change: Change | null): void {
  const changes = new Map(current.changes);
  if (change) changes.set(key, change);
  else changes.delete(key);
  const { [key]: _, ...errors } = current.errors;
  keep({ ...current, changes, errors });
}

/** Changes a field; the saved value takes the change back. */
export function change(field: Field, to: Value): void {
  if (field.secret) return;
  const before = current.changes.get(field.key);
  const from = before && !before.secret ? before.from : field.value;
  put(field.key, sameValue(to, field.value) ? null : { secret: false, from, to });
}

/** Replaces a secret, or removes it with null. */
export const changeSecret = (key: SecretKey, to: string | null): void => put(key, { secret: true, to });
export const revert = (key: FieldKey): void => put(key, null);
export const discardAll = (): void => keep(EMPTY);
export const trustEveryProxy = (trustsEveryProxy: boolean): void => keep({ ...current, trustsEveryProxy });

/** What `save` sends, except the removal of secrets. */
export function bodyOf({ changes, trustsEveryProxy }: Draft): Body {
  const given = [...changes].filter(([, { to }]) => to !== null).map(([key, { to }]) => [key, to]);
  return Object.fromEntries([...given, ...(trustsEveryProxy ? [['trustEveryProxy', true]] : [])]) as Body;
}

/**
 * Saves all changes; `obj` says whether they can be taken back. After a refusal nothing is saved, and `errors` names the
 * fields.
 */
export async function save(draft: Draft) {
  try {
    const body = bodyOf(draft);
    const done = Object.keys(body).length > 0 ? await api.post('/panel/setting/update', { body }) : null;
    let msg = done?.msg ?? '';
    for (const [key, { to }] of draft.changes)
      if (to === null) msg = (await api.post('/panel/setting/secret', { body: { key, value: '' } })).msg;
    keep({ ...EMPTY, changes: changesSince(draft) });
    return { obj: [...draft.changes.values()].every(({ secret }) => !secret), msg };
  } catch (error) {
    if (error instanceof ApiError) keep({ ...current, errors: error.fields });
    throw error;
  }
}

/** What was changed while `saved` was being sent, as changes to what is stored now. */
function changesSince(saved: Draft): Draft['changes'] {
  const later = [...current.changes].filter(([key, one]) => saved.changes.get(key) !== one);
  return new Map(
    later.map(([key, one]) => {
      const sent = saved.changes.get(key);
      return [key, one.secret || !sent || sent.secret ? one : { ...one, from: sent.to }];
    }),
  );
}

/** Takes saved changes back. Replaced secrets cannot come back. */
export function takeBack({ changes }: Draft) {
  const former = [...changes].flatMap(([key, one]) => (one.secret ? [] : [[key, one.from]]));
  return api.post('/panel/setting/update', { body: Object.fromEntries(former) as Body });
}
