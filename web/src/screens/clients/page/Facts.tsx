import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../../api/access';
import { type ClientDetails, type ClientInbound, inboundName } from '../../../model/clients';
import blocks from '../../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../../ui/display/format';
import { Section } from '../../../ui/display/Page';
import { useOtherZone } from '../../../ui/display/zone';
import { wireOf } from '../actions';
import { expiry, usage } from '../list/cells';
import classes from './ClientPage.module.css';

/** The terms and the counters of a client, for each of its inbounds. */
export function Facts({
  details,
  inbounds,
}: {
  readonly details: readonly ClientDetails[];
  readonly inbounds: readonly ClientInbound[];
}) {
  const { t } = useTranslation('clients');
  const may = useMay();
  return details.map((one) => {
    const inbound = inbounds.find(({ id }) => id === one.row.inboundId);
    const name = inbound ? inboundName(inbound) : `#${one.row.inboundId}`;
    return (
      <Section
        key={one.row.id}
        title={details.length > 1 ? t('termsOn', { inbound: name }) : t('terms')}
        actions={
          may('/panel/api/inbounds/overview') ? (
            <Anchor component={Link} to={`/inbounds/${one.row.inboundId}`} size="sm">
              <bdi>{name}</bdi>
            </Anchor>
          ) : (
            <Text size="sm" c="dimmed">
              <bdi>{name}</bdi>
            </Text>
          )
        }
      >
        <Terms details={one} />
      </Section>
    );
  });
}

function Terms({ details }: { readonly details: ClientDetails }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const { row } = details;
  const { tgId } = wireOf(details);
  const zones = useOtherZone();
  return (
    <dl className={blocks['facts']}>
      <Fact name={t('column.used')}>{usage(row, t, format)}</Fact>
      <Fact name={t('updown')}>
        <bdi className={classes['keep']}>↑ {format.bytes(row.up)}</bdi>{' '}
        <bdi className={classes['keep']}>↓ {format.bytes(row.down)}</bdi>
      </Fact>
      <Fact name={t('allTime')}>
        <bdi>{format.bytes(row.allTime)}</bdi>
      </Fact>
      <Fact name={t('column.expiry')}>
        {expiry(row, t, format)}
        {row.expiryTime > 0 && ` (${format.relative(row.expiryTime)})`}
        {row.expiryTime > 0 && zones && (
          <div className={classes['zone']}>
            {format.time(row.expiryTime)} <Technical>{zones.own}</Technical>
          </div>
        )}
      </Fact>
      <Fact name={t('form.reset')}>
        {row.reset === 0 ? t('never') : t('everyDays', { n: format.number(row.reset) })}
      </Fact>
      <Fact name={t('form.limitIp')}>{row.limitIp === 0 ? t('unlimited') : format.number(row.limitIp)}</Fact>
      <Fact name={t('column.seen')}>{row.lastOnline === 0 ? '–' : format.relative(row.lastOnline)}</Fact>
      <Fact name={t('column.created')}>{format.date(row.createdAt)}</Fact>
      {row.subId !== '' && (
        <Fact name={t('form.subId')}>
          <Technical>{row.subId}</Technical>
        </Fact>
      )}
      {tgId ? (
        <Fact name={t('form.tgId')}>
          <Technical>{String(tgId)}</Technical>
        </Fact>
      ) : null}
      {row.comment !== '' && (
        <Fact name={t('form.comment')} isWide>
          <bdi>{row.comment}</bdi>
        </Fact>
      )}
    </dl>
  );
}

function Fact({
  name,
  isWide = false,
  children,
}: {
  readonly name: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={isWide ? classes['wide'] : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
