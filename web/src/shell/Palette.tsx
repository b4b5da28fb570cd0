import { Spotlight, spotlight } from '@mantine/spotlight';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/spotlight/styles.css';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePaletteActions } from './palette-actions';
import { usePaletteMatches } from './palette-matches';
import { OPEN_PALETTE } from './shortcuts';

/** Ctrl+K: screens, actions, and the clients, inbounds and nodes that match what is typed. */
export function Palette({ onHelp }: { readonly onHelp: () => void }) {
  const { t } = useTranslation('shell');
  const [query, setQuery] = useState('');
  // The first use loads this file, so it opens at once.
  useEffect(() => {
    spotlight.open();
    document.addEventListener(OPEN_PALETTE, spotlight.open);
    return () => document.removeEventListener(OPEN_PALETTE, spotlight.open);
  }, []);
  const { screens, ...found } = usePaletteMatches(query.trim().toLowerCase());
  const actions = usePaletteActions(query.trim().toLowerCase(), onHelp);
  const groups = [
    { group: t('palette.screens'), actions: screens },
    { group: t('palette.clients'), actions: found.clients },
    { group: t('palette.inbounds'), actions: found.inbounds },
    { group: t('palette.nodes'), actions: found.nodes },
    { group: t('palette.actions'), actions },
  ];
  return (
    <Spotlight
      actions={groups.filter((group) => group.actions.length > 0)}
      filter={(_, all) => all}
      query={query}
      onQueryChange={setQuery}
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
      }}
    />
  );
}
