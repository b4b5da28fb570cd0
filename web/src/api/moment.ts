import { useSyncExternalStore } from 'react';
import { AT_PATHS } from './contract.generated';

/**
 * The moment of the past that the page shows: the position of an event or an ISO 8601 time; null = now. It is in the
 * address before the fragment, so it stays while screens are opened, and another moment loads the page again.
 */
export const moment = new URLSearchParams(globalThis.location?.search).get('at');

/** What the page reads at any moment: the role of the admin, the calendar, and the login. */
const TIMELESS: ReadonlySet<string> = new Set([
  '/panel/api/admins/me',
  '/panel/api/clients/subscriptions',
  '/login',
  '/logout',
  '/getTwoFactorEnable',
]);
const answering: ReadonlySet<string> = new Set(AT_PATHS);

/** Whether a path takes `at` now. */
export const takesMoment = (path: string): boolean => moment !== null && answering.has(path);

/** Whether the page may request a path: the past is read-only, and what is not recorded is not shown. */
export const isRequested = (path: string): boolean => moment === null || answering.has(path) || TIMELESS.has(path);

/** Whether the role may use a path or a permission at the moment that is shown. */
export const isUsable = (needed: string): boolean =>
  moment === null || answering.has(needed) || needed === '/panel/api/clients/subscriptions';

/** The event after which the answers were true, and its time in ms since 1970. */
export interface Shown {
  /** 0 for a role that sees only a part of the clients: the event may be one of others. */
  readonly position: number;
  readonly at: number;
  /** How many documents have placeholders, because their data was erased since. */
  readonly erased: number;
}
let shown: Shown | null = null;
const listeners = new Set<() => void>();

/** Takes the moment that an answer names. */
export function noteMoment({ headers }: Response): void {
  const time = headers.get('X-Portolan-Time');
  if (moment === null || time === null) return;
  const position = Number(headers.get('X-Portolan-Position') ?? 0);
  const at = Date.parse(time);
  if (shown?.position === position && shown.at === at) return;
  const erased = Number(headers.get('X-Portolan-Erased-Count') ?? 0);
  shown = { position, at, erased };
  for (const listener of listeners) listener();
}

/** The moment as the panel understood it; null until the first answer. */
export function useShownMoment(): Shown | null {
  return useSyncExternalStore(subscribe, () => shown);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The address of a screen, such as `/inbounds`, at a moment; null = now. */
export function addressAt(at: string | null, screen: string): string {
  const url = new URL('.', document.baseURI);
  if (at !== null) url.searchParams.set('at', at);
  url.hash = screen;
  return url.href;
}
