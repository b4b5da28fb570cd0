import { useCallback, useMemo, useState } from 'react';
import type { Selection } from '../../../ui/table/DataTable';

/** The numbers of single clients, or all that match the filters except some. */
interface Chosen {
  readonly isAll: boolean;
  readonly ids: ReadonlySet<string>;
}

const NONE: Chosen = { isAll: false, ids: new Set() };

/** Which clients are selected; `matched` is how many the list has. */
export function useSelection(matched: number, label: string) {
  const [{ isAll, ids }, set] = useState(NONE);
  const count = isAll ? matched - ids.size : ids.size;
  const clear = useCallback(() => set(NONE), []);
  const toggle = useCallback(
    (id: string) =>
      set((before) => {
        const next = new Set(before.ids);
        if (!next.delete(id)) next.add(id);
        return { ...before, ids: next };
      }),
    [],
  );
  const selection = useMemo(
    (): Selection => ({
      ids: { has: (id) => ids.has(id) !== isAll, size: count },
      toggle,
      toggleAll: () => set(count >= matched ? NONE : { isAll: true, ids: new Set() }),
      label,
    }),
    [ids, isAll, count, matched, toggle, label],
  );
  const numbers = useMemo(() => [...ids].map(Number), [ids]);
  /** What a change is about: the numbers, or what is left out of all. */
  const target = useMemo(() => (isAll ? { except: numbers } : { clients: numbers }), [isAll, numbers]);
  return { selection, count, isAll, target, clear };
}
