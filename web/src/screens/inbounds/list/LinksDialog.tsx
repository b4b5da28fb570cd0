import { Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { InboundSummary } from '../../../api/contract.generated';
import { clientPage } from '../../../api/queries';
import { CopyButton } from '../../../ui/display/CopyButton';
import { Loaded } from '../../../ui/display/Page';
import { Qr } from '../../../ui/display/Qr';
import { Dialog } from '../../../ui/feedback/Dialog';
import { nameOf } from '../actions';
import classes from '../Inbounds.module.css';

/** Clients for which links are shown at once; the search finds the others. */
const MOST = 10;

/** The share links of the clients of an inbound. */
export function LinksDialog({ inbound, onClose }: { readonly inbound: InboundSummary; readonly onClose: () => void }) {
  const { t } = useTranslation(['inbounds', 'shell']);
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search, 150);
  const query = useQuery({
    ...clientPage({ inbound: inbound.id, search: wanted, limit: MOST }),
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
  return (
    <Dialog onClose={onClose} size="lg" title={t('linksOf', { name: nameOf(inbound) })}>
      <Stack gap="md">
        <TextInput
          type="search"
          aria-label={t('searchClients')}
          placeholder={t('searchClients')}
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
        />
        <Loaded query={query} rows={3}>
          {({ clients, matched }) => (
            <>
              {clients.length === 0 && <Text size="sm">{t('noClients')}</Text>}
              {clients.map(({ id, email }) => (
                <ClientLinks key={id} inbound={inbound.id} email={email} />
              ))}
              {matched > clients.length && (
                <Text size="sm" c="dimmed">
                  {t('moreClients', { n: matched - clients.length })}
                </Text>
              )}
            </>
          )}
        </Loaded>
      </Stack>
    </Dialog>
  );
}

function ClientLinks({ inbound, email }: { readonly inbound: number; readonly email: string }) {
  const { t } = useTranslation('inbounds');
  const query = useQuery({
    queryKey: ['inbounds', 'links', inbound, email],
    queryFn: ({ signal }) =>
      api.get('/panel/api/inbounds/getClientLinks/:id/:email', { params: { id: inbound, email }, signal }),
  });
  return (
    <div>
      <Text size="sm" fw={600} component="h3">
        <bdi>{email}</bdi>
      </Text>
      <Loaded query={query} rows={1}>
        {(links) =>
          links.map((link, index) => (
            <details key={link} className={classes['linkRow']}>
              <summary>
                <span className={classes['link']}>
                  <code dir="ltr">{link}</code>
                  <CopyButton text={link} label={t('copyLinkOf', { name: email, n: index + 1 })} />
                </span>
              </summary>
              <Qr text={link} label={t('qrOf', { name: email })} className={classes['qr']} />
            </details>
          ))
        }
      </Loaded>
    </div>
  );
}
