// Before all others: the style sheets of a component follow those of the kit, and win.
import './form-styles';

import { Input, NativeSelect, PasswordInput, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Json, type JsonObject, valueAt, withValue } from '../../model/json';
import { mapOf, textOfMap } from '../../model/map-text';
import { ItemList } from '../../ui/form/ItemList';
import { NumberField } from '../../ui/form/NumberField';

export interface FieldDefinition {
  readonly path: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly kind: 'text' | 'secret' | 'number' | 'select' | 'list' | 'switch' | 'map' | 'items';
  /** For `items`: the inputs of each item, with paths inside it, and a new item. */
  readonly items?: { readonly fields: readonly FieldDefinition[]; readonly fresh: JsonObject } | undefined;
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
  return fields.map((field) =>
    field.items ? (
      <Items key={field.path} field={field} value={value} problem={problem} onChange={onChange} />
    ) : (
      <Field
        key={field.path}
        field={field}
        value={field.lens ? field.lens.get(value) : valueAt(value, field.path)}
        error={problem?.path === field.path ? problem.text : undefined}
        set={(next) => onChange(field.lens ? field.lens.set(value, next) : withValue(value, field.path, next))}
      />
    ),
  );
}

/** A list of objects. Without the last one, its member is removed. */
function Items({
  field,
  value,
  problem = null,
  onChange,
}: Omit<Props, 'fields'> & { readonly field: FieldDefinition }) {
  const { path, label, help, items } = field;
  const inside = (index: number): readonly FieldDefinition[] =>
    (items?.fields ?? []).map((inner) => ({ ...inner, path: `${path}.${index}.${inner.path}` }));
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={help}
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <ItemList
        label={label}
        value={valueAt(value, path)}
        fresh={items?.fresh ?? {}}
        onChange={(next) => onChange(withValue(value, path, next.length === 0 ? undefined : next))}
      >
        {(index) => (
          <Stack gap="xs">
            <Fields fields={inside(index)} value={value} problem={problem} onChange={onChange} />
          </Stack>
        )}
      </ItemList>
    </Input.Wrapper>
  );
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
  // What is typed is not yet a map, such as a line without a colon.
  const [text, setText] = useState<string | null>(null);
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
    case 'map':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={2}
          maxRows={8}
          placeholder="Name: value"
          value={text ?? textOfMap(value)}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            const next = mapOf(currentTarget.value, value);
            set(Object.keys(next).length === 0 ? undefined : next);
          }}
          onBlur={() => setText(null)}
          dir="ltr"
          spellCheck={false}
        />
      );
    case 'items':
      return null;
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
