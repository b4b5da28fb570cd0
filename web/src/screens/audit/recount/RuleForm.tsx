import { Button, NativeSelect, TextInput } from '@mantine/core';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { nodes as nodesQuery } from '../../../api/queries';
import { DateField } from '../../../ui/form/DateField';
import classes from './Recount.module.css';
import { emptyRule, KINDS, LOCAL, type RuleDraft, type RuleField, type RuleKind, wrongField } from './rules';

interface Props {
  readonly rules: readonly RuleDraft[];
  readonly onChange: (rules: readonly RuleDraft[]) => void;
  /** Whether missing values are marked: after the first attempt to send. */
  readonly isChecked: boolean;
}

/** The rules, one below the other. The first that matches applies. */
export function RuleForm({ rules, onChange, isChecked }: Props) {
  const { t } = useTranslation('audit');
  const change = (changed: RuleDraft): void => onChange(rules.map((rule) => (rule.id === changed.id ? changed : rule)));
  const next = Math.max(-1, ...rules.map(({ id }) => id)) + 1;
  return (
    <>
      {rules.map((rule, index) => (
        <Rule
          key={rule.id}
          {...{ rule, isChecked }}
          title={t('recount.rule', { n: index + 1 })}
          onChange={change}
          onRemove={rules.length === 1 ? null : () => onChange(rules.filter(({ id }) => id !== rule.id))}
        />
      ))}
      <Button
        size="compact-sm"
        variant="default"
        style={{ justifySelf: 'start' }}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange([...rules, emptyRule(next, 'node')])}
      >
        {t('recount.addRule')}
      </Button>
    </>
  );
}

interface RuleProps {
  readonly rule: RuleDraft;
  readonly title: string;
  readonly isChecked: boolean;
  readonly onChange: (rule: RuleDraft) => void;
  /** Null = it is the only one. */
  readonly onRemove: (() => void) | null;
}

function Rule({ rule, title, isChecked, onChange, onRemove }: RuleProps) {
  const { t } = useTranslation('audit');
  const { kind, from, to } = rule;
  const wrong = isChecked ? wrongField(rule) : null;
  const errorOf = (field: RuleField): string | undefined => (wrong === field ? t(`recount.wrong.${field}`) : undefined);
  const set = (changes: Partial<RuleDraft>): void => onChange({ ...rule, ...changes });
  return (
    <fieldset className={classes['rule']}>
      <legend>{title}</legend>
      <NativeSelect
        label={t('recount.kind')}
        value={kind}
        onChange={({ currentTarget }) => set({ kind: currentTarget.value as RuleKind })}
        data={KINDS.map((value) => ({ value, label: t(`recount.kind.${value}`) }))}
      />
      {kind === 'period' && (
        <TextInput
          label={t('recount.factor')}
          description={t('recount.factorHelp')}
          inputMode="decimal"
          dir="ltr"
          value={rule.factor}
          error={errorOf('factor')}
          onChange={({ currentTarget }) => set({ factor: currentTarget.value })}
        />
      )}
      {kind === 'jump' && (
        <TextInput
          label={t('recount.size')}
          description={t('recount.sizeHelp')}
          inputMode="decimal"
          dir="ltr"
          value={rule.size}
          error={errorOf('size')}
          onChange={({ currentTarget }) => set({ size: currentTarget.value })}
        />
      )}
      <NodeChoice rule={rule} onChange={set} error={errorOf('node')} />
      <DateField
        label={t('recount.from')}
        description={t('recount.open')}
        max={to}
        value={from}
        error={errorOf('from')}
        onChange={(value) => set({ from: value })}
      />
      <DateField
        label={t('recount.to')}
        description={t('recount.open')}
        min={from}
        value={to}
        error={errorOf('to')}
        onChange={(value) => set({ to: value })}
      />
      {onRemove && (
        <Button size="compact-sm" variant="subtle" color="red" className={classes['remove'] ?? ''} onClick={onRemove}>
          {t('recount.removeRule', { rule: title })}
        </Button>
      )}
    </fieldset>
  );
}

interface NodeProps {
  readonly rule: RuleDraft;
  readonly onChange: (changes: Partial<RuleDraft>) => void;
  readonly error: string | undefined;
}

/** The node that measured the traffic. */
function NodeChoice({ rule: { kind, node }, onChange, error }: NodeProps) {
  const { t } = useTranslation('audit');
  const { data: nodes = [] } = useQuery({ ...nodesQuery, enabled: useMay()('/panel/api/nodes/list') });
  const names = nodes.map(({ name }) => name);
  const isKnown = node === '' || node === LOCAL || names.includes(node);
  return (
    <NativeSelect
      label={t('filter.node')}
      value={node}
      error={error}
      onChange={({ currentTarget }) => onChange({ node: currentTarget.value })}
      data={[
        { value: '', label: kind === 'node' ? t('moment.choose') : t('node.any') },
        { value: LOCAL, label: t('recount.local') },
        ...names.map((name) => ({ value: name, label: name })),
        ...(isKnown ? [] : [{ value: node, label: node }]),
      ]}
    />
  );
}
