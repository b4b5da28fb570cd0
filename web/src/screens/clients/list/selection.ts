import { useCallback, useMemo } from 'react';
import type { Selection } from '../../../ui/table/DataTable';
import { useAddressList } from '../../../ui/table/filters';

/** The numbers of single clients, or all that match the filters except some. */
interface Chosen {
  readonly isAll: boolean;
  readonly ids: ReadonlySet<string>;
}

/** Which clients are selected; `matched` is how many the list has. A small selection is in the address. */
export function useSelection(matched: number, label: string) {
  const [list, setList] = useAddressList('selected');
  const { isAll, ids } = useMemo(() => chosenOf(list), [list]);
  const set = useCallback(({ isAll, ids }: Chosen) => setList([...(isAll ? [ALL] : []), ...ids]), [setList]);
  const count = isAll ? Math.max(0, matched - ids.size) : ids.size;
  const clear = useCallback(() => setList([]), [setList]);
  const toggle = useCallback(
    (id: string) =>
      setList((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return [...next];
      }),
    [setList],
  );
  const selection = useMemo(
    (): Selection => ({
      ids: { has: (id) => ids.has(id) !== isAll, size: count },
      toggle,
      toggleAll: () => set(count >= matched ? NONE : { isAll: true, ids: new Set() }),
      label,
    }),
    [ids, isAll, count, matched, toggle, set, label],
  );
  const numbers = useMemo(() => [...ids].map(Number), [ids]);
  /** What a change is about: the numbers, or what is left out of all. */
  const target = useMemo(() => (isAll ? { except: numbers } : { clients: numbers }), [isAll, numbers]);
  return { selection, count, isAll, target, clear };
}

const NONE: Chosen = { isAll: false, ids: new Set() };
/** In the address: the numbers that follow are left out of all clients. */
const ALL = 'all';

function chosenOf(list: readonly string[]): Chosen {
  return { isAll: list.includes(ALL), ids: new Set(list.filter((one) => /^[1-9]\d{0,8}$/.test(one))) };
}
