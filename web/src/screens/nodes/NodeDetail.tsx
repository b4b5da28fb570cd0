import { Button, Menu, SimpleGrid } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconPlugConnected from '@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Node } from '../../api/contract.generated';
import { moment } from '../../api/moment';
import { nodes as nodesQuery } from '../../api/queries';
import { AuditItem } from '../../ui/display/AuditLink';
import { NotFound } from '../../ui/display/NotFound';
import { Loaded, Page, Section } from '../../ui/display/Page';
import { useNodeActions } from './actions';
import { Foreign, Hosted, Waiting } from './lists';
import { NodeCharts } from './NodeCharts';
import { NodeForm } from './NodeForm';
import { State } from './State';

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
      back={{ to: '/nodes', label: t('title') }}
      summary={node?.remark ? <bdi>{node.remark}</bdi> : undefined}
      actions={node && moment === null && <Actions node={node} onEdit={() => setEditing(true)} />}
    >
      <Loaded query={query}>{() => node && <Body key={node.id} node={node} />}</Loaded>
      {node && isEditing && <NodeForm node={node} onClose={() => setEditing(false)} />}
    </Page>
  );
}

function Actions({ node, onEdit }: { readonly node: Node; readonly onEdit: () => void }) {
  const { t } = useTranslation('nodes');
  const navigate = useNavigate();
  const may = useMay();
  const { switching, probing, remove } = useNodeActions(() => void navigate('/nodes'));
  return (
    <>
      {may('/panel/api/nodes/probe/:id') && (
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          loading={probing.isPending}
          onClick={() => probing.mutate(node)}
        >
          {t('check')}
        </Button>
      )}
      {may('/panel/api/nodes/update/:id') && (
        <Button variant="default" leftSection={<IconPencil size={16} />} onClick={onEdit}>
          {t('edit')}
        </Button>
      )}
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            {t('more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {may('/panel/api/nodes/setEnable/:id') && (
            <Menu.Item
              leftSection={node.enable ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
              onClick={() => switching.mutate({ node, on: !node.enable })}
            >
              {t(node.enable ? 'pause' : 'resume')}
            </Menu.Item>
          )}
          <AuditItem node={node.id} />
          {may('/panel/api/nodes/del/:id') && (
            <>
              {' '}
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(node)}>
                {t('delete')}
              </Menu.Item>
            </>
          )}
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
    // Measurements of an earlier moment are not kept.
    enabled: moment === null,
  });
  return (
    <>
      {moment === null && (
        <>
          <Loaded query={sync} rows={3}>
            {(data) => (
              <>
                <Section title={t('section.state')}>
                  <State node={node} sync={data} />
                </Section>
                <Section title={t('section.waiting')}>
                  <Waiting node={node} sync={data} />
                </Section>
              </>
            )}
          </Loaded>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
            <NodeCharts node={node} />
          </SimpleGrid>
        </>
      )}
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
