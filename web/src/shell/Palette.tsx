import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/spotlight/styles.css';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { clientPage, inbounds } from '../api/queries';
import { clientPath } from '../model/clients';
import { screens } from '../screens/registry';
import { OPEN_PALETTE } from './shortcuts';

/** Matches of each kind. */
const MOST = 6;

/** Ctrl+K: goes to a screen, a client or an inbound. Clients are searched by the server, inbounds among those loaded. */
export function Palette() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const client = useQueryClient();
  const [query, setQuery] = useState('');
  // It was loaded because it was wanted.
  useEffect(() => {
    spotlight.open();
    document.addEventListener(OPEN_PALETTE, spotlight.open);
    return () => document.removeEventListener(OPEN_PALETTE, spotlight.open);
  }, []);
  const wanted = query.trim().toLowerCase();
  const clients = useQuery({
    ...clientPage({ search: wanted, limit: MOST }),
    enabled: wanted !== '',
    refetchInterval: false,
  });
  const known = client.getQueryData(inbounds.queryKey) ?? [];
  const go = (path: string) => () => void navigate(path);

  const groups: SpotlightActionGroupData[] = [
    {
      group: t('palette.screens'),
      actions: screens
        .map(({ id, icon: Icon }) => ({
          id,
          label: t(`nav.${id}`),
          onClick: go(`/${id}`),
          leftSection: <Icon size={18} aria-hidden />,
        }))
        .filter(({ label, id }) => `${label} ${id}`.toLowerCase().includes(wanted)),
    },
  ];
  if (wanted !== '') {
    const found = known
      .filter(({ remark, tag, port }) => `${remark} ${tag} ${port}`.toLowerCase().includes(wanted))
      .slice(0, MOST);
    groups.push({
      group: t('palette.inbounds'),
      actions: found.map(({ id, remark, port }) => ({
        id: `inbound-${id}`,
        label: remark || `#${id}`,
        description: String(port),
        onClick: go(`/inbounds/${id}`),
      })),
    });
    groups.push({
      group: t('palette.clients'),
      actions: [...new Set((clients.data?.clients ?? []).map(({ email }) => email))].map((email) => ({
        id: `client-${email}`,
        label: email,
        onClick: go(clientPath(email)),
      })),
    });
  }
  return (
    <Spotlight
      actions={groups.filter(({ actions }) => actions.length > 0)}
      filter={(_, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      nothingFound={t('palette.nothing')}
      shortcut={null}
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
