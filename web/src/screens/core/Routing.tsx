import { Button, Menu, NativeSelect, Paper, Text } from '@mantine/core';
import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import IconGripVertical from '@tabler/icons-react/dist/esm/icons/IconGripVertical.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Technical } from '../../ui/format';
import { useRowMenu } from '../../ui/RowMenu';
import classes from './Core.module.css';
import type { TemplateEditor } from './draft';
import type { FieldDefinition } from './Fields';
import { PartForm } from './PartForm';
import { type JsonObject, moved, objectsAt, tagsAt, textAt, valueAt, withValue } from './template';

const RULES = 'routing.rules';
/** The members of a rule that say what it matches, in the order in which they are read. */
const CONDITIONS = ['inboundTag', 'user', 'domain', 'ip', 'port', 'network', 'protocol', 'sourceIP', 'source'] as const;
const STRATEGIES = ['AsIs', 'IPIfNonMatch', 'IPOnDemand'];
/** The end of the list of rules: a new one. */
const NEW = -1;

interface Props {
  readonly editor: TemplateEditor;
  readonly inboundTags: readonly string[];
}

/** Routing rules: the first that matches decides. They are put in order by dragging, or with the arrow keys. */
export function Routing({ editor, inboundTags }: Props) {
  const { t } = useTranslation('core');
  const { template, change } = editor;
  const rules = objectsAt(template, RULES);
  const [opened, setOpened] = useState<number | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const setRules = (next: readonly JsonObject[]): void => change(withValue(template, RULES, next));
  const move = (from: number, to: number): void => setRules(moved(rules, from, to));
  const [menuButton, menu] = useRowMenu<number>(
    (index) => t('rule.actions', { number: index + 1 }),
    (index) => (
      <>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpened(index)}>
          {t('edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowUp size={16} />}
          disabled={index === 0}
          onClick={() => move(index, index - 1)}
        >
          {t('rule.up')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowDown size={16} />}
          disabled={index === rules.length - 1}
          onClick={() => move(index, index + 1)}
        >
          {t('rule.down')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} />}
          onClick={() => setRules(rules.toSpliced(index, 1))}
        >
          {t('remove')}
        </Menu.Item>
      </>
    ),
  );
  const strategy = textAt(template, 'routing.domainStrategy') || 'AsIs';
  return (
    <Paper p="md" component="section">
      <div className={classes['head']}>
        <Text size="sm" c="dimmed" maw={560}>
          {t('rule.help')}
        </Text>
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened(NEW)}>
          {t('rule.add')}
        </Button>
      </div>
      {rules.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('rule.none')}
        </Text>
      )}
      <ol className={classes['list']}>
        {rules.map((rule, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name of its own
            key={index}
            draggable
            data-over={over === index || undefined}
            onDragStart={() => setDragged(index)}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(index);
            }}
            onDragEnd={() => {
              setDragged(null);
              setOver(null);
            }}
            onDrop={() => {
              if (dragged !== null) move(dragged, index);
            }}
          >
            <Handle index={index} count={rules.length} onMove={(to) => move(index, to)} />
            <div className={classes['main']}>
              <span className={classes['name']}>
                <button type="button" onClick={() => setOpened(index)}>
                  {index + 1}. <bdi>{textAt(rule, 'ruleTag') || t('rule.to')}</bdi>{' '}
                  <Technical>{textAt(rule, 'outboundTag') || textAt(rule, 'balancerTag')}</Technical>
                </button>
              </span>
              <span className={classes['note']}>
                <Technical>{summaryOf(rule) || t('rule.all')}</Technical>
              </span>
            </div>
            {menuButton(index)}
          </li>
        ))}
      </ol>
      {menu}
      <NativeSelect
        mt="md"
        maw={320}
        label={t('strategy')}
        description={t('strategy.help')}
        value={strategy}
        data={STRATEGIES.includes(strategy) ? STRATEGIES : [strategy, ...STRATEGIES]}
        onChange={({ currentTarget }) => change(withValue(template, 'routing.domainStrategy', currentTarget.value))}
      />
      {opened !== null && (
        <RuleForm
          key={opened}
          rule={rules[opened] ?? { type: 'field' }}
          template={template}
          inboundTags={inboundTags}
          title={opened === NEW ? t('rule.add') : t('rule.edit', { number: opened + 1 })}
          onApply={(rule) => setRules(opened === NEW ? [...rules, rule] : rules.with(opened, rule))}
          onClose={() => setOpened(null)}
        />
      )}
    </Paper>
  );
}

interface HandleProps {
  readonly index: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
}

/** Where a rule is taken hold of. With the focus on it, the arrow keys move the rule, and the focus moves with it. */
function Handle({ index, count, onMove }: HandleProps) {
  const { t } = useTranslation('core');
  return (
    <button
      type="button"
      className={classes['handle']}
      aria-label={t('rule.move', { number: index + 1 })}
      title={t('rule.moveHelp')}
      onKeyDown={(event) => {
        const to = event.key === 'ArrowUp' ? index - 1 : event.key === 'ArrowDown' ? index + 1 : index;
        if (to === index || to < 0 || to >= count) return;
        event.preventDefault();
        const row = event.currentTarget.closest('ol')?.children[to];
        onMove(to);
        row?.querySelector('button')?.focus();
      }}
    >
      <IconGripVertical size={16} aria-hidden />
    </button>
  );
}

const MOST_SHOWN = 4;

/** What a rule matches, in one line. */
function summaryOf(rule: JsonObject): string {
  return CONDITIONS.flatMap((name) => {
    const value = valueAt(rule, name);
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [`${name}: ${String(value)}`];
    const more = value.length > MOST_SHOWN ? ` +${value.length - MOST_SHOWN}` : '';
    return [`${name}: ${value.slice(0, MOST_SHOWN).join(', ')}${more}`];
  }).join(' · ');
}

interface FormProps {
  readonly rule: JsonObject;
  readonly template: JsonObject;
  readonly inboundTags: readonly string[];
  readonly title: string;
  readonly onApply: (rule: JsonObject) => void;
  readonly onClose: () => void;
}

function RuleForm({ rule, template, inboundTags, ...rest }: FormProps) {
  const { t } = useTranslation('core');
  const tags = [...inboundTags, ...tagsAt(template, 'inbounds')];
  const fields: readonly FieldDefinition[] = [
    { path: 'ruleTag', label: t('field.name'), kind: 'text' },
    { path: 'domain', label: t('field.domain'), help: t('help.domain'), kind: 'list' },
    { path: 'ip', label: t('field.ip'), help: t('help.ip'), kind: 'list' },
    { path: 'port', label: t('field.ports'), help: '53,443,1000-2000', kind: 'text' },
    { path: 'network', label: t('field.network'), kind: 'select', options: ['', 'tcp', 'udp', 'tcp,udp'] },
    {
      path: 'protocol',
      label: t('field.protocols'),
      kind: 'list',
      options: ['http', 'tls', 'quic', 'bittorrent'],
    },
    { path: 'inboundTag', label: t('field.inbounds'), kind: 'list', options: [...new Set(tags)] },
    { path: 'user', label: t('field.clients'), kind: 'list' },
    { path: 'sourceIP', label: t('field.sourceIp'), kind: 'list' },
    {
      path: 'outboundTag',
      label: t('field.outbound'),
      kind: 'select',
      options: ['', ...tagsAt(template, 'outbounds')],
    },
    {
      path: 'balancerTag',
      label: t('field.balancer'),
      kind: 'select',
      options: ['', ...tagsAt(template, 'routing.balancers')],
    },
  ];
  const check = (part: JsonObject): string =>
    textAt(part, 'outboundTag') === '' && textAt(part, 'balancerTag') === '' ? t('rule.noTarget') : '';
  return <PartForm start={rule} fieldsOf={() => fields} check={check} {...rest} />;
}
