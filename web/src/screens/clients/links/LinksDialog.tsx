import { Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRow } from '../../../api/contract.generated';
import { Problem } from '../../../ui/display/Page';
import { Dialog } from '../../../ui/feedback/Dialog';
import { SegmentedControl } from '../../../ui/form/SegmentedControl';
import classes from '../Clients.module.css';
import { LinkBox } from './LinkBox';
import { named, useClientLinks, useSubscription } from './links';

/** The subscription and the links of a client, each with a QR code. */
export function LinksDialog({ client, onClose }: { readonly client: ClientRow; readonly onClose: () => void }) {
  const { t } = useTranslation(['clients', 'shell']);
  const query = useClientLinks(client);
  const subscription = useSubscription(client);
  const entries = [...subscription, ...(query.data ?? []).map(named)];
  const [chosen, setChosen] = useState('0');
  const entry = entries[Number(chosen)];
  return (
    <Dialog onClose={onClose} title={t('linksOf', { email: client.email })}>
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
          <LinkBox entry={entry} email={client.email} />
        </div>
      )}
    </Dialog>
  );
}
