import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Done } from '../../api/client';
import { toastDone, toastError } from './toast';

interface Action<V, R> {
  readonly run: (input: V) => Promise<Done<R>>;
  /** Keys of the queries that the change makes stale. Other browsers are notified through the WebSocket. */
  readonly stale: readonly QueryKey[];
  /** Reverts the change. If it is set, the toast offers Undo, unless `canUndo` returns false. */
  readonly undo?: ((input: V, done: Done<R>) => Promise<unknown>) | undefined;
  readonly canUndo?: (done: Done<R>) => boolean;
  /** Text of the toast, instead of the message of the panel. */
  readonly said?: (input: V, done: Done<R>) => string;
  /** No toast for an error, because the form shows it. */
  readonly silent?: boolean;
}

/** A change: sends it, refreshes the queries that it made stale, and shows the result as a toast. */
export function useAction<V = void, R = unknown>({ run, stale, undo, canUndo, said, silent = false }: Action<V, R>) {
  const client = useQueryClient();
  const refresh = () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  return useMutation({
    mutationFn: run,
    async onSuccess(done, input) {
      const takeBack = async () => {
        const said = await undo?.(input, done);
        await refresh();
        return said;
      };
      const offersUndo = undo && (canUndo?.(done) ?? true);
      toastDone(said?.(input, done) ?? done.msg, offersUndo ? { undo: takeBack } : {});
      await refresh();
    },
    onError: (error) => {
      if (!silent) toastError(error);
      // The refused object may have changed, and the failure may be recorded.
      void refresh();
    },
  });
}
