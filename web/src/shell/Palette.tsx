import { createSpotlight, Spotlight } from '@mantine/spotlight';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/spotlight/styles.css';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePaletteActions } from './palette-actions';
import { usePaletteMatches } from './palette-matches';
import { OPEN_PALETTE } from './shortcuts';
import { PALETTE_SEARCH, takeTyped } from './type-ahead';

const [store, spotlight] = createSpotlight();
const SELECTED = 'data-selected';

/**
 * Spotlight selects by an attribute of the document, and only when the text changes: an element keeps the selection when
 * results that arrive later push it down.
 */
function selectFirst(): void {
  for (const one of document.querySelectorAll(`[data-action][${SELECTED}]`)) one.removeAttribute(SELECTED);
  document.querySelector('[data-action]')?.setAttribute(SELECTED, 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** Ctrl+K: screens, actions, and the clients, inbounds and nodes that match what is typed. */
export function Palette({ onHelp }: { readonly onHelp: () => void }) {
  const { t } = useTranslation('shell');
  const [query, setQuery] = useState('');
  // Enter was pressed before the results for the text had arrived.
  const [isEnterWaiting, setEnterWaiting] = useState(false);
  // The first use loads this file, so it opens at once.
  useEffect(() => {
    spotlight.open();
    document.addEventListener(OPEN_PALETTE, spotlight.open);
    return () => document.removeEventListener(OPEN_PALETTE, spotlight.open);
  }, []);
  const { screens, isLoading, ...found } = usePaletteMatches(query.trim().toLowerCase());
  const actions = usePaletteActions(query.trim().toLowerCase(), onHelp);
  const groups = [
    { group: t('palette.screens'), actions: screens },
    { group: t('palette.clients'), actions: found.clients },
    { group: t('palette.inbounds'), actions: found.inbounds },
    { group: t('palette.nodes'), actions: found.nodes },
    { group: t('palette.actions'), actions },
  ];
  const results = groups.flatMap((group) => group.actions.map(({ id }) => id)).join();
  useEffect(() => {
    if (query !== '') selectFirst();
  }, [query, results]);
  useEffect(() => {
    if (!isEnterWaiting || isLoading) return;
    setEnterWaiting(false);
    document.querySelector<HTMLElement>(`[data-action][${SELECTED}]`)?.click();
  }, [isEnterWaiting, isLoading]);
  const onKeyDownCapture = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !isLoading || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    setEnterWaiting(true);
  };
  const addTyped = (): void => {
    const typed = takeTyped();
    if (typed !== '') setQuery((text) => text + typed);
  };
  return (
    <Spotlight
      store={store}
      actions={groups.filter((group) => group.actions.length > 0)}
      filter={(_, all) => all}
      query={query}
      onQueryChange={(text) => {
        setQuery(text);
        setEnterWaiting(false);
      }}
      onSpotlightClose={() => {
        takeTyped();
        setEnterWaiting(false);
      }}
      nothingFound={t('palette.nothing')}
      shortcut={null}
      centered={false}
      yOffset="12vh"
      scrollable
      maxHeight="60vh"
      searchProps={{
        placeholder: t('palette.placeholder'),
        leftSection: <IconSearch size={18} aria-hidden />,
        'aria-label': t('palette.placeholder'),
        onKeyDownCapture,
        name: PALETTE_SEARCH,
        onFocus: addTyped,
      }}
    />
  );
}
