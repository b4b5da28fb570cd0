import { Alert, Box, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { Posts } from '../../../api/contract.generated';
import { type ClientInbound, inboundName } from '../../../model/clients';
import { useFormat } from '../../../ui/display/format';
import { Loading, Problem } from '../../../ui/display/Page';
import { Dialog } from '../../../ui/feedback/Dialog';
import { useCurl } from '../../../ui/form/FormFooter';
import { NumberField } from '../../../ui/form/NumberField';
import { type ClientAction, type ClientChange, useChange } from '../actions';
import classes from '../Clients.module.css';

const GB = 1024 ** 3;
const PRESETS = { extend: [7, 30, 90, 365], addTraffic: [5, 10, 50, 100] } as const;

interface Props {
  readonly action: ClientAction;
  /** The selected clients, or all that match the filters. */
  readonly target: Omit<ClientChange, 'action'>;
  /** Where clients can move. */
  readonly inbounds: readonly ClientInbound[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Says what an action does to the selected clients, and does it. */
export function BulkDialog({ action, target, inbounds, onClose, onDone }: Props) {
  const { t } = useTranslation(['clients', 'shell']);
  const [amount, setAmount] = useState<number | string>(action === 'addTraffic' ? 10 : 30);
  const [to, setTo] = useState(0);
  const isPossible = action !== 'extend' || Number.isInteger(Number(amount));
  const how = { ...amountOf(action, Number(amount || 0)), ...(action === 'move' ? { to } : {}) };
  const body: ClientChange = { ...target, action, ...how };
  const preview = useQuery({
    queryKey: ['inbounds', 'clients', 'preview', body],
    queryFn: async ({ signal }) =>
      (await api.post('/panel/api/clients/change', { body: { ...body, preview: true }, signal })).obj,
    placeholderData: keepPreviousData,
    enabled: action !== 'move' || to !== 0,
    gcTime: 0,
  });
  const change = useChange();
  const { data = null } = preview;
  // Exactly the clients of the preview, whatever matches the filters meanwhile.
  const run = (clients: readonly number[]): void =>
    change.mutate({ body: { action, clients, ...how } }, { onSuccess: onDone });
  const curl = useCurl(
    () => data && api.request('/panel/api/clients/change', { body: { action, clients: data.clients, ...how } }),
  );
  return (
    <Dialog onClose={onClose} title={t(`action.${action}`)}>
      <Stack gap="md">
        {(action === 'extend' || action === 'addTraffic') && (
          <Amount action={action} value={amount} onChange={setAmount} />
        )}
        {action === 'move' && <Destination value={to} inbounds={inbounds} onChange={setTo} />}
        {preview.error && <Problem error={preview.error} retry={() => void preview.refetch()} />}
        {preview.isLoading && <Loading rows={2} />}
        {data && <Effect action={action} effect={data} />}
        {curl.view}
        <Group justify="flex-end">
          <Box me="auto">{curl.button}</Box>
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'shell' })}
          </Button>
          <Button
            {...(action === 'delete' ? { color: 'red' } : {})}
            loading={change.isPending}
            disabled={!isPossible || !data || data.changed === 0 || preview.isPlaceholderData}
            onClick={() => data && run(data.clients)}
            data-autofocus={action === 'enable' || action === 'disable' || undefined}
          >
            {t(`action.${action}`)}
          </Button>
        </Group>
      </Stack>
    </Dialog>
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
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
}) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const unit = action === 'extend' ? t('form.daysUnit', { count: Number(value) }) : 'GB';
  return (
    <div>
      <NumberField
        label={t(`amount.${action}`)}
        description={t(`amount.${action}Help`)}
        min={action === 'extend' ? 1 : 0}
        max={36_500}
        whole={action === 'extend'}
        decimalScale={3}
        suffix={` ${unit}`}
        value={value}
        onChange={onChange}
        data-autofocus
      />
      <Group gap="xs" mt="xs">
        {PRESETS[action].map((preset) => (
          <Button key={preset} size="compact-xs" variant="default" onClick={() => onChange(preset)}>
            {action === 'extend' ? t('form.inDays', { count: preset }) : `${format.number(preset)} ${unit}`}
          </Button>
        ))}
      </Group>
    </div>
  );
}

/** The inbound to which the clients move. */
function Destination({
  value,
  inbounds,
  onChange,
}: {
  readonly value: number;
  readonly inbounds: readonly ClientInbound[];
  readonly onChange: (inbound: number) => void;
}) {
  const { t } = useTranslation('clients');
  return (
    <NativeSelect
      label={t('move.to')}
      description={t('move.help')}
      value={String(value)}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      data={[
        { value: '0', label: t('move.choose'), disabled: true },
        ...inbounds.map((inbound) => ({
          value: String(inbound.id),
          label: `${inboundName(inbound)} · ${inbound.protocol} · ${inbound.port}`,
        })),
      ]}
      data-autofocus
    />
  );
}

/** The clients by effect: who is cut off, who can connect again, who changes otherwise, who stays as before. */
function Effect({
  action,
  effect,
}: {
  readonly action: ClientAction;
  readonly effect: Posts['/panel/api/clients/change']['reply'];
}) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const { clients, changed, disconnected, reconnected, rekeyed, names } = effect;
  const groups = [
    ['disconnected', disconnected, names.disconnected],
    ['reconnected', reconnected, names.reconnected],
    ['others', changed - disconnected - reconnected, names.others],
    ['same', clients.length - changed, names.same],
  ] as const;
  return (
    <Alert color={action === 'delete' || disconnected > 0 ? 'orange' : 'sea'} variant="light" role="status">
      <ul className={classes['effect']}>
        {groups.map(([group, count, emails]) =>
          count > 0 ? (
            <li key={group}>
              {t(`effect.${group}`, { n: format.number(count) })}
              <Names emails={emails} more={count - emails.length} />
            </li>
          ) : null,
        )}
        {rekeyed > 0 && <li>{t('effect.rekeyed', { n: format.number(rekeyed) })}</li>}
      </ul>
    </Alert>
  );
}

/** The first emails of a group, and how many there are besides. */
function Names({ emails, more }: { readonly emails: readonly string[]; readonly more: number }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  return (
    <Text size="xs" c="dimmed" component="div" className={classes['names'] ?? ''}>
      {emails.map((email, index) => (
        <span key={email}>
          {index > 0 && ', '}
          <bdi>{email}</bdi>
        </span>
      ))}
      {more > 0 && ` ${t('effect.more', { n: format.number(more) })}`}
    </Text>
  );
}
