import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Done } from '../api/client';
import { toastDone, toastError } from './toast';

interface Action<V> {
  readonly run: (input: V) => Promise<Done<unknown>>;
  /** Keys of the queries that the change makes stale. The WebSocket tells other browsers, not the author. */
  readonly stale: readonly QueryKey[];
  /** Takes the change back. Its presence puts Undo into the toast. */
  readonly undo?: ((input: V) => Promise<unknown>) | undefined;
  /** What the toast says instead of the panel's sentence. */
  readonly said?: (input: V) => string;
  /** A form shows the refusal itself. */
  readonly silent?: boolean;
}

/** A change: runs it, refreshes what it made stale, and says how it went. */
export function useAction<V = void>({ run, stale, undo, said, silent = false }: Action<V>) {
  const client = useQueryClient();
  const refresh = () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  return useMutation({
    mutationFn: run,
    async onSuccess({ msg }, input) {
      const takeBack = async () => {
        await undo?.(input);
        await refresh();
      };
      toastDone(said?.(input) ?? msg, undo ? { undo: takeBack } : {});
      await refresh();
    },
    onError: (error) => {
      if (!silent) toastError(error);
    },
  });
}
