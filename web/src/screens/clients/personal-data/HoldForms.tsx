import { Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { isDate } from '../../../model/calendar';
import { DateField } from '../../../ui/form/DateField';
import { DrawerForm } from '../../../ui/form/DrawerForm';
import { holds, type LegalHold } from './queries';

interface HoldValues {
  reason: string;
  from: string;
  to: string;
}

interface PlaceProps {
  readonly email: string;
  readonly onClose: () => void;
}

/** Places a legal hold on a client. */
export function PlaceHold({ email, onClose }: PlaceProps) {
  const { t } = useTranslation('clients');
  const form = useForm<HoldValues>({
    initialValues: { reason: '', from: '', to: '' },
    validate: {
      reason: (value) => (value.trim() === '' ? t('form.required') : null),
      from: (value) => (value === '' || isDate(value) ? null : t('hold.day')),
      to: (value, { from }) => {
        if (value !== '' && !isDate(value)) return t('hold.day');
        return value !== '' && value < from ? t('hold.order') : null;
      },
    },
  });
  return (
    <DrawerForm<HoldValues, { readonly id: number }>
      title={t('hold.title', { email })}
      submit={t('hold.now')}
      form={form}
      request={({ reason, from, to }) =>
        api.request('/panel/api/personalData/hold', {
          body: { email, reason: reason.trim(), from: startOf(from), to: endOf(to) },
        })
      }
      stale={[holds.queryKey]}
      said={() => t('hold.placed', { email })}
      onClose={onClose}
    >
      <Text size="sm">{t('hold.body')}</Text>
      <TextInput
        label={t('hold.reason')}
        description={t('hold.reasonHelp')}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('reason')}
      />
      <Group grow align="flex-start">
        <DateField label={t('hold.from')} {...form.getInputProps('from')} />
        <DateField label={t('hold.to')} {...form.getInputProps('to')} />
      </Group>
      <Text size="xs" c="dimmed">
        {t('hold.periodHelp')}
      </Text>
    </DrawerForm>
  );
}

/** Days are those of the browser's time zone; no day leaves the period open. */
const startOf = (day: string): number => (day === '' ? 0 : new Date(`${day}T00:00:00`).getTime());
const endOf = (day: string): number => (day === '' ? 0 : new Date(`${day}T23:59:59.999`).getTime());

interface ReleaseProps {
  readonly hold: LegalHold;
  readonly onClose: () => void;
}

/** Releases a legal hold, with the reason for it. */
export function ReleaseHold({ hold: { id, reason: placed }, onClose }: ReleaseProps) {
  const { t } = useTranslation('clients');
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (value) => (value.trim() === '' ? t('form.required') : null) },
  });
  return (
    <DrawerForm
      title={t('hold.releaseTitle')}
      submit={t('hold.release')}
      form={form}
      request={({ reason }) =>
        api.request('/panel/api/personalData/release/:id', { params: { id }, body: { reason: reason.trim() } })
      }
      stale={[holds.queryKey]}
      onClose={onClose}
    >
      <Text size="sm">{t('hold.releaseBody', { reason: `\u2068${placed}\u2069` })}</Text>
      <TextInput
        label={t('hold.releaseReason')}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </DrawerForm>
  );
}
