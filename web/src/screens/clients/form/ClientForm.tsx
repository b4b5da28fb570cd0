import {
  ActionIcon,
  Box,
  Button,
  Group,
  Input,
  NativeSelect,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { isolated } from '../../../i18n/i18n';
import { isDate } from '../../../model/calendar';
import type { FormRequest } from '../../../model/curl';
import { localDate } from '../../../model/local-date';
import { randomWord } from '../../../model/random';
import { useOtherZone } from '../../../ui/display/zone';
import { useUnsaved } from '../../../ui/feedback/leave';
import { DateField } from '../../../ui/form/DateField';
import { useCurl } from '../../../ui/form/FormFooter';
import { NumberField } from '../../../ui/form/NumberField';
import { Refusal } from '../../../ui/form/Refusal';
import { type FieldOf, memberIn, useRefusal } from '../../../ui/form/use-refusal';
import classes from '../Clients.module.css';
import type { Values } from './client-values';

const DAY_MS = 86_400_000;
type Form = UseFormReturnType<Values>;

interface Props {
  readonly initial: Values;
  /** The text of the button. */
  readonly submit: string;
  /** The form cannot be sent for now. */
  readonly isDisabled?: boolean;
  /** Shown above the fields, such as the choice of the inbound. */
  readonly head?: (form: Form) => ReactNode;
  /** Whether the inbound supports a flow. */
  readonly hasFlow: boolean;
  /** Several clients with numbered emails, each with a subscription of its own. */
  readonly isMany?: boolean;
  readonly onSubmit: (values: Values) => Promise<unknown>;
  readonly onClose: () => void;
  /** What the form would send now. */
  readonly request: (values: Values) => FormRequest;
}

/** The fields of a client. A refusal is shown in the form, which keeps its values. */
export function ClientForm({
  initial,
  submit,
  isDisabled = false,
  head,
  hasFlow,
  isMany = false,
  onSubmit,
  onClose,
  request,
}: Props) {
  const { t } = useTranslation(['clients', 'shell']);
  const [isSaving, setSaving] = useState(false);
  const form = useForm<Values>({
    initialValues: initial,
    validate: {
      email: (value) => (value.trim() === '' ? t('form.required') : null),
      date: (value, { expires }) => (expires === 'date' && !isDate(value) ? t('form.required') : null),
      days: (value, { expires }) => (expires === 'use' && value === '' ? t('form.required') : null),
      tgId: (value) => (/^-?\d*$/.test(value.trim()) ? null : t('form.number')),
    },
  });
  const refusal = useRefusal(form, fieldOf);
  useUnsaved(form.isDirty() && !isSaving, useLocation().pathname);
  const curl = useCurl(() => request(form.getValues()));
  const send = async (values: Values): Promise<void> => {
    refusal.clear();
    setSaving(true);
    try {
      await onSubmit(values);
    } catch (error) {
      refusal.refuse(error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <form onSubmit={form.onSubmit((values) => void send(values), refusal.focusWrong)} noValidate>
      <Stack gap="md">
        <Refusal text={refusal.text} />
        {head?.(form)}
        <TextInput
          label={t('form.email')}
          description={t(isMany ? 'form.patternHelp' : 'form.emailHelp')}
          dir="auto"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <LimitFields form={form} />
        <IdentityFields form={form} hasFlow={hasFlow} isMany={isMany} />
        <Switch label={t('form.enabled')} {...form.getInputProps('enable', { type: 'checkbox' })} />
        {curl.view}
        <Group justify="flex-end" className={classes['buttons']}>
          <Box me="auto">{curl.button}</Box>
          <Button variant="default" onClick={onClose}>
            {t('cancel', { ns: 'shell' })}
          </Button>
          <Button type="submit" loading={isSaving} disabled={isDisabled}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const FIELD_OF_CODE: Readonly<Record<string, keyof Values>> = {
  ...{ EMAIL_TAKEN: 'email', EMAIL_INVALID: 'email', EMAIL_UNAVAILABLE: 'email' },
  ...{ SUB_ID_SHARED: 'subId', INBOUND_NOT_FOUND: 'inbound', CLIENTS_NOT_SUPPORTED: 'inbound' },
};
/** Members of a client under the names of their fields. */
const FIELD_OF_MEMBER = {
  ...({ email: 'email', totalGB: 'gigabytes', limitIp: 'limitIp', reset: 'reset', subId: 'subId' } as const),
  ...({ tgId: 'tgId', flow: 'flow', comment: 'comment' } as const),
};
const MEMBERS = Object.keys(FIELD_OF_MEMBER) as (keyof typeof FIELD_OF_MEMBER)[];

const fieldOf: FieldOf<Values> = (error) => {
  const member = memberIn(error, MEMBERS);
  const field = FIELD_OF_CODE[error.code] ?? (member && FIELD_OF_MEMBER[member]);
  return field ? { field } : null;
};

function LimitFields({ form }: { readonly form: Form }) {
  const { t } = useTranslation('clients');
  return (
    <>
      <NumberField
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
        <NumberField
          label={t('form.limitIp')}
          description={t('form.limitIpHelp')}
          min={0}
          whole
          {...form.getInputProps('limitIp')}
        />
        <NumberField
          label={t('form.reset')}
          description={t('form.resetHelp')}
          min={0}
          whole
          {...form.getInputProps('reset')}
        />
      </Group>
    </>
  );
}

interface IdentityProps extends Pick<Props, 'hasFlow'> {
  readonly form: Form;
  readonly isMany: boolean;
}

function IdentityFields({ form, hasFlow, isMany }: IdentityProps) {
  const { t } = useTranslation('clients');
  return (
    <>
      {!isMany && (
        <TextInput
          label={t('form.subId')}
          description={t('form.subIdHelp')}
          dir="ltr"
          autoComplete="off"
          rightSection={
            <ActionIcon aria-label={t('form.newSubId')} onClick={() => form.setFieldValue('subId', randomWord(16))}>
              <IconRefresh size={18} />
            </ActionIcon>
          }
          {...form.getInputProps('subId')}
        />
      )}
      <Textarea
        label={t('form.comment')}
        autosize
        minRows={1}
        maxRows={4}
        dir="auto"
        {...form.getInputProps('comment')}
      />
      <Group grow align="flex-start">
        <TextInput
          label={t('form.tgId')}
          inputMode="numeric"
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('tgId')}
        />
        {hasFlow && (
          <NativeSelect
            label={t('form.flow')}
            data={[{ value: '', label: t('form.noFlow') }, ...['xtls-rprx-vision', 'xtls-rprx-vision-udp443']]}
            {...form.getInputProps('flow')}
          />
        )}
      </Group>
    </>
  );
}

function ExpiryFields({ form }: { readonly form: Form }) {
  const { t } = useTranslation('clients');
  const { expires } = form.values;
  const zones = useOtherZone();
  return (
    <div>
      <Input.Label component="div" mb={4} id="expires-label">
        {t('form.expires')}
      </Input.Label>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-labelledby="expires-label"
        data={(['never', 'date', 'use'] as const).map((value) => ({ value, label: t(`form.expires.${value}`) }))}
        {...form.getInputProps('expires')}
      />
      {expires === 'date' && (
        <>
          <DateField mt="xs" aria-label={t('form.date')} {...form.getInputProps('date')} />
          <DatePresets onChoose={(date) => form.setFieldValue('date', date)} />
          {zones && (
            <Text size="xs" c="dimmed" mt="xs">
              {t('form.zone', { own: isolated(zones.own), panel: isolated(zones.panel) })}
            </Text>
          )}
        </>
      )}
      {expires === 'use' && (
        <NumberField
          mt="xs"
          min={1}
          whole
          aria-label={t('form.days')}
          suffix={` ${t('form.daysUnit', { count: Number(form.values.days) })}`}
          {...form.getInputProps('days')}
        />
      )}
    </div>
  );
}

function DatePresets({ onChoose }: { readonly onChoose: (date: string) => void }) {
  const { t } = useTranslation('clients');
  return (
    <Group gap="xs" mt="xs">
      {[7, 30, 90, 365].map((days) => (
        <Button
          key={days}
          size="compact-xs"
          variant="default"
          onClick={() => onChoose(localDate(Date.now() + days * DAY_MS))}
        >
          {t('form.inDays', { count: days })}
        </Button>
      ))}
    </Group>
  );
}
