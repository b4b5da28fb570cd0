import { Anchor, Button, Menu, Paper, SimpleGrid, Text } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconPlugConnected from '@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { api } from '../../api/client';
import type { Node, NodeSync } from '../../api/contract.generated';
import { nodes as nodesQuery } from '../../api/queries';
import { NotFound } from '../../shell/Screens';
import { AuditItem } from '../../ui/AuditLink';
import { Technical, useFormat } from '../../ui/format';
import { Loaded, Page } from '../../ui/Page';
import { Status } from '../../ui/Status';
import { useNodeActions } from './actions';
import { Foreign, Hosted, Waiting } from './lists';
import { NodeCharts } from './NodeCharts';
import { NodeForm } from './NodeForm';
import classes from './Nodes.module.css';
import { stateOf, TONES, urlOf } from './state';

/** While one looks at a node, its state is as fresh as its last probe. */
const FRESH_MS = 5_000;

/** `#/nodes/:id`: one node. */
export function NodeDetail() {
  const { id } = useParams();
  const { t } = useTranslation('nodes');
  const query = useQuery({ ...nodesQuery, refetchInterval: FRESH_MS });
  const node = query.data?.find((one) => String(one.id) === id);
  const [isEditing, setEditing] = useState(false);
  if (query.data && !node) return <NotFound />;
  return (
    <Page
      title={node?.name ?? t('title')}
      summary={node?.remark ? <bdi>{node.remark}</bdi> : undefined}
      actions={node && <Actions node={node} onEdit={() => setEditing(true)} />}
    >
      <Loaded query={query}>{() => node && <Body key={node.id} node={node} />}</Loaded>
      {node && isEditing && <NodeForm node={node} onClose={() => setEditing(false)} />}
    </Page>
  );
}

function Actions({ node, onEdit }: { readonly node: Node; readonly onEdit: () => void }) {
  const { t } = useTranslation('nodes');
  const navigate = useNavigate();
  const { switching, probing, remove } = useNodeActions(() => void navigate('/nodes'));
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} />}
        loading={probing.isPending}
        onClick={() => probing.mutate(node)}
      >
        {t('check')}
      </Button>
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={onEdit}>
        {t('edit')}
      </Button>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            {t('more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={node.enable ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
            onClick={() => switching.mutate({ node, on: !node.enable })}
          >
            {t(node.enable ? 'pause' : 'resume')}
          </Menu.Item>
          <AuditItem node={node.id} />
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(node)}>
            {t('delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function Body({ node }: { readonly node: Node }) {
  const { t } = useTranslation('nodes');
  const sync = useQuery({
    queryKey: ['nodes', 'sync', node.id],
    queryFn: ({ signal }) => api.get('/panel/api/nodes/:id/sync', { params: { id: node.id }, signal }),
    refetchInterval: FRESH_MS,
  });
  return (
    <>
      <Loaded query={sync} rows={3}>
        {(data) => (
          <>
            <Section title={t('section.state')}>
              <State node={node} sync={data} />
            </Section>
            <Section title={t('section.waiting')}>
              <Waiting sync={data} />
            </Section>
          </>
        )}
      </Loaded>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        <NodeCharts id={node.id} />
      </SimpleGrid>
      <Section title={t('section.inbounds')}>
        <Hosted node={node} />
      </Section>
      {sync.data && (
        <Section title={t('section.foreign')}>
          <Foreign sync={sync.data} />
        </Section>
      )}
    </>
  );
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper p="md" component="section" className={classes['panel']}>
      <Text component="h2" fw={600} size="sm" mb="sm">
        {title}
      </Text>
      {children}
    </Paper>
  );
}

/** What the node is, in one sentence and its facts. */
function State({ node, sync }: { readonly node: Node; readonly sync: NodeSync }) {
  const { t } = useTranslation('nodes');
  const format = useFormat();
  const word = stateOf(node);
  const why = node.lastError || sync.error || node.pendingReason;
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
    <>
      <Status tone={TONES[word]}>{t(`sentence.${word}`)}</Status>
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
      <dl className={classes['facts']}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
