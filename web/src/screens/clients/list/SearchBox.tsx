import { TextInput } from '@mantine/core';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { startTransition, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../Clients.module.css';

interface Props {
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onLeave: () => void;
}

/** The search of the list; `/` moves the focus to it. Each key is shown at once, the table follows as fast as it can. */
export function SearchBox({ search, onSearch, onLeave }: Props) {
  const { t } = useTranslation('clients');
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search);
  useEffect(() => {
    // While the admin types, the list is behind the box.
    if (document.activeElement !== box.current) setText(search);
  }, [search]);
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
  return (
    <TextInput
      ref={box}
      type="search"
      className={classes['search']}
      leftSection={<IconSearch size={16} />}
      placeholder={t('search')}
      aria-label={t('search')}
      aria-keyshortcuts="/"
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        startTransition(() => onSearch(value));
      }}
      onBlur={onLeave}
    />
  );
}
