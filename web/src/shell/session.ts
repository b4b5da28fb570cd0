import { useSyncExternalStore } from 'react';

/*
 * When a request finds that the session has ended, it waits here until the admin has logged in again, and is then sent
 * again. Nothing on the screen is lost.
 */
let waiting: { readonly done: Promise<void>; readonly resolve: () => void } | null = null;
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};

export function renewSession(): Promise<void> {
  if (!waiting) {
    const { promise: done, resolve } = withResolvers();
    waiting = { done, resolve };
    tell();
  }
  return waiting.done;
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Called after the login. */
export function sessionRenewed(): void {
  waiting?.resolve();
  waiting = null;
  tell();
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting !== null,
  );
}
