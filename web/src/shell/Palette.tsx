import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/spotlight/styles.css';
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { inbounds } from '../api/queries';
import { screens } from '../screens/registry';
import { OPEN_PALETTE } from './shortcuts';

/** Matches of each kind. */
const MOST = 6;

/** Ctrl+K: goes to a screen, a client or an inbound. What is known of clients and inbounds is what was loaded already. */
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
    const emails: string[] = [];
    for (const { clientStats } of known)
      for (const { email } of clientStats)
        if (emails.length < MOST && !emails.includes(email) && email.toLowerCase().includes(wanted)) emails.push(email);
    groups.push({
      group: t('palette.clients'),
      actions: emails.map((email) => ({
        id: `client-${email}`,
        label: email,
        onClick: go(`/clients?search=${encodeURIComponent(email)}`),
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
