import { Button, NativeSelect, Paper, Text } from '@mantine/core';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { type JsonObject, withValue } from '../../../model/json';
import blocks from '../../../ui/display/Blocks.module.css';
import { Locked } from '../../../ui/form/Locked';
import classes from '../Core.module.css';
import type { TemplateEditor } from '../draft';
import { moved, objectsAt, textAt } from '../template';
import { RuleForm } from './RuleForm';
import { RuleRow } from './RuleRow';
import { useRuleMenu } from './use-rule-menu';

const RULES = 'routing.rules';
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
  const mayEdit = useMay()('/panel/core/update');
  const setRules = (next: readonly JsonObject[]): void => change(withValue(template, RULES, next));
  return (
    <Paper p="md" component="section">
      <div className={classes['head']}>
        <Text size="sm" c="dimmed" maw={560}>
          {t('rule.help')}
        </Text>
        {mayEdit && (
          <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened(NEW)}>
            {t('rule.add')}
          </Button>
        )}
      </div>
      {rules.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('rule.none')}
        </Text>
      )}
      <Rules rules={rules} setRules={setRules} onOpen={setOpened} />
      <Locked unless="/panel/core/update">
        <Strategy template={template} change={change} />
      </Locked>
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

interface RulesProps {
  readonly rules: readonly JsonObject[];
  readonly setRules: (rules: readonly JsonObject[]) => void;
  readonly onOpen: (index: number) => void;
}

function Rules({ rules, setRules, onOpen }: RulesProps) {
  const mayEdit = useMay()('/panel/core/update');
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const move = (from: number, to: number): void => setRules(moved(rules, from, to));
  const [menuButton, menu] = useRuleMenu({
    count: rules.length,
    onOpen,
    onMove: move,
    onRemove: (index) => setRules(rules.toSpliced(index, 1)),
  });
  const drag = (index: number, phase: 'start' | 'over' | 'end' | 'drop'): void => {
    if (phase === 'start') setDragged(index);
    else if (phase === 'over') setOver(index);
    else if (phase === 'drop' && dragged !== null) move(dragged, index);
    else if (phase === 'end') {
      setDragged(null);
      setOver(null);
    }
  };
  return (
    <>
      <ol className={`${blocks['list']} ${classes['list']}`}>
        {rules.map((rule, index) => (
          <RuleRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name of its own
            key={index}
            rule={rule}
            index={index}
            count={rules.length}
            isTarget={over === index && dragged !== index}
            onDrag={(phase) => drag(index, phase)}
            onMove={(to) => move(index, to)}
            onOpen={() => onOpen(index)}
            isMovable={mayEdit}
            menu={mayEdit && menuButton(index)}
          />
        ))}
      </ol>
      {menu}
    </>
  );
}

function Strategy({ template, change }: Pick<TemplateEditor, 'template' | 'change'>) {
  const { t } = useTranslation('core');
  const strategy = textAt(template, 'routing.domainStrategy') || 'AsIs';
  return (
    <NativeSelect
      mt="md"
      maw={320}
      label={t('strategy')}
      description={t('strategy.help')}
      value={strategy}
      data={STRATEGIES.includes(strategy) ? STRATEGIES : [strategy, ...STRATEGIES]}
      onChange={({ currentTarget }) => change(withValue(template, 'routing.domainStrategy', currentTarget.value))}
    />
  );
}
