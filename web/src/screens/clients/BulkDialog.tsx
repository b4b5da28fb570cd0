import { Alert, Button, Group, Modal, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { useFormat } from '../../ui/format';
import { Problem } from '../../ui/Page';
import { type ClientAction, type ClientChange, useChange } from './actions';
import classes from './Clients.module.css';

const GB = 1024 ** 3;
const PRESETS = { extend: [7, 30, 90, 365], addTraffic: [5, 10, 50, 100] } as const;

interface Props {
  readonly action: ClientAction;
  /** The selected clients, or all that match the filters. */
  readonly target: Omit<ClientChange, 'action'>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Says what an action does to the selected clients, and does it. */
export function BulkDialog({ action, target, onClose, onDone }: Props) {
  const { t } = useTranslation(['clients', 'shell']);
  const [amount, setAmount] = useState<number | ''>(action === 'addTraffic' ? 10 : 30);
  const body: ClientChange = { ...target, action, ...amountOf(action, Number(amount || 0)) };
  const preview = useQuery({
    queryKey: ['inbounds', 'clients', 'preview', body],
    queryFn: async ({ signal }) =>
      (await api.post('/panel/api/clients/change', { body: { ...body, preview: true }, signal })).obj,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const change = useChange();
  const { data } = preview;
  // Exactly the clients of the preview, whatever matches the filters meanwhile.
  const run = (clients: readonly number[]): void =>
    change.mutate({ body: { action, clients, ...amountOf(action, Number(amount || 0)) } }, { onSuccess: onDone });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`action.${action}`)}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      <Stack gap="md">
        {(action === 'extend' || action === 'addTraffic') && (
          <Amount action={action} value={amount} onChange={setAmount} />
        )}
        {preview.error && <Problem error={preview.error} retry={() => void preview.refetch()} />}
        {preview.isPending && <Skeleton height={72} />}
        {data && <Effect action={action} effect={data} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'shell' })}
          </Button>
          <Button
            {...(action === 'delete' ? { color: 'red' } : {})}
            loading={change.isPending}
            disabled={!data || data.changed === 0 || preview.isPlaceholderData}
            onClick={() => data && run(data.clients)}
            data-autofocus={action === 'enable' || action === 'disable' || undefined}
          >
            {t(`action.${action}`)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function amountOf(action: ClientAction, amount: number): Partial<ClientChange> {
  if (action === 'extend') return { days: Math.max(0, Math.round(amount)) };
  return action === 'addTraffic' ? { bytes: Math.max(0, Math.round(amount * GB)) } : {};
}

function Amount({
  action,
  value,
  onChange,
}: {
  readonly action: 'extend' | 'addTraffic';
  readonly value: number | '';
  readonly onChange: (value: number | '') => void;
}) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const unit = action === 'extend' ? t('form.daysUnit') : 'GB';
  return (
    <div>
      <NumberInput
        label={t(`amount.${action}`)}
        description={t(`amount.${action}Help`)}
        min={action === 'extend' ? 1 : 0}
        max={36_500}
        decimalScale={action === 'extend' ? 0 : 3}
        suffix={` ${unit}`}
        value={value}
        onChange={(next) => onChange(next === '' ? '' : Number(next))}
        data-autofocus
      />
      <Group gap="xs" mt="xs">
        {PRESETS[action].map((preset) => (
          <Button key={preset} size="compact-xs" variant="default" onClick={() => onChange(preset)}>
            {format.number(preset)} {unit}
          </Button>
        ))}
      </Group>
    </div>
  );
}

/** Who changes, who is disconnected, who can connect again. */
function Effect({
  action,
  effect,
}: {
  readonly action: ClientAction;
  readonly effect: Posts['/panel/api/clients/change']['reply'];
}) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const { clients, changed, disconnected, reconnected, sample } = effect;
  const same = clients.length - changed;
  return (
    <Alert color={action === 'delete' || disconnected > 0 ? 'orange' : 'sea'} variant="light" role="status">
      <ul className={classes['effect']}>
        <li>{t('effect.changed', { n: format.number(changed) })}</li>
        {disconnected > 0 && <li>{t('effect.disconnected', { n: format.number(disconnected) })}</li>}
        {reconnected > 0 && <li>{t('effect.reconnected', { n: format.number(reconnected) })}</li>}
        {same > 0 && <li>{t('effect.same', { n: format.number(same) })}</li>}
      </ul>
      {sample.length > 0 && (
        <Text size="xs" c="dimmed" mt="xs" lineClamp={2}>
          {sample.map((email, index) => (
            <span key={email}>
              {index > 0 && ', '}
              <bdi>{email}</bdi>
            </span>
          ))}
          {changed > sample.length && ' …'}
        </Text>
      )}
    </Alert>
  );
}
