import { useSyncExternalStore } from 'react';

/*
 * A request that the panel refuses because the session has ended waits here until the admin has logged in again. It is then
 * repeated, and the screen keeps its state.
 */
let waiting: { readonly done: Promise<void>; readonly resolve: () => void } | null = null;
const listeners = new Set<() => void>();
const notifyListeners = (): void => {
  for (const listener of listeners) listener();
};

export function renewSession(): Promise<void> {
  if (!waiting) {
    const { promise: done, resolve } = withResolvers();
    waiting = { done, resolve };
    notifyListeners();
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
  notifyListeners();
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
