import { Button, Menu, Paper, Text } from '@mantine/core';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { isObject, type JsonObject, valueAt, withValue } from '../../../model/json';
import blocks from '../../../ui/display/Blocks.module.css';
import { Technical } from '../../../ui/display/format';
import { useRowMenu } from '../../../ui/table/RowMenu';
import classes from '../Core.module.css';
import type { TemplateEditor } from '../draft';
import type { FieldDefinition } from '../Fields';
import { PartForm, type Problem } from '../PartForm';
import { objectsAt, tagsAt, textAt } from '../template';

const PATH = 'routing.balancers';
const NEW = -1;
const STRATEGIES = ['random', 'roundRobin', 'leastPing', 'leastLoad'];
/** These choose by measurements, which another block of the configuration makes. */
const OBSERVED: Readonly<Record<string, 'observatory' | 'burstObservatory'>> = {
  leastPing: 'observatory',
  leastLoad: 'burstObservatory',
};

/** Balancers: they spread traffic over several outbounds. */
export function Balancers({ editor: { template, change } }: { readonly editor: TemplateEditor }) {
  const { t } = useTranslation('core');
  const balancers = objectsAt(template, PATH);
  const [opened, setOpened] = useState<number | null>(null);
  const mayEdit = useMay()('/panel/core/update');
  const set = (next: readonly JsonObject[]): void => change(observed(withValue(template, PATH, next)));
  return (
    <Paper p="md" component="section">
      <div className={classes['head']}>
        <Text size="sm" c="dimmed" maw={560}>
          {balancers.length === 0 ? t('balancer.none') : t('balancer.help')}
        </Text>
        {mayEdit && (
          <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened(NEW)}>
            {t('balancer.add')}
          </Button>
        )}
      </div>
      <List balancers={balancers} onOpen={setOpened} onRemove={(index) => set(balancers.toSpliced(index, 1))} />
      {opened !== null && (
        <BalancerForm
          key={opened}
          balancer={balancers[opened]}
          others={balancers.flatMap((one, index) => (index === opened ? [] : textAt(one, 'tag')))}
          outbounds={tagsAt(template, 'outbounds')}
          onApply={(part) => set(opened === NEW ? [...balancers, part] : balancers.with(opened, part))}
          onClose={() => setOpened(null)}
        />
      )}
    </Paper>
  );
}

interface ListProps {
  readonly balancers: readonly JsonObject[];
  readonly onOpen: (index: number) => void;
  readonly onRemove: (index: number) => void;
}

function List({ balancers, onOpen, onRemove }: ListProps) {
  const { t } = useTranslation('core');
  const mayEdit = useMay()('/panel/core/update');
  const tagOf = (index: number): string => textAt(balancers[index] ?? {}, 'tag');
  const [menuButton, menu] = useRowMenu<number>(
    (index) => t('actionsFor', { name: tagOf(index) }),
    (index) => (
      <>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onOpen(index)}>
          {t('edit')}
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => onRemove(index)}>
          {t('remove')}
        </Menu.Item>
      </>
    ),
  );
  return (
    <>
      <ul className={`${blocks['list']} ${classes['list']}`}>
        {balancers.map((balancer, index) => {
          const selector = valueAt(balancer, 'selector');
          return (
            <li key={tagOf(index) || index}>
              <div className={classes['main']}>
                <span className={classes['name']}>
                  <button type="button" onClick={() => onOpen(index)}>
                    <Technical>{tagOf(index)}</Technical>
                  </button>
                </span>
                <span className={classes['note']}>
                  <Technical>
                    {textAt(balancer, 'strategy.type') || 'random'} · {Array.isArray(selector) && selector.join(', ')}
                  </Technical>
                </span>
              </div>
              {mayEdit && menuButton(index)}
            </li>
          );
        })}
      </ul>
      {menu}
    </>
  );
}

interface FormProps {
  /** Undefined = a new one. */
  readonly balancer: JsonObject | undefined;
  /** The names of all others. */
  readonly others: readonly string[];
  readonly outbounds: readonly string[];
  readonly onApply: (balancer: JsonObject) => void;
  readonly onClose: () => void;
}

function BalancerForm({ balancer, others, outbounds, ...rest }: FormProps) {
  const { t } = useTranslation('core');
  const fields: readonly FieldDefinition[] = [
    { path: 'tag', label: t('field.name'), kind: 'text' },
    { path: 'selector', label: t('field.selector'), help: t('help.selector'), kind: 'list', options: outbounds },
    { path: 'strategy.type', label: t('field.method'), kind: 'select', options: STRATEGIES },
    { path: 'fallbackTag', label: t('field.fallback'), kind: 'select', options: ['', ...outbounds] },
  ];
  const check = (part: JsonObject): Problem | null => {
    const tag = textAt(part, 'tag');
    if (tag === '') return { path: 'tag', text: t('outbound.noName') };
    if (valueAt(part, 'selector') === undefined) return { path: 'selector', text: t('balancer.noSelector') };
    return others.includes(tag) ? { path: 'tag', text: t('outbound.taken', { tag }) } : null;
  };
  return (
    <PartForm
      title={balancer ? t('outbound.edit', { tag: textAt(balancer, 'tag') }) : t('balancer.add')}
      start={balancer ?? { tag: '', strategy: { type: 'random' } }}
      fieldsOf={() => fields}
      check={check}
      {...rest}
    />
  );
}

/** Adds the measurements that a strategy needs, over the outbounds of its balancers. What is there stays. */
function observed(template: JsonObject): JsonObject {
  return objectsAt(template, PATH).reduce((next, balancer) => {
    const block = OBSERVED[textAt(balancer, 'strategy.type')];
    const selector = valueAt(balancer, 'selector');
    if (block === undefined || !Array.isArray(selector) || isObject(next[block])) return next;
    const subjectSelector = selector.map(String);
    const probe = 'https://www.google.com/generate_204';
    const value =
      block === 'observatory'
        ? { subjectSelector, probeURL: probe, probeInterval: '1m', enableConcurrency: true }
        : { subjectSelector, pingConfig: { destination: probe, interval: '1m', sampling: 3, timeout: '5s' } };
    return withValue(next, block, value);
  }, template);
}
