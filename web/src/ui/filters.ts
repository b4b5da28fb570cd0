import { useMemo } from 'react';
import { useSearchParams } from 'react-router';

type Values<K extends string> = Readonly<Record<K, string>>;

/**
 * The filters of a screen, kept in its address, so that a link shows what its sender saw and Back works. `defaults` are
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
