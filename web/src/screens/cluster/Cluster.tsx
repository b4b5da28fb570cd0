// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Text } from '@mantine/core';
import IconArrowsExchange from '@tabler/icons-react/dist/esm/icons/IconArrowsExchange.mjs';
import IconShieldCheck from '@tabler/icons-react/dist/esm/icons/IconShieldCheck.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import type { ClusterMember, ClusterState } from '../../api/contract.generated';
import { clusterMembers, clusterState } from '../../api/queries';
import blocks from '../../ui/display/Blocks.module.css';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded, Page, Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { useClusterActions } from './actions';
import classes from './Cluster.module.css';
import { healthOf, namesIn, TONES } from './health';
import { Past, Servers } from './lists';
import { Members } from './Members';
import { Waiting } from './Waiting';

/** `#/cluster`: the machines that share the log of this panel. */
export function Cluster() {
  const { t } = useTranslation('cluster');
  const state = useQuery(clusterState);
  const members = useQuery({ ...clusterMembers, enabled: state.data?.enabled === true });
  return (
    <Page
      title={t('title')}
      summary={t('summary')}
      actions={state.data?.enabled && <Actions members={members.data ?? []} state={state.data} />}
    >
      <Loaded query={state} rows={6}>
        {(known) =>
          known.enabled ? (
            <Loaded query={members} rows={6}>
              {(all) => <Body state={known} members={all} />}
            </Loaded>
          ) : (
            <Alone />
          )
        }
      </Loaded>
    </Page>
  );
}

interface Known {
  readonly state: ClusterState;
  readonly members: readonly ClusterMember[];
}

function Actions({ state, members }: Known) {
  const { t } = useTranslation('cluster');
  const may = useMay();
  const { verifying, handOver } = useClusterActions();
  const isPossible = members.some((member) => member.state === 'running' && member.role === 'follower');
  return (
    <>
      {may('/panel/api/cluster/verify') && (
        <Button
          variant="default"
          leftSection={<IconShieldCheck size={16} />}
          loading={verifying.isPending}
          onClick={() => verifying.mutate()}
        >
          {t('verify')}
        </Button>
      )}
      {may('/panel/api/cluster/stepDown') && (
        <Button
          variant="default"
          leftSection={<IconArrowsExchange size={16} />}
          disabled={!isPossible || state.leader === ''}
          onClick={() => handOver(state.leader)}
        >
          {t('handOver')}
        </Button>
      )}
    </>
  );
}

function Body({ state, members }: Known) {
  const { t } = useTranslation('cluster');
  const may = useMay();
  return (
    <>
      <Health state={state} members={members} />
      {may('/panel/api/cluster/requests') && <Waiting />}
      <Members members={members} />
      <div className={blocks['columns']}>
        <Section title={t('servers')}>
          <Servers state={state} />
        </Section>
        <Section title={t('past')}>
          <Past state={state} />
        </Section>
      </div>
    </>
  );
}

/** One sentence on how the cluster is, and what to do when it is not well. */
function Health({ state, members }: Known) {
  const { t } = useTranslation('cluster');
  const format = useFormat();
  const health = healthOf(state, members);
  const names = namesIn(health, state, members);
  const running = members.filter((member) => member.state === 'running').length;
  const sentence = t(`health.${health}`, {
    ...{ leader: state.leader, n: running, names: names.join(', '), count: names.length },
    when: format.relative(state.awayAt),
  });
  const tone = TONES[health];
  const help = health === 'well' || health === 'single' ? '' : t(`help.${health}`);
  const why = health === 'damaged' ? t(`fault.${state.fault || 'missing'}`) : '';
  return (
    <section className={classes['health']} data-tone={tone} aria-label={t('health')}>
      <Status tone={tone} isSentence>
        <span className={classes['sentence']}>{sentence}</span>
      </Status>
      {why !== '' && <Text size="sm">{why}</Text>}
      {help !== '' && (
        <Text size="sm" c="dimmed">
          {help}
        </Text>
      )}
      {health === 'damaged' && <Command text={'portolan cluster verify\nportolan cluster rebuild'} />}
    </section>
  );
}

/** A panel without a cluster: what one is, and how to begin. */
function Alone() {
  const { t } = useTranslation('cluster');
  return (
    <Section title={t('alone')}>
      <p className={classes['about']}>{t('alone.what')}</p>
      <p className={classes['about']}>{t('alone.needs')}</p>
      <Text size="sm" fw={600} mb="xs">
        {t('alone.begin')}
      </Text>
      <Command text={BEGIN} />
      <p className={classes['about']}>
        {t('alone.then')} <Technical>docs/cluster.md</Technical>
      </p>
    </Section>
  );
}

const BEGIN = `export PORTOLAN_CLUSTER_URL=tls://nats-1:4222,nats-2:4222,nats-3:4222
portolan cluster init
PORTOLAN_CLUSTER_NAME=one portolan serve`;

function Command({ text }: { readonly text: string }) {
  const { t } = useTranslation('cluster');
  return (
    <div className={classes['command']}>
      <pre className={classes['code']} dir="ltr" tabIndex={0} aria-label={t('commands')}>
        {text}
      </pre>
      <CopyButton text={text} label={t('copy')} />
    </div>
  );
}
