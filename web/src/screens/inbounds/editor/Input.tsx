import {
  NativeSelect,
  PasswordInput,
  type PasswordInputProps,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { clusterMembers, nodes as nodesQuery } from '../../../api/queries';
import { DateField } from '../../../ui/form/DateField';
import { NumberField } from '../../../ui/form/NumberField';
import { type Field, isRequired } from '../fields';
import { securitiesOf } from '../fields/conditions';
import classes from '../Inbounds.module.css';
import { useLabels } from '../labels';
import { type Aside, switched } from './aside';
import type { Draft } from './draft';
import { edited } from './effects';
import { GenerateButtons } from './GenerateButtons';
import type { Generator } from './generators';
import { type Shown, shown, valueOf } from './values';

export interface FormProps {
  readonly draft: Draft;
  readonly aside: Aside;
  readonly isNew: boolean;
  readonly onChange: (draft: Draft, aside?: Aside) => void;
  readonly onGenerate: (generator: Generator) => void;
  /** Problems by the path of their field. */
  readonly problems: Readonly<Record<string, string>>;
}

/** What an input of each kind needs. */
interface Parts {
  readonly field: Field;
  readonly draft: Draft;
  readonly value: Shown;
  readonly set: (input: Shown) => void;
  readonly shared: {
    readonly label: ReactNode;
    readonly description: string | undefined;
    readonly error: string | undefined;
    readonly disabled: boolean;
    readonly withAsterisk: boolean;
    readonly name: string;
  };
}

/** The input of a field, with what generates its value. */
export function Input({ field, ...form }: FormProps & { readonly field: Field }) {
  const { draft, aside, onChange, isNew, problems } = form;
  const { path, isNewOnly = false } = field;
  const { label, help } = useLabels()(field);
  const parts: Parts = {
    ...{ field, draft, value: shown(field, valueOf(draft, field)) },
    set(input) {
      const next = switched(draft, edited(draft, field, input), aside);
      onChange(next.draft, next.aside);
    },
    shared: {
      ...{ label, description: help, error: problems[path], name: path },
      ...{ disabled: isNewOnly && !isNew, withAsterisk: isRequired(field, draft) },
    },
  };
  return (
    <div className={field.isWide ? classes['wide'] : classes['cell']} data-field={path}>
      <Control {...parts} />
      {field.generators && <GenerateButtons generators={field.generators} onGenerate={form.onGenerate} />}
    </div>
  );
}

function Control(parts: Parts): ReactNode {
  switch (parts.field.kind) {
    case 'switch':
      return <SwitchControl {...parts} />;
    case 'number':
    case 'gigabytes':
      return <NumberControl {...parts} />;
    case 'list':
      return <ListControl {...parts} />;
    case 'select':
      return <SelectControl {...parts} />;
    case 'node':
      return <NodeControl {...parts} />;
    case 'machine':
      return <MachineControl {...parts} />;
    case 'lines':
    case 'map':
      return <AreaControl {...parts} />;
    case 'items':
      return null;
    case 'date':
      return <DateField {...parts.shared} timeOfDay="00:00" value={String(parts.value)} onChange={parts.set} />;
    case 'text':
      return <TextControl {...parts} />;
  }
}

function SwitchControl({ value, set, shared: { label, description, name } }: Parts) {
  return (
    <Switch
      className={classes['switch'] ?? ''}
      label={label}
      description={description}
      name={name}
      checked={value === true}
      onChange={({ currentTarget }) => set(currentTarget.checked)}
    />
  );
}

function NumberControl({ field, value, set, shared }: Parts) {
  const { t } = useTranslation('inbounds');
  const size = field.kind === 'gigabytes' ? { suffix: ' GB', decimalScale: 3, placeholder: t('unlimited') } : {};
  return (
    <NumberField
      {...shared}
      {...size}
      min={0}
      whole={field.kind !== 'gigabytes'}
      hideControls
      value={value as number | string}
      onChange={set}
    />
  );
}

function ListControl({ field, value, set, shared }: Parts) {
  return (
    <TagsInput
      {...shared}
      data={[...(field.options ?? [])]}
      value={[...(value as readonly string[])]}
      onChange={set}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      dir="ltr"
    />
  );
}

/** Texts that are the same in all languages: names of protocols, transports and algorithms. */
const NAMED = new Set(['trafficReset', 'security', 'auth', 'fingerprint', 'forceTls', 'masquerade', 'headerType']);

function SelectControl({ field, draft, value, set, shared }: Parts) {
  const { t, i18n } = useTranslation('inbounds');
  const options = field.path === 'streamSettings.security' ? securitiesOf(draft) : (field.options ?? []);
  const current = String(value);
  // A value that the form does not know stays what it is.
  const all = options.includes(current) ? options : [current, ...options];
  const labelOf = (option: string): string => {
    const key = `option.${option}`;
    if (NAMED.has(field.name) && i18n.exists(key, { ns: 'inbounds' })) return t(key as 'option.none');
    return option === '' ? t('option.default') : option;
  };
  return (
    <NativeSelect
      {...shared}
      value={current}
      onChange={({ currentTarget }) => set(currentTarget.value)}
      data={all.map((option) => ({ value: option, label: labelOf(option) }))}
    />
  );
}

function NodeControl({ value, set, shared }: Parts) {
  const { t } = useTranslation('inbounds');
  const { data: nodes = [] } = useQuery({ ...nodesQuery, enabled: useMay()('/panel/api/nodes/list') });
  if (nodes.length === 0 && value === 0) return null;
  return (
    <NativeSelect
      {...shared}
      value={String(value)}
      onChange={({ currentTarget }) => set(currentTarget.value)}
      data={[
        { value: '0', label: t('thisServer') },
        ...nodes.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  );
}

/** The machine of the cluster; nothing without one. */
function MachineControl({ value, set, shared }: Parts) {
  const { t } = useTranslation('inbounds');
  const { data: members = [] } = useQuery({ ...clusterMembers, enabled: useMay()('/panel/api/cluster/members') });
  const own = members.find(({ isSelf }) => isSelf)?.name ?? '';
  const current = String(value) || own;
  if (members.length === 0) return null;
  const names = members.map(({ name }) => name);
  // The machine of an inbound may have been removed from the cluster.
  const all = names.includes(current) ? names : [current, ...names];
  return (
    <NativeSelect
      {...shared}
      description={t('help.machine')}
      value={current}
      onChange={({ currentTarget }) => set(currentTarget.value)}
      data={all.map((name) => ({ value: name, label: name === own ? t('thisMember', { name }) : name }))}
    />
  );
}

function AreaControl({ field, value, set, shared }: Parts) {
  return (
    <Textarea
      {...shared}
      autosize
      minRows={2}
      maxRows={8}
      value={String(value)}
      placeholder={field.kind === 'map' ? 'Name: value' : '-----BEGIN'}
      onChange={({ currentTarget }) => set(currentTarget.value)}
      dir="ltr"
      spellCheck={false}
      classNames={{ input: `${classes['code']} ${field.isSecret ? classes['secret'] : ''}` }}
    />
  );
}

function TextControl({ field, value, set, shared }: Parts) {
  const { t } = useTranslation('inbounds');
  const input = {
    ...shared,
    value: String(value),
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => set(currentTarget.value),
    spellCheck: false,
  };
  const isName = field.name === 'remark';
  if (!field.isSecret) return <TextInput {...input} dir={isName ? 'auto' : 'ltr'} autoComplete="off" />;
  return (
    <SecretInput
      {...input}
      dir="ltr"
      aria-invalid={shared.error !== undefined}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': t('reveal') }}
    />
  );
}

/** A secret that is visible while it is typed into an empty field, and hidden when it comes from elsewhere, as a generated one. */
function SecretInput({ value, onChange, ...input }: PasswordInputProps & { readonly value: string }) {
  const [isVisible, setVisible] = useState(value === '' || value === 'none');
  const [known, setKnown] = useState(value);
  const typed = useRef(value);
  if (known !== value) {
    setKnown(value);
    if (typed.current !== value && value !== '') setVisible(false);
  }
  return (
    <PasswordInput
      {...input}
      value={value}
      visible={isVisible}
      onVisibilityChange={setVisible}
      onChange={(event) => {
        typed.current = event.currentTarget.value;
        onChange?.(event);
      }}
    />
  );
}
