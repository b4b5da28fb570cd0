import { useMemo } from 'react';
import { useSearchParams } from 'react-router';

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
  const change = (changes: Partial<Values<K>>): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [key, value] of Object.entries<string | undefined>(changes)) {
          if (value === undefined || value === defaults[key as K]) next.delete(key);
          else next.set(key, value);
        }
        return next;
      },
      { replace: true },
    );
  return [values, change];
}

/** A dialog whose state is in the address: `?new=1` opens it, so that other screens can link to it. */
export function useAddressFlag(name: string): readonly [boolean, (isOn: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const change = (isOn: boolean): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (isOn) next.set(name, '1');
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return [params.has(name), change];
}
