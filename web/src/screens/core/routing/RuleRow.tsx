import IconGripVertical from '@tabler/icons-react/dist/esm/icons/IconGripVertical.mjs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type JsonObject, valueAt } from '../../../model/json';
import { Technical, useFormat } from '../../../ui/display/format';
import classes from '../Core.module.css';
import { textAt } from '../template';

/** The members of a rule that say what it matches, in the order in which they are read. */
const CONDITIONS = ['inboundTag', 'user', 'domain', 'ip', 'port', 'network', 'protocol', 'sourceIP', 'source'] as const;

interface Props {
  readonly rule: JsonObject;
  readonly index: number;
  readonly count: number;
  /** Another rule is dragged over this one. */
  readonly isTarget: boolean;
  readonly onDrag: (phase: 'start' | 'over' | 'end' | 'drop') => void;
  readonly onMove: (to: number) => void;
  readonly onOpen: () => void;
  /** False for a role that can only read the rules. */
  readonly isMovable: boolean;
  readonly menu: ReactNode;
}

/** A rule in the list: where it stands, what it matches and where the traffic goes. */
export function RuleRow({ rule, index, count, isTarget, onDrag, onMove, onOpen, isMovable, menu }: Props) {
  const { t } = useTranslation('core');
  const format = useFormat();
  return (
    <li
      draggable={isMovable}
      data-over={isTarget || undefined}
      onDragStart={() => onDrag('start')}
      onDragOver={(event) => {
        event.preventDefault();
        onDrag('over');
      }}
      onDragEnd={() => onDrag('end')}
      onDrop={() => onDrag('drop')}
    >
      {isMovable && <Handle index={index} count={count} onMove={onMove} />}
      <div className={classes['main']}>
        <span className={classes['name']}>
          <button type="button" onClick={onOpen}>
            {format.number(index + 1)}. <bdi>{textAt(rule, 'ruleTag') || t('rule.to')}</bdi>{' '}
            <Technical>{textAt(rule, 'outboundTag') || textAt(rule, 'balancerTag')}</Technical>
          </button>
        </span>
        <span className={classes['note']}>
          <Technical>{summaryOf(rule) || t('rule.all')}</Technical>
        </span>
      </div>
      {menu}
    </li>
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
      aria-label={t('rule.move', { n: index + 1 })}
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
