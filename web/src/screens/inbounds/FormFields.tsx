import { Button, Fieldset, NativeSelect, NumberInput, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core';
import IconWand from '@tabler/icons-react/dist/esm/icons/IconWand.mjs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Draft, type Json, valueAt, withValue } from './draft';
import { type Field, fields, SECTIONS, securitiesOf } from './fields';
import type { Generator } from './generators';

const GB = 1024 ** 3;
/** Texts that are the same in all languages: names of protocols, transports and algorithms. */
const NAMED = new Set(['trafficReset', 'security', 'auth', 'fingerprint']);

interface Props {
  readonly draft: Draft;
  readonly isNew: boolean;
  readonly onChange: (draft: Draft) => void;
  readonly onGenerate: (generator: Generator) => void;
  /** Problems by the path of their field. */
  readonly problems: Readonly<Record<string, string>>;
}

/** The form renderer: every row of `fields` whose condition holds, by sections. */
export function FormFields(props: Props) {
  const { t } = useTranslation('inbounds');
  const { draft } = props;
  return SECTIONS.map((section) => {
    const shown = fields.filter((field) => field.section === section && (field.when?.(draft) ?? true));
    if (shown.length === 0) return null;
    return (
      <Fieldset key={section} legend={t(`section.${section}`)}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
          {shown.map((field) => (
            <Input key={field.path} field={field} {...props} />
          ))}
        </SimpleGrid>
      </Fieldset>
    );
  });
}

function Input({ field, draft, isNew, onChange, onGenerate, problems }: Props & { readonly field: Field }): ReactNode {
  const { t, i18n } = useTranslation('inbounds');
  const { name, path, kind, fallback, isRequired = false, isNewOnly = false, generator } = field;
  const value = valueAt(draft, path);
  const set = (next: Json): void => onChange(withSideEffects(withValue(draft, path, next), path));
  const helpKey = `help.${name}`;
  const shared = {
    label: t(`field.${name}` as 'field.remark'),
    description: i18n.exists(helpKey, { ns: 'inbounds' }) ? t(helpKey as 'help.listen') : undefined,
    error: problems[path],
    disabled: isNewOnly && !isNew,
    withAsterisk: isRequired,
    name: path,
  };
  const generate = generator && (
    <Button
      size="compact-xs"
      variant="light"
      leftSection={<IconWand size={14} />}
      onClick={() => onGenerate(generator)}
    >
      {t('generate')}
    </Button>
  );
  switch (kind) {
    case 'switch':
      return (
        <Switch
          label={shared.label}
          description={shared.description}
          checked={value === true}
          onChange={({ currentTarget }) => set(currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...shared}
          min={0}
          allowDecimal={false}
          hideControls
          value={typeof value === 'number' ? value : ((fallback as number | undefined) ?? '')}
          onChange={(next) => set(Number(next || 0))}
          rightSection={generate}
          rightSectionWidth={generate ? 110 : 0}
        />
      );
    case 'gigabytes':
      return (
        <NumberInput
          {...shared}
          min={0}
          hideControls
          suffix=" GB"
          decimalScale={3}
          placeholder={t('unlimited')}
          value={typeof value === 'number' && value > 0 ? value / GB : ''}
          onChange={(next) => set(Math.round(Number(next || 0) * GB))}
        />
      );
    case 'list':
      return (
        <TagsInput
          {...shared}
          data={[...(field.options ?? [])]}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={set}
          rightSection={generate}
          rightSectionWidth={generate ? 110 : undefined}
          splitChars={[',', ' ']}
          acceptValueOnBlur
          dir="ltr"
        />
      );
    case 'select': {
      const options = path.endsWith('.security') ? securitiesOf(draft) : (field.options ?? []);
      const current = String(value ?? fallback ?? '');
      // A value that the form does not know stays what it is.
      const all = options.includes(current) ? options : [current, ...options];
      return (
        <NativeSelect
          {...shared}
          value={current}
          onChange={({ currentTarget }) => set(currentTarget.value)}
          data={all.map((option) => ({
            value: option,
            label:
              NAMED.has(name) && i18n.exists(`option.${option}`, { ns: 'inbounds' })
                ? t(`option.${option}` as 'option.none')
                : option || '–',
          }))}
        />
      );
    }
    case 'text':
      return (
        <TextInput
          {...shared}
          value={String(value ?? fallback ?? '')}
          onChange={({ currentTarget }) => set(currentTarget.value)}
          rightSection={generate}
          rightSectionWidth={generate ? 110 : undefined}
          dir={name === 'remark' ? 'auto' : 'ltr'}
          spellCheck={false}
          autoComplete="off"
        />
      );
  }
}

/** What goes with a choice: another transport may exclude the security, another protocol begins afresh. */
function withSideEffects(draft: Draft, path: string): Draft {
  if (path === 'protocol') {
    const isHysteria = draft.protocol === 'hysteria2';
    const stream = isHysteria
      ? { network: 'hysteria', security: 'tls', hysteriaSettings: { version: 2, auth: '', udpIdleTimeout: 60 } }
      : { network: 'tcp', security: 'none' };
    return { ...draft, settings: STARTS[draft.protocol] ?? {}, streamSettings: stream };
  }
  const security = String(valueAt(draft, 'streamSettings.security') ?? 'none');
  if (path === 'streamSettings.network' && !securitiesOf(draft).includes(security))
    return withValue(draft, 'streamSettings.security', 'none');
  return draft;
}

const STARTS: Readonly<Record<string, Draft['settings']>> = {
  vless: { decryption: 'none' },
  hysteria2: { version: 2 },
  shadowsocks: { method: '2022-blake3-aes-256-gcm', network: 'tcp,udp' },
  mixed: { auth: 'noauth', udp: true },
  wireguard: { mtu: 1420, peers: [] },
  tunnel: { network: 'tcp,udp' },
};

/** Required fields that are empty, by their paths. */
export function missing(draft: Draft, sentence: string): Readonly<Record<string, string>> {
  const empty = fields.filter(({ isRequired, when, path }) => {
    if (!isRequired || !(when?.(draft) ?? true)) return false;
    const value = valueAt(draft, path);
    return value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
  });
  return Object.fromEntries(empty.map(({ path }) => [path, sentence]));
}
