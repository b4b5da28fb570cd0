import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { InboundSummary } from '../../../api/contract.generated';
import { Technical, useFormat } from '../../../ui/display/format';
import { Meter, Status } from '../../../ui/display/Status';
import { nameOf } from '../actions';
import classes from '../Inbounds.module.css';

interface Cell {
  readonly inbound: InboundSummary;
}

export function Name({ inbound }: Cell) {
  const name = nameOf(inbound);
  return (
    <Anchor component={Link} to={`/inbounds/${inbound.id}`} size="sm" fw={600} className="clip" title={name}>
      <bdi>{name}</bdi>
    </Anchor>
  );
}

/** Protocol, transport and security. */
export function Kind({ inbound: { protocol, network, security } }: Cell) {
  // Hysteria is a protocol and its own transport.
  const transport = network === 'hysteria' ? '' : network;
  const parts = [protocol, transport, security === 'none' ? '' : security].filter((part) => part !== '');
  return (
    <span className={classes['tags']} dir="ltr">
      {[...new Set(parts)].map((part) => (
        <span key={part} className={classes['tag']}>
          {part}
        </span>
      ))}
    </span>
  );
}

export function Place({ inbound: { listen, port } }: Cell) {
  const isSocket = /^[/@]/.test(listen);
  const title = isSocket || listen === '' ? listen || String(port) : `${listen}:${port}`;
  // The port first: a long address is cut off.
  return (
    <span className="clip" title={title}>
      <Technical>
        {isSocket ? listen : port}
        {!isSocket && listen !== '' && <span className={classes['of']}> · {listen}</span>}
      </Technical>
    </span>
  );
}

export function Usage({ inbound: { up, down, total } }: Cell) {
  const format = useFormat();
  return (
    <span className={classes['usage']} title={`↑ ${format.bytes(up)}  ↓ ${format.bytes(down)}`}>
      <span className="number">
        <bdi>{format.bytes(up + down)}</bdi>
        {total > 0 && (
          <span className={classes['of']}>
            {' / '}
            <bdi>{format.bytes(total)}</bdi>
          </span>
        )}
      </span>
      {total > 0 && <Meter share={(up + down) / total} />}
    </span>
  );
}

/** How many clients it has, and how many of them are connected. */
export function Clients({ inbound: { clients, online } }: Cell) {
  const { t } = useTranslation('inbounds');
  const format = useFormat();
  return (
    <span className="number">
      {format.number(clients)}
      {online > 0 && <span className={classes['of']}> · {t('online', { n: format.number(online) })}</span>}
    </span>
  );
}

/** Why an enabled inbound accepts no client; nothing for one that does. */
export function Closed({ inbound: { enabled, closedBy } }: Cell) {
  const { t } = useTranslation('inbounds');
  if (!enabled || closedBy === '') return null;
  return <Status tone="bad">{t(`closed.${closedBy}`)}</Status>;
}
