import { TextInput } from '@mantine/core';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { startTransition, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { shortcutKey } from '../../../model/keys';
import classes from '../Clients.module.css';

interface Props {
  readonly search: string;
  /** How often the text was set by something other than typing. */
  readonly replacements: number;
  readonly onSearch: (text: string) => void;
  readonly onLeave: () => void;
}

/** The search of the list; `/` moves the focus to it. Each key is shown at once, the table follows as fast as it can. */
export function SearchBox({ search, replacements, onSearch, onLeave }: Props) {
  const { t } = useTranslation('clients');
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search);
  // While the admin types, `search` is behind the box.
  const [seen, setSeen] = useState(replacements);
  if (seen !== replacements) {
    setSeen(replacements);
    setText(search);
  }
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (shortcutKey(event) !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
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
