import { useTranslation } from 'react-i18next';
import type { ClientRow } from '../../../api/contract.generated';
import { type ClientState, usedBytes, usedShare } from '../../../model/clients';
import { useFormat } from '../../../ui/format';
import { Meter, Status, type Tone } from '../../../ui/Status';
import classes from '../Clients.module.css';

const TONES: Readonly<Record<ClientState, Tone>> = {
  active: 'good',
  expiring: 'warn',
  high: 'warn',
  depleted: 'bad',
  expired: 'bad',
  disabled: 'quiet',
};
const DAY_MS = 86_400_000;

export function ClientStatus({ row }: { readonly row: Pick<ClientRow, 'state'> }) {
  const { t } = useTranslation('clients');
  return <Status tone={TONES[row.state]}>{t(`state.${row.state}`)}</Status>;
}

/** What a client has used of its cap. */
export function Usage({ row }: { readonly row: Pick<ClientRow, 'up' | 'down' | 'total'> }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  return (
    <span className={classes['usage']}>
      <span className="number">
        <bdi>{format.bytes(usedBytes(row))}</bdi>{' '}
        <span className={classes['of']}>
          / <bdi>{row.total > 0 ? format.bytes(row.total) : t('unlimited')}</bdi>
        </span>
      </span>
      {row.total > 0 && <Meter share={usedShare(row)} />}
    </span>
  );
}

export function Expiry({ row: { expiryTime } }: { readonly row: Pick<ClientRow, 'expiryTime'> }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  if (expiryTime === 0) return t('never');
  return expiryTime < 0 ? t('afterFirstUse', { count: Math.round(-expiryTime / DAY_MS) }) : format.date(expiryTime);
}
