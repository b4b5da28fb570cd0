import { Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import type { ClientDetails } from '../../../model/clients';
import { Technical, useFormat } from '../../../ui/display/format';
import { Section } from '../../../ui/display/Page';
import { useAction } from '../../../ui/feedback/action';
import { confirmLoss } from '../../../ui/feedback/confirm';
import { STALE } from '../actions';
import classes from './ClientPage.module.css';

const SHOWN = 20;

/** Addresses that the client connected from, the newest first. */
export function Addresses({ email, addresses }: { readonly email: string } & Pick<ClientDetails, 'addresses'>) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const may = useMay();
  const clear = useAction({
    stale: STALE,
    run: () => api.post('/panel/api/inbounds/clearClientIps/:email', { params: { email } }),
  });
  const ask = (): void =>
    confirmLoss({
      title: t('addresses.clear'),
      body: t('addresses.clearBody', { email }),
      action: t('addresses.clear'),
      run: () => clear.mutate(),
    });
  return (
    <Section
      title={t('addresses')}
      actions={
        addresses.length > 0 &&
        may('/panel/api/inbounds/clearClientIps/:email') && (
          <Button size="compact-sm" variant="default" loading={clear.isPending} onClick={ask}>
            {t('addresses.clear')}
          </Button>
        )
      }
    >
      {addresses.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('addresses.none')}
        </Text>
      ) : (
        <ul className={classes['rows']}>
          {addresses.slice(0, SHOWN).map(({ ip, at }) => (
            <li key={ip}>
              <Technical>{ip}</Technical>
              <time dateTime={new Date(at).toISOString()} className={classes['when']} title={format.dateTime(at)}>
                {format.relative(at)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
