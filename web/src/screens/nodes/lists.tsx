import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Node, NodeSync } from '../../api/contract.generated';
import { inbounds as inboundsQuery } from '../../api/queries';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import classes from './Nodes.module.css';

/** Why the node is behind: each inbound with what waits for it, and the reason. */
export function Waiting({ node, sync }: { readonly node: Node; readonly sync: NodeSync }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  if (sync.pending.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t(node.kind === '' ? 'waiting.unknown' : 'waiting.none')}
      </Text>
    );
  return (
    <ul className={`${blocks['list']} ${classes['list']}`}>
      {sync.pending.map(({ inboundId, tag, deleted, lag, reason, since, retryAt }) => (
        <li key={`${inboundId}-${tag}`}>
          <span>
            {deleted ? (
              <Technical>{tag}</Technical>
            ) : (
              <Anchor component={Link} to={`/inbounds/${inboundId}`} size="sm">
                <Technical>{tag}</Technical>
              </Anchor>
            )}
          </span>
          <Status tone={reason === '' ? 'quiet' : 'warn'}>
            {deleted ? t('waiting.deletion') : t('waiting.changes', { count: lag })}
          </Status>
          {reason !== '' && (
            <span className={classes['why']}>
              {reason}{' '}
              {t('waiting.refused', {
                since: format.relative(since * 1000),
                next: format.relative(retryAt * 1000),
              })}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The inbounds that this panel runs on the node. */
export function Hosted({ node }: { readonly node: Node }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const query = useQuery(inboundsQuery);
  return (
    <Loaded query={query} rows={2}>
      {(all) => {
        const own = all.filter(({ nodeId }) => nodeId === node.id);
        if (own.length === 0)
          return (
            <Text size="sm" c="dimmed">
              {t('inbounds.none')}
            </Text>
          );
        return (
          <ul className={`${blocks['list']} ${classes['list']}`}>
            {own.map(({ id, remark, protocol, port, clients, up, down, enable }) => (
              <li key={id}>
                <span>
                  <Anchor component={Link} to={`/inbounds/${id}`} size="sm" fw={600}>
                    <bdi>{remark || `#${id}`}</bdi>
                  </Anchor>{' '}
                  <Technical>
                    {protocol} · {port}
                  </Technical>
                </span>
                {!enable && <Status tone="quiet">{t('inbounds.disabled')}</Status>}
                <Anchor component={Link} to={`/clients?inbound=${id}`} size="sm">
                  {t('clientCount', { count: clients })}
                </Anchor>
                <span className="number">{format.bytes(up + down)}</span>
              </li>
            ))}
          </ul>
        );
      }}
    </Loaded>
  );
}

/** What only the node has: it is listed, and never taken over. */
export function Foreign({ sync: { unmanaged, listedAt } }: { readonly sync: NodeSync }) {
  const { t } = useTranslation('nodes');
  const { inbounds, clients, omitted } = unmanaged;
  if (inbounds.length + clients.length + omitted === 0)
    return (
      <Text size="sm" c="dimmed">
        {t(listedAt > 0 ? 'foreign.none' : 'foreign.unknown')}
      </Text>
    );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t('foreign.help')}
      </Text>
      <ul className={`${blocks['list']} ${classes['list']}`}>
        {inbounds.map((tag) => (
          <li key={`inbound-${tag}`}>
            <Technical>{tag}</Technical>
            <span>{t('foreign.inbound')}</span>
          </li>
        ))}
        {clients.map(({ inbound, email }) => (
          <li key={`client-${inbound}-${email}`}>
            <bdi>{email}</bdi>
            <span>
              {t('foreign.client')} <Technical>{inbound}</Technical>
            </span>
          </li>
        ))}
        {omitted > 0 && <li>{t('foreign.more', { count: omitted })}</li>}
      </ul>
    </>
  );
}
