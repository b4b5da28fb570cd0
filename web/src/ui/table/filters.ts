import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useNavigationType, useSearchParams } from 'react-router';

/** The router renders a new address later than it sets it: the second of two quick changes must not drop the first. */
const latestParams = (): URLSearchParams => new URLSearchParams(window.location.hash.split('?')[1]);

type Values<K extends string> = Readonly<Record<K, string>>;

/**
 * The filters of a screen, kept in its address, so that links and the Back button restore them. `defaults` are
 * left out of the address.
 */
export function useFilters<K extends string>(
  defaults: Values<K>,
): readonly [Values<K>, (changes: Partial<Values<K>>) => void] {
  const [params, setParams] = useSearchParams();
  const values = useMemo(() => {
    const entries = Object.entries<string>(defaults).map(([key, value]) => [key, params.get(key) ?? value]);
    return Object.fromEntries(entries) as Values<K>;
  }, [params, defaults]);
  // The router gives another function with each address.
  const latest = useRef(setParams);
  latest.current = setParams;
  const change = useCallback(
    (changes: Partial<Values<K>>): void =>
      latest.current(
        () => {
          const next = latestParams();
          for (const [key, value] of Object.entries<string | undefined>(changes)) {
            if (value === undefined || value === defaults[key as K]) next.delete(key);
            else next.set(key, value);
          }
          return next;
        },
        { replace: true },
      ),
    [defaults],
  );
  return [values, change];
}

/** A dialog whose state is in the address: `?new=1` opens it, so that other screens can link to it. */
export function useAddressFlag(name: string): readonly [boolean, (isOn: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const change = (isOn: boolean): void =>
    setParams(
      () => {
        const next = latestParams();
        if (isOn) next.set(name, '1');
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return [params.has(name), change];
}

/** More elements than this stay out of the address, which would become too long to share. */
const MAX_IN_ADDRESS = 50;
const EMPTY: readonly string[] = [];
type Change = readonly string[] | ((before: readonly string[]) => readonly string[]);

/**
 * A list that is in the address as long as it is short, so that a reload and links keep it. The setter stays the same
 * function. Elements contain no comma.
 */
export function useAddressList(name: string): readonly [readonly string[], (change: Change) => void] {
  const [params, setParams] = useSearchParams();
  const [list, setList] = useState<readonly string[]>(() => params.get(name)?.split(',') ?? EMPTY);
  const latest = useRef({ list, setParams });
  latest.current.setParams = setParams;
  const change = useCallback(
    (next: Change) => {
      const changed = typeof next === 'function' ? next(latest.current.list) : next;
      latest.current.list = changed;
      setList(changed);
      latest.current.setParams(
        () => {
          const address = latestParams();
          if (changed.length === 0 || changed.length > MAX_IN_ADDRESS) address.delete(name);
          else address.set(name, changed.join(','));
          return address;
        },
        { replace: true },
      );
    },
    [name],
  );
  return [list, change];
}

/** Every link of the page depends on the address, so changing it with each key would make typing slow. */
const ADDRESS_WAIT_MS = 300;

/**
 * The text of a search box that filters a long list. `search` follows each key; the address follows when the typing
 * pauses or `flush` is called, as when the box loses the focus. A text that `isPublic` does not allow stays out of it,
 * undefined = not known yet. `replace` sets the text when the address is changed with
 * it; Back and Forward change it as well. `replacements` counts these changes: they concern a box that has the focus too.
 */
export function useTypedSearch(
  inAddress: string,
  write: (search: string) => void,
  isPublic: (search: string) => boolean | undefined,
) {
  const [search, setSearch] = useState(inAddress);
  const [replacements, setReplacements] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef({ written: inAddress, typed: inAddress, write, isPublic });
  useEffect(() => {
    Object.assign(last.current, { write, isPublic });
  });
  const flush = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const { written, typed, isPublic } = last.current;
    const allowed = isPublic(typed);
    const kept = allowed === false ? '' : typed;
    if (allowed === undefined || kept === written) return;
    last.current.written = kept;
    last.current.write(kept);
  }, []);
  /** To be called when `isPublic` knows more. */
  const settle = useCallback(() => {
    if (timer.current === undefined) flush();
  }, [flush]);
  const type = useCallback(
    (text: string) => {
      last.current.typed = text;
      setSearch(text);
      clearTimeout(timer.current);
      timer.current = setTimeout(flush, ADDRESS_WAIT_MS);
    },
    [flush],
  );
  const replace = useCallback((text: string) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    last.current.written = text;
    last.current.typed = text;
    setSearch(text);
    setReplacements((count) => count + 1);
  }, []);
  const { key } = useLocation();
  const kind = useNavigationType();
  const shown = useRef(key);
  useEffect(() => {
    // The screen itself only replaces its address. A link, Back or Forward shows another list, also if the text that is not
    // in the address is all that differs.
    const isOpened = shown.current !== key && kind !== 'REPLACE';
    shown.current = key;
    if (isOpened || inAddress !== last.current.written) replace(inAddress);
  }, [inAddress, key, kind, replace]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { search, replacements, type, flush, settle, replace };
}
