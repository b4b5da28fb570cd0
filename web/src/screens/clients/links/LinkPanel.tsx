import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientRow } from '../../../api/contract.generated';
import { type ClientInbound, inboundName } from '../../../model/clients';
import { Loaded, Section } from '../../../ui/display/Page';
import { SegmentedControl } from '../../../ui/form/SegmentedControl';
import pageClasses from '../page/ClientPage.module.css';
import { LinkBox, LinkWithQr } from './LinkBox';
import { named, useClientLinks, useSubscription } from './links';
import { Profiles } from './Profiles';

interface Props {
  readonly rows: readonly ClientRow[];
  readonly inbounds: readonly ClientInbound[];
}

/** The subscription with its QR code, and the links of each inbound. */
export function LinkPanel({ rows, inbounds }: Props) {
  const { t } = useTranslation('clients');
  const [first] = rows;
  const subscription = useSubscription({ subId: first?.subId ?? '' });
  const [chosen, setChosen] = useState(0);
  const entry = subscription[chosen] ?? subscription[0];
  if (!first) return null;
  return (
    <Section title={t('linksTitle')}>
      {subscription.length > 1 && (
        <SegmentedControl
          fullWidth
          size="xs"
          mb="md"
          aria-label={t('subscription')}
          value={String(chosen)}
          onChange={(value) => setChosen(Number(value))}
          data={subscription.map(({ name }, index) => ({ value: String(index), label: name }))}
        />
      )}
      {entry ? (
        <LinkBox entry={entry} email={first.email} />
      ) : (
        <Text size="sm" c="dimmed">
          {t('noSubscription')}
        </Text>
      )}
      {rows.map((row) => (
        <InboundLinks key={row.id} row={row} inbound={inbounds.find(({ id }) => id === row.inboundId)} />
      ))}
    </Section>
  );
}

function InboundLinks({ row, inbound }: { readonly row: ClientRow; readonly inbound: ClientInbound | undefined }) {
  const { t } = useTranslation('clients');
  const query = useClientLinks(row);
  return (
    <div className={pageClasses['linkGroup']}>
      <Text size="xs" c="dimmed" component="h3">
        <bdi>{inbound ? inboundName(inbound) : `#${row.inboundId}`}</bdi>
      </Text>
      <Loaded query={query} rows={1}>
        {(links) =>
          links.length === 0 ? (
            <Text size="sm">{t('noLinks')}</Text>
          ) : (
            <>
              {links.map((link, index) => (
                <LinkWithQr key={link} entry={named(link, index)} />
              ))}
              <Profiles client={row} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}
