import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SettingSource } from '../../api/contract.generated';
import { NumberField } from '../../ui/form/NumberField';
import { type FieldDefinition, sameValue, type Value } from './catalog';
import { choiceWords } from './words';

interface Props {
  readonly id: string;
  readonly describedBy: string;
  readonly input: FieldDefinition['input'];
  readonly source: SettingSource;
  readonly value: Value;
  readonly hasError: boolean;
  readonly set: (value: Value) => void;
}

const SCHEDULES = ['@hourly', '@daily', '@weekly', '@monthly', '@every 12h', '0 4 * * *'];

/** The input of a setting: its kind follows from the default and the limits that the panel names. */
export function Control({ id, describedBy, input, source, value, hasError, set }: Props) {
  const { t } = useTranslation('settings');
  const isLocked = source.variable !== null;
  const shared = { id, 'aria-describedby': describedBy, disabled: isLocked, error: hasError };
  if (typeof source.default === 'boolean')
    return (
      <Switch
        {...{ id, 'aria-describedby': describedBy, disabled: isLocked }}
        size="md"
        checked={value === true}
        label={t(value === true ? 'on' : 'off')}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
    );
  if (source.choices)
    return (
      <NativeSelect
        {...shared}
        value={String(value)}
        onChange={({ currentTarget }) => set(currentTarget.value)}
        data={source.choices.map((choice) => ({ value: choice, label: choiceWords(t, choice) }))}
      />
    );
  if (typeof source.default === 'number')
    return (
      <NumberField
        {...shared}
        min={source.min ?? undefined}
        max={source.max ?? undefined}
        whole
        hideControls
        value={typeof value === 'number' ? value : String(value)}
        onChange={(next) => set(next)}
      />
    );
  if (Array.isArray(source.default)) return <Lines shared={shared} value={value} set={set} />;
  const text = { ...shared, value: String(value), spellCheck: input === 'long', autoComplete: 'off' };
  if (input === 'long')
    return (
      <Textarea {...text} dir="auto" autosize={false} rows={4} onChange={(event) => set(event.currentTarget.value)} />
    );
  const list = input === 'zone' || input === 'schedule' ? `${id}-list` : undefined;
  return (
    <>
      <TextInput
        {...text}
        dir={input === 'text' ? 'auto' : 'ltr'}
        list={list}
        {...(source.maxLength === null ? {} : { maxLength: source.maxLength })}
        onChange={(event) => set(event.currentTarget.value)}
      />
      {list !== undefined && (
        <datalist id={list}>
          {(input === 'zone' ? ['Local', 'UTC', ...Intl.supportedValuesOf('timeZone')] : SCHEDULES).map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A list with one entry for each line. Lines that are being typed stay as they are. */
function Lines({
  shared,
  value,
  set,
}: {
  readonly shared: object;
  readonly value: Value;
  readonly set: (value: Value) => void;
}) {
  const { t } = useTranslation('settings');
  const entries = Array.isArray(value) ? value : [String(value)];
  return (
    <Textarea
      {...shared}
      dir="ltr"
      rows={Math.max(2, Math.min(8, entries.length + 1))}
      placeholder={t('onePerLine')}
      spellCheck={false}
      value={entries.join('\n')}
      onChange={({ currentTarget }) => set(currentTarget.value === '' ? [] : currentTarget.value.split('\n'))}
      onBlur={() => {
        const tidy = entries.map((entry) => entry.trim()).filter(Boolean);
        if (!sameValue(tidy, entries)) set(tidy);
      }}
    />
  );
}
