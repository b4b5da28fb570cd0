import { Modal, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { pageSettings } from '../../api/queries';
import type { ClientRow } from '../../model/clients';
import { CopyButton } from '../../ui/CopyButton';
import { Problem } from '../../ui/Page';
import { Qr } from '../../ui/Qr';
import classes from './Clients.module.css';

/** The subscription and the links of a client, each with a QR code. */
export function LinksDialog({ client, onClose }: { readonly client: ClientRow; readonly onClose: () => void }) {
  const { t } = useTranslation(['clients', 'shell']);
  const { inbound, email, stats } = client;
  const settings = useQuery(pageSettings);
  const query = useQuery({
    queryKey: ['inbounds', 'links', inbound.id, email],
    queryFn: ({ signal }) =>
      api.get('/panel/api/inbounds/getClientLinks/:id/:email', { params: { id: inbound.id, email }, signal }),
  });
  const subscription = settings.data?.subEnable && stats.subId !== '' ? settings.data.subURI + stats.subId : null;
  const entries = [
    ...(subscription === null ? [] : [{ name: t('subscription'), link: subscription }]),
    ...(query.data ?? []).map((link) => ({ name: link.split(':', 1)[0] ?? '', link })),
  ];
  const [chosen, setChosen] = useState('0');
  const entry = entries[Number(chosen)];
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('linksOf', { email })}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={280} />}
      {query.data && entries.length === 0 && <Text size="sm">{t('noLinks')}</Text>}
      {query.data && entry && (
        <div className={classes['links']}>
          {entries.length > 1 && (
            <SegmentedControl
              fullWidth
              size="xs"
              value={chosen}
              onChange={setChosen}
              data={entries.map(({ name }, index) => ({ value: String(index), label: name }))}
            />
          )}
          <div className={classes['qr']}>
            <Qr text={entry.link} label={t('qrOf', { name: entry.name })} />
          </div>
          <div className={classes['link']}>
            <code dir="ltr" title={entry.link}>
              {entry.link}
            </code>
            <CopyButton text={entry.link} label={t('copyLink', { name: entry.name })} />
          </div>
        </div>
      )}
    </Modal>
  );
}
