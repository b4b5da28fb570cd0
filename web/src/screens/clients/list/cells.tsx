import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import type { ClientRow } from '../../../api/contract.generated';
import { type ClientState, statesOf, usedBytes, usedShare } from '../../../model/clients';
import type { Format } from '../../../ui/display/format';
import { Meter, Status, type Tone } from '../../../ui/display/Status';
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

/*
 * These are functions and not components with hooks: a scroll draws hundreds of them in a second, and a hook in each
 * would cost more than the elements.
 */

type T = TFunction<'clients'>;

export function clientStatus(row: Parameters<typeof statesOf>[0], t: T): ReactNode {
  const text = statesOf(row, Date.now())
    .map((state) => t(`state.${state}`))
    .join(' · ');
  return (
    <Status tone={TONES[row.state]}>
      <span title={text}>{text}</span>
    </Status>
  );
}

/** What a client has used of its cap. */
export function usage(row: Pick<ClientRow, 'up' | 'down' | 'total'>, t: T, format: Format): ReactNode {
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

export function expiry({ expiryTime }: Pick<ClientRow, 'expiryTime'>, t: T, format: Format): ReactNode {
  if (expiryTime === 0) return t('never');
  return expiryTime < 0 ? t('afterFirstUse', { count: Math.round(-expiryTime / DAY_MS) }) : format.date(expiryTime);
}
