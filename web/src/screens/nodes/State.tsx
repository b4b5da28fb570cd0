import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Node, NodeSync } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Status } from '../../ui/display/Status';
import classes from './Nodes.module.css';
import { stateOf, TONES, urlOf } from './state';

/** What the node is, in one sentence and its facts. */
export function State({ node, sync }: { readonly node: Node; readonly sync: NodeSync }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const word = stateOf(node);
  const why = node.lastError || sync.error || node.pendingReason;
  return (
    <>
      <Status tone={TONES[word]} isSentence>
        {t(`sentence.${word}`)}
      </Status>
      {why !== '' && word !== 'synced' && (
        <Text size="sm" mt={4} className={classes['result']}>
          {why}
        </Text>
      )}
      {sync.failingSince > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {t('failing', {
            since: format.relative(sync.failingSince * 1000),
            count: sync.tries,
            next: format.relative(sync.nextTryAt * 1000),
          })}
        </Text>
      )}
      {sync.coreRestartedAt > 0 && (
        <Text size="sm" c="dimmed" mt={4}>
          {t('restarted', {
            when: format.relative(sync.coreRestartedAt * 1000),
            names: sync.coreRestartedFor.clients.join(', ') || '–',
          })}
        </Text>
      )}
      <Facts node={node} sync={sync} />
    </>
  );
}

function Facts({ node, sync }: { readonly node: Node; readonly sync: NodeSync }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const isOnline = node.status === 'online';
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      t('fact.address'),
      <Anchor key="address" href={urlOf(node)} target="_blank" rel="noreferrer" size="sm">
        <Technical>{urlOf(node)}</Technical>
      </Anchor>,
    ],
    [t('column.latency'), isOnline ? t('ms', { value: format.number(node.latencyMs) }) : '–'],
    [t('fact.cpu'), isOnline ? format.percent(node.cpuPct / 100) : '–'],
    [t('fact.memory'), isOnline ? format.percent(node.memPct / 100) : '–'],
    [t('column.version'), <Technical key="version">{node.coreVersion || '–'}</Technical>],
    [t('fact.kind'), <Technical key="kind">{node.kind || '–'}</Technical>],
    [t('fact.uptime'), isOnline ? format.duration(node.uptimeSecs) : '–'],
    [t('fact.heard'), node.lastHeartbeat > 0 ? format.relative(node.lastHeartbeat * 1000) : '–'],
    [t('fact.listed'), sync.listedAt > 0 ? format.relative(sync.listedAt * 1000) : '–'],
    [t('fact.added'), format.date(node.createdAt * 1000)],
  ];
  return (
    <dl className={`${blocks['facts']} ${classes['facts']}`}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
