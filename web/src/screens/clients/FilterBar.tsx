import { NativeSelect, TextInput } from '@mantine/core';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Gets } from '../../api/contract.generated';
import { type ClientInbound, inboundName } from '../../model/clients';
import { useFormat } from '../../ui/format';
import classes from './Clients.module.css';

export const STATES = ['all', 'online', 'active', 'expiring', 'high', 'depleted', 'expired', 'disabled'] as const;
export const DEFAULTS = { search: '', state: 'all', inbound: 'all', sort: 'email', order: 'asc' } as const;
/** A phone has no headers of columns to sort by. */
const SORTS = [
  ['email', 'asc'],
  ['used', 'desc'],
  ['expiry', 'asc'],
  ['seen', 'desc'],
  ['state', 'asc'],
  ['created', 'desc'],
] as const;
export type Filters = Readonly<Record<keyof typeof DEFAULTS, string>>;

interface Props {
  readonly filters: Filters;
  readonly onChange: (changes: Partial<Filters>) => void;
  readonly inbounds: readonly ClientInbound[];
  readonly counts: Gets['/panel/api/clients/page']['reply']['counts'] | undefined;
  readonly children: ReactNode;
}

/** The search and the filters of the list. `/` moves the focus to the search. */
export function FilterBar({ filters, onChange, inbounds, counts, children }: Props) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const search = useRef<HTMLInputElement>(null);
  // The address follows the box later than the next key comes, so the box has its own text while it has the focus.
  const [text, setText] = useState(filters.search);
  useEffect(() => {
    if (document.activeElement !== search.current) setText(filters.search);
  }, [filters.search]);
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      search.current?.focus();
      search.current?.select();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
  return (
    <div className={classes['bar']}>
      <TextInput
        ref={search}
        type="search"
        className={classes['search']}
        leftSection={<IconSearch size={16} />}
        placeholder={t('search')}
        aria-label={t('search')}
        aria-keyshortcuts="/"
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          onChange({ search: value });
        }}
      />
      <NativeSelect
        className={classes['choice']}
        aria-label={t('filter.state')}
        value={filters.state}
        onChange={({ currentTarget }) => onChange({ state: currentTarget.value })}
        data={STATES.map((state) => ({
          value: state,
          label: counts ? `${t(`state.${state}`)} (${format.number(counts[state])})` : t(`state.${state}`),
        }))}
      />
      <NativeSelect
        className={classes['choice']}
        aria-label={t('filter.inbound')}
        value={filters.inbound}
        onChange={({ currentTarget }) => onChange({ inbound: currentTarget.value })}
        data={[
          { value: 'all', label: t('filter.allInbounds') },
          ...inbounds.map((inbound) => ({
            value: String(inbound.id),
            label: `${inboundName(inbound)} · ${inbound.port}`,
          })),
        ]}
      />
      <NativeSelect
        className={classes['sort']}
        aria-label={t('sort')}
        value={`${filters.sort} ${filters.order}`}
        onChange={({ currentTarget }) => {
          const [sort = '', order = ''] = currentTarget.value.split(' ');
          onChange({ sort, order });
        }}
        data={SORTS.map(([sort, order]) => ({
          value: `${sort} ${order}`,
          label: `${t(`column.${sort}`)} ${order === 'asc' ? '↑' : '↓'}`,
        }))}
      />
      {children}
    </div>
  );
}
