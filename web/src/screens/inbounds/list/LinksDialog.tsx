import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs';
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { Gets, InboundSummary } from '../../../api/contract.generated';
import { CopyButton, copy } from '../../../ui/display/CopyButton';
import { useFormat } from '../../../ui/display/format';
import { Loaded } from '../../../ui/display/Page';
import { Qr } from '../../../ui/display/Qr';
import { Dialog } from '../../../ui/feedback/Dialog';
import { toastDone, toastError } from '../../../ui/feedback/toast';
import { nameOf } from '../actions';
import classes from '../Inbounds.module.css';

const PATH = '/panel/api/clients/links';
type Entry = Gets[typeof PATH]['reply']['clients'][number];

/** Clients that each step of the list adds. */
const PAGE = 20;
/** Clients of one request when all links are copied: the most that the API takes. */
const ALL_PAGE = 500;

/** The share links of the clients of an inbound: searched, page by page, or all of them to the clipboard. */
export function LinksDialog({ inbound, onClose }: { readonly inbound: InboundSummary; readonly onClose: () => void }) {
  const { t } = useTranslation(['inbounds', 'shell']);
  const format = useFormat();
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search, 150);
  const query = useInfiniteQuery({
    queryKey: ['inbounds', 'links', inbound.id, wanted],
    queryFn: ({ pageParam, signal }) =>
      api.get(PATH, { query: { inbound: inbound.id, search: wanted, offset: pageParam, limit: PAGE }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ matched }, pages) => (pages.length * PAGE < matched ? pages.length * PAGE : undefined),
    placeholderData: keepPreviousData,
  });
  const clients = query.data?.pages.flatMap((page) => page.clients) ?? [];
  const matched = query.data?.pages[0]?.matched ?? 0;
  return (
    <Dialog onClose={onClose} size="lg" title={t('linksOf', { name: nameOf(inbound) })}>
      <Stack gap="md">
        <Group gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            flex={1}
            aria-label={t('searchClients')}
            placeholder={t('searchClients')}
            value={search}
            onChange={({ currentTarget: { value } }) => setSearch(value)}
          />
          <CopyAll inbound={inbound.id} search={wanted} isDisabled={matched === 0 || query.isPlaceholderData} />
        </Group>
        <Loaded query={query} rows={3}>
          {() => (
            <>
              {clients.length === 0 ? (
                <Text size="sm">{t('noClients')}</Text>
              ) : (
                <Text size="sm" c="dimmed" role="status">
                  {t('clientsShown', { shown: format.number(clients.length), all: format.number(matched) })}
                </Text>
              )}
              {clients.map((entry) => (
                <ClientLinks key={entry.id} entry={entry} />
              ))}
              {query.hasNextPage && (
                <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t('moreClients')}
                </Button>
              )}
            </>
          )}
        </Loaded>
      </Stack>
    </Dialog>
  );
}

interface CopyAllProps {
  readonly inbound: number;
  readonly search: string;
  readonly isDisabled: boolean;
}

/** Copies the links of all clients that match, one link in each line. */
function CopyAll({ inbound, search, isDisabled }: CopyAllProps) {
  const { t } = useTranslation('inbounds');
  const format = useFormat();
  const copying = useMutation({
    async mutationFn() {
      const links = await allLinks(inbound, search);
      await copy(links.join('\n'));
      return links.length;
    },
    onSuccess: (count) => toastDone(t('linksCopied', { count, number: format.number(count) })),
    onError: toastError,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconCopy size={16} />}
      disabled={isDisabled}
      loading={copying.isPending}
      onClick={() => copying.mutate()}
    >
      {t('copyAll')}
    </Button>
  );
}

async function allLinks(inbound: number, search: string): Promise<readonly string[]> {
  const links: string[] = [];
  for (let offset = 0; ; offset += ALL_PAGE) {
    const { clients, matched } = await api.get(PATH, { query: { inbound, search, offset, limit: ALL_PAGE } });
    links.push(...clients.flatMap((client) => client.links));
    if (clients.length === 0 || offset + ALL_PAGE >= matched) return links;
  }
}

function ClientLinks({ entry: { email, links } }: { readonly entry: Entry }) {
  const { t } = useTranslation('inbounds');
  return (
    <div>
      <Text size="sm" fw={600} component="h3">
        <bdi>{email}</bdi>
      </Text>
      {links.map((link, index) => (
        <div key={link} className={classes['linkRow']}>
          <details>
            <summary>
              <code dir="ltr">{link}</code>
            </summary>
            <Qr text={link} label={t('qrOf', { name: email })} className={classes['qr']} />
          </details>
          <CopyButton text={link} label={t('copyLinkOf', { name: email, n: index + 1 })} />
        </div>
      ))}
    </div>
  );
}
