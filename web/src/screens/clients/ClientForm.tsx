import {
  Button,
  Drawer,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Done } from '../../api/client';
import type { Inbound } from '../../api/contract.generated';
import type { ClientRow, WireClient } from '../../model/clients';
import { newCredentials } from '../../model/new-client';
import { randomWord } from '../../model/random';
import { useAction } from '../../ui/action';
import { sentenceOf } from '../../ui/toast';
import { update } from './actions';

const GB = 1024 ** 3;
const DAY_MS = 86_400_000;

interface Values {
  inbound: string;
  email: string;
  enable: boolean;
  /** Empty = no cap. */
  gigabytes: number | '';
  expires: 'never' | 'date' | 'use';
  /** As a date field has it. */
  date: string;
  days: number | '';
  limitIp: number | '';
  reset: number | '';
  comment: string;
}

interface Props {
  /** Null = a new one. */
  readonly client: ClientRow | null;
  readonly inbounds: readonly Inbound[];
  readonly onClose: () => void;
}

/** Adds a client, or changes one. */
export function ClientForm({ client, inbounds, onClose }: Props) {
  const { t } = useTranslation(['clients', 'shell']);
  const [refusal, setRefusal] = useState('');
  const form = useForm<Values>({
    initialValues: useMemo(() => valuesOf(client, inbounds), [client, inbounds]),
    validate: {
      email: (value) => (value.trim() === '' ? t('form.required') : null),
      date: (value, { expires }) => (expires === 'date' && value === '' ? t('form.required') : null),
      days: (value, { expires }) => (expires === 'use' && value === '' ? t('form.required') : null),
    },
  });
  const save = useAction<Values>({
    stale: [['inbounds']],
    silent: true,
    run: (values) => (client ? update(client, wireOf(values)) : add(inbounds, values)),
    undo: client
      ? ({ email }) => update({ ...client, email, wire: { ...client.wire, email } }, restored(client))
      : undefined,
  });
  const submit = form.onSubmit((values) => {
    setRefusal('');
    save.mutate(values, { onSuccess: onClose, onError: (error) => setRefusal(sentenceOf(error)) });
  });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={client ? t('editTitle', { email: client.email }) : t('addTitle')}
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {!client && (
            <NativeSelect
              label={t('form.inbound')}
              data={inbounds.map(({ id, remark, protocol, port }) => ({
                value: String(id),
                label: `${remark || `#${id}`} · ${protocol} · ${port}`,
              }))}
              {...form.getInputProps('inbound')}
            />
          )}
          <TextInput
            label={t('form.email')}
            description={t('form.emailHelp')}
            required
            withAsterisk={false}
            dir="auto"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('email')}
          />
          <NumberInput
            label={t('form.cap')}
            description={t('form.capHelp')}
            min={0}
            decimalScale={3}
            suffix=" GB"
            placeholder={t('unlimited')}
            {...form.getInputProps('gigabytes')}
          />
          <ExpiryFields form={form} />
          <Group grow align="flex-start">
            <NumberInput
              label={t('form.limitIp')}
              description={t('form.limitIpHelp')}
              min={0}
              allowDecimal={false}
              {...form.getInputProps('limitIp')}
            />
            <NumberInput
              label={t('form.reset')}
              description={t('form.resetHelp')}
              min={0}
              allowDecimal={false}
              {...form.getInputProps('reset')}
            />
          </Group>
          <Textarea
            label={t('form.comment')}
            autosize
            minRows={1}
            maxRows={4}
            dir="auto"
            {...form.getInputProps('comment')}
          />
          <Switch label={t('form.enabled')} {...form.getInputProps('enable', { type: 'checkbox' })} />
          {refusal !== '' && (
            <Text size="sm" c="var(--bad)" role="alert">
              {refusal}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel', { ns: 'shell' })}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {client ? t('save', { ns: 'shell' }) : t('add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Drawer>
  );
}

function ExpiryFields({ form }: { readonly form: UseFormReturnType<Values> }) {
  const { t } = useTranslation('clients');
  const { expires } = form.values;
  return (
    <div>
      <Text size="sm" fw={500} mb={4} id="expires-label">
        {t('form.expires')}
      </Text>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-labelledby="expires-label"
        data={(['never', 'date', 'use'] as const).map((value) => ({ value, label: t(`form.expires.${value}`) }))}
        {...form.getInputProps('expires')}
      />
      {expires === 'date' && (
        <TextInput mt="xs" type="date" aria-label={t('form.date')} {...form.getInputProps('date')} />
      )}
      {expires === 'use' && (
        <NumberInput
          mt="xs"
          min={1}
          allowDecimal={false}
          aria-label={t('form.days')}
          suffix={` ${t('form.daysUnit')}`}
          {...form.getInputProps('days')}
        />
      )}
    </div>
  );
}

function valuesOf(client: ClientRow | null, inbounds: readonly Inbound[]): Values {
  const { totalGB = 0, expiryTime = 0, limitIp = 0, reset = 0, comment = '', enable = true } = client?.wire ?? {};
  return {
    inbound: String(inbounds[0]?.id ?? ''),
    email: client?.email ?? randomWord(8),
    enable,
    gigabytes: totalGB === 0 ? '' : totalGB / GB,
    expires: expiryTime === 0 ? 'never' : expiryTime > 0 ? 'date' : 'use',
    date: expiryTime > 0 ? localDate(expiryTime) : '',
    days: expiryTime < 0 ? Math.round(-expiryTime / DAY_MS) : '',
    limitIp: limitIp === 0 ? '' : limitIp,
    reset: reset === 0 ? '' : reset,
    comment,
  };
}

/** Year, month and day where the browser is. */
function localDate(at: number): string {
  const date = new Date(at);
  return [
    date.getFullYear(),
    String(date.getMonth() + 1).padStart(2, '0'),
    String(date.getDate()).padStart(2, '0'),
  ].join('-');
}

function wireOf({ email, enable, gigabytes, expires, date, days, limitIp, reset, comment }: Values): WireClient {
  // A client may connect until the end of the day.
  const end =
    expires === 'date' ? new Date(`${date}T23:59:59`).getTime() : expires === 'use' ? -Number(days) * DAY_MS : 0;
  return {
    email: email.trim(),
    enable,
    totalGB: Math.round(Number(gigabytes || 0) * GB),
    expiryTime: end,
    limitIp: Number(limitIp || 0),
    reset: Number(reset || 0),
    comment,
  };
}

/** The members that the form can change, as they were. */
function restored({ wire, email }: ClientRow): WireClient {
  const { enable = true, totalGB = 0, expiryTime = 0, limitIp = 0, reset = 0, comment = '' } = wire;
  return { email, enable, totalGB, expiryTime, limitIp, reset, comment };
}

function add(inbounds: readonly Inbound[], values: Values): Promise<Done<unknown>> {
  const inbound = inbounds.find(({ id }) => String(id) === values.inbound);
  const client = { ...(inbound ? newCredentials(inbound) : {}), ...wireOf(values), subId: randomWord(16) };
  return api.post('/panel/api/inbounds/addClient', {
    body: { id: Number(values.inbound), settings: JSON.stringify({ clients: [client] }) },
  });
}
