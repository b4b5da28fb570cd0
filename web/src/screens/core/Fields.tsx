// Before all others: the style sheets of a component follow those of the kit, and win.
import './form-styles';

import { NativeSelect, PasswordInput, Switch, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '../../ui/form/NumberField';
import { type Json, type JsonObject, valueAt, withValue } from './template';

export interface FieldDefinition {
  readonly path: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly kind: 'text' | 'secret' | 'number' | 'select' | 'list' | 'switch';
  /** For a list, they are proposals. A value that is not among them stays. */
  readonly options?: readonly string[] | undefined;
  /** How the value is read and written where the path alone does not say it. */
  readonly lens?: Lens | undefined;
  /** How an option reads; without it, as it is. */
  readonly nameOf?: ((option: string) => string) | undefined;
}

export interface Lens {
  readonly get: (part: JsonObject) => Json | undefined;
  readonly set: (part: JsonObject, value: Json | undefined) => JsonObject;
}

interface Props {
  readonly fields: readonly FieldDefinition[];
  readonly value: JsonObject;
  /** What is wrong, and the path of its field. */
  readonly problem?: { readonly path: string; readonly text: string } | null;
  readonly onChange: (value: JsonObject) => void;
}

/** Inputs for members of a part of the configuration. An empty input removes its member. */
export function Fields({ fields, value, problem = null, onChange }: Props): ReactNode {
  return fields.map((field) => (
    <Field
      key={field.path}
      field={field}
      value={field.lens ? field.lens.get(value) : valueAt(value, field.path)}
      error={problem?.path === field.path ? problem.text : undefined}
      set={(next) => onChange(field.lens ? field.lens.set(value, next) : withValue(value, field.path, next))}
    />
  ));
}

function Field({
  field: { path, label, help, kind, options = [], nameOf = (option) => option || '–' },
  value,
  error,
  set,
}: {
  readonly field: FieldDefinition;
  readonly value: Json | undefined;
  readonly error: string | undefined;
  readonly set: (value: Json | undefined) => void;
}): ReactNode {
  const { t } = useTranslation('core');
  const shared = { label, description: help, name: path, error };
  switch (kind) {
    case 'switch':
      return (
        <Switch
          label={label}
          description={help}
          checked={value === true}
          onChange={({ currentTarget }) => set(currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <NumberField
          {...shared}
          min={0}
          whole
          hideControls
          value={typeof value === 'number' || typeof value === 'string' ? value : ''}
          onChange={(next) => set(next === '' ? undefined : next)}
        />
      );
    case 'list':
      return (
        <TagsInput
          {...shared}
          data={[...options]}
          value={Array.isArray(value) ? value.map(String) : typeof value === 'string' && value !== '' ? [value] : []}
          onChange={(next) => set(next.length === 0 ? undefined : next)}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          dir="ltr"
        />
      );
    case 'select': {
      const current = typeof value === 'string' ? value : '';
      const all = options.includes(current) ? options : [current, ...options];
      return (
        <NativeSelect
          {...shared}
          value={current}
          onChange={({ currentTarget }) => set(currentTarget.value === '' ? undefined : currentTarget.value)}
          data={all.map((option) => ({ value: option, label: nameOf(option) }))}
        />
      );
    }
    case 'secret':
      return (
        <PasswordInput
          {...shared}
          visibilityToggleButtonProps={{ 'aria-label': t('reveal') }}
          value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
          onChange={({ currentTarget }) => set(currentTarget.value === '' ? undefined : currentTarget.value)}
          dir="ltr"
          spellCheck={false}
          autoComplete="new-password"
        />
      );
    case 'text':
      return (
        <TextInput
          {...shared}
          value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
          onChange={({ currentTarget }) => set(currentTarget.value === '' ? undefined : currentTarget.value)}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
        />
      );
  }
}
