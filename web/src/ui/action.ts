import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Done } from '../api/client';
import { toastDone, toastError } from './toast';

interface Action<V, R> {
  readonly run: (input: V) => Promise<Done<R>>;
  /** Keys of the queries that the change makes stale. The WebSocket tells other browsers, not the author. */
  readonly stale: readonly QueryKey[];
  /** Takes the change back. Its presence puts Undo into the toast, unless `canUndo` says no. */
  readonly undo?: ((input: V, done: Done<R>) => Promise<unknown>) | undefined;
  readonly canUndo?: (done: Done<R>) => boolean;
  /** What the toast says instead of the panel's sentence. */
  readonly said?: (input: V, done: Done<R>) => string;
  /** A form shows the refusal itself. */
  readonly silent?: boolean;
}

/** A change: runs it, refreshes what it made stale, and says how it went. */
export function useAction<V = void, R = unknown>({ run, stale, undo, canUndo, said, silent = false }: Action<V, R>) {
  const client = useQueryClient();
  const refresh = () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  return useMutation({
    mutationFn: run,
    async onSuccess(done, input) {
      const takeBack = async () => {
        await undo?.(input, done);
        await refresh();
      };
      const offersUndo = undo && (canUndo?.(done) ?? true);
      toastDone(said?.(input, done) ?? done.msg, offersUndo ? { undo: takeBack } : {});
      await refresh();
    },
    onError: (error) => {
      if (!silent) toastError(error);
      // What was refused may have changed meanwhile, and a failure may be recorded.
      void refresh();
    },
  });
}
