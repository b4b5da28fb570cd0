import { Button, Menu } from '@mantine/core';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconResume from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import IconSend from '@tabler/icons-react/dist/esm/icons/IconSend.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { ApiError, api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import rows from '../../ui/display/Rows.module.css';
import { Status, type Tone } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { toastDone, toastError } from '../../ui/feedback/toast';
import { useRowMenu } from '../../ui/table/RowMenu';
import { STALE, type Webhook } from './queries';
import classes from './Webhooks.module.css';

/** What is open over the list. */
export type Opened = {
  readonly part: 'edit' | 'replay' | 'rotate' | 'letters';
  readonly webhook: Webhook;
} | null;

interface Props {
  readonly webhooks: readonly Webhook[];
  readonly onOpen: (opened: Opened) => void;
}

/** Each webhook with the state of its deliveries, and the menu of its actions. */
export function WebhookList({ webhooks, onOpen }: Props) {
  const { t } = useTranslation('webhooks');
  const [menuButton, menu] = useRowMenu<Webhook>(
    ({ name }) => t('actionsFor', { name }),
    (webhook) => <Items webhook={webhook} onOpen={onOpen} />,
  );
  const actions = useWebhookActions();
  return (
    <>
      <ul className={blocks['list']} aria-label={t('list')}>
        {webhooks.map((webhook) => (
          <li key={webhook.id} className={rows['row']}>
            <About webhook={webhook} onLetters={() => onOpen({ part: 'letters', webhook })} />
            {actions.some && menuButton(webhook)}
          </li>
        ))}
      </ul>
      {menu}
    </>
  );
}

/** The actions that the role includes. */
function useWebhookActions() {
  const may = useMay();
  const change = may('/panel/api/webhooks/update/:id');
  const run = may('/panel/api/webhooks/test/:id');
  const remove = may('/panel/api/webhooks/del/:id');
  return { change, run, remove, some: change || run || remove };
}

function Items({ webhook, onOpen }: { readonly webhook: Webhook } & Pick<Props, 'onOpen'>) {
  const { t } = useTranslation('webhooks');
  const { change, run, remove } = useWebhookActions();
  const { id, name } = webhook;
  const params = { id };
  const pause = () => api.post('/panel/api/webhooks/pause/:id', { params });
  const resume = () => api.post('/panel/api/webhooks/resume/:id', { params });
  const isPaused = webhook.paused !== '';
  const pausing = useAction({ stale: STALE, run: isPaused ? resume : pause, undo: isPaused ? pause : resume });
  const deleting = useAction({ stale: STALE, run: () => api.post('/panel/api/webhooks/del/:id', { params }) });
  const ask = (): void =>
    confirmLoss({
      title: t('remove.title', { name }),
      body: t('remove.body'),
      action: t('remove'),
      run: () => deleting.mutate(),
    });
  return (
    <>
      {change && (
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onOpen({ part: 'edit', webhook })}>
          {t('edit')}
        </Menu.Item>
      )}
      {run && (
        <Menu.Item leftSection={<IconSend size={16} />} onClick={() => void sendTest(id, t)}>
          {t('test')}
        </Menu.Item>
      )}
      {change && (
        <Menu.Item
          leftSection={isPaused ? <IconResume size={16} /> : <IconPause size={16} />}
          onClick={() => pausing.mutate()}
        >
          {t(isPaused ? 'resume' : 'pause')}
        </Menu.Item>
      )}
      {run && (
        <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => onOpen({ part: 'replay', webhook })}>
          {t('replay')}
        </Menu.Item>
      )}
      {change && (
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onOpen({ part: 'rotate', webhook })}>
          {t('rotate')}
        </Menu.Item>
      )}
      {remove && (
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={ask}>
          {t('remove')}
        </Menu.Item>
      )}
    </>
  );
}

type Translate = ReturnType<typeof useTranslation<'webhooks'>>['t'];

/** Sends a test and shows what the receiver answered. */
async function sendTest(id: number, t: Translate): Promise<void> {
  try {
    const { obj } = await api.post('/panel/api/webhooks/test/:id', { params: { id } });
    if (obj.accepted) toastDone(t('test.accepted', { status: obj.status, ms: obj.ms }));
    else toastError(new ApiError(t('test.refused', { why: obj.problem }), obj.problemCode ?? '', obj.status));
  } catch (error) {
    toastError(error);
  }
}

function stateOf({ paused, status }: Webhook): readonly [Tone, 'paused' | 'gone' | 'failing' | 'behind' | 'works'] {
  if (paused === 'gone') return ['bad', 'gone'];
  if (paused === 'admin') return ['quiet', 'paused'];
  if (status.failingSince > 0) return ['bad', 'failing'];
  return status.lag > 0 ? ['warn', 'behind'] : ['good', 'works'];
}

function About({ webhook, onLetters }: { readonly webhook: Webhook; readonly onLetters: () => void }) {
  const { t } = useTranslation('webhooks');
  const format = useFormat();
  const { name, url, types, previousSecretUntil, deadLetters, status } = webhook;
  const [tone, state] = stateOf(webhook);
  const facts = [
    t('position', { position: format.number(status.position), count: status.lag, lag: format.number(status.lag) }),
    status.lastDeliveredAt === 0
      ? t('delivered.never')
      : t('delivered.at', { when: format.relative(status.lastDeliveredAt) }),
    previousSecretUntil > 0 ? t('rotate.until', { when: format.dateTime(previousSecretUntil) }) : '',
  ];
  return (
    <div className={rows['main']}>
      <div className={rows['name']}>
        <bdi>{name}</bdi>
        <Status tone={tone}>{t(`state.${state}`)}</Status>
      </div>
      <div className={rows['note']}>
        <Technical>{url}</Technical>
      </div>
      <div className={rows['note']}>{types.length === 0 ? t('types.all') : <TypeNames types={types} />}</div>
      <div className={rows['note']}>{facts.filter(Boolean).join(' · ')}</div>
      {status.problem !== '' && (
        <div className={classes['problem']}>
          <bdi>{status.problem}</bdi>
          {status.nextAttemptAt > 0 && ` · ${t('nextAttempt', { when: format.relative(status.nextAttemptAt) })}`}
        </div>
      )}
      {deadLetters > 0 && (
        <div>
          <Button size="compact-xs" variant="light" color="red" onClick={onLetters}>
            {t('letters.count', { count: deadLetters, n: format.number(deadLetters) })}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Groups by their names, types as they are. */
function TypeNames({ types }: Pick<Webhook, 'types'>) {
  const { t } = useTranslation('webhooks');
  return <bdi>{types.map((type) => (isGroup(type) ? t(`group.${type}`) : type)).join(', ')}</bdi>;
}

/** Groups of event types, as in the audit. */
export const GROUPS = [
  ...(['clients', 'inbounds', 'nodes', 'access', 'settings', 'core', 'geo', 'backups', 'traffic', 'panel'] as const),
] as const;
export const isGroup = (type: string): type is (typeof GROUPS)[number] => GROUPS.some((group) => group === type);
