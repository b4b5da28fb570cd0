import { Button } from '@mantine/core';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Json } from '../../model/json';
import classes from './ItemList.module.css';

interface Props {
  /** What one item is called. */
  readonly label: string;
  readonly value: Json | undefined;
  /** A new item. */
  readonly fresh: Json;
  /** How many items at the start have inputs elsewhere. */
  readonly skip?: number;
  /** The inputs of an item. */
  readonly children: (index: number) => ReactNode;
  readonly onChange: (value: readonly Json[]) => void;
}

/** A list of objects: each with its inputs, to add and to remove. */
export function ItemList({ label, value, fresh, skip = 0, children, onChange }: Props) {
  const { t } = useTranslation('shell');
  const all: readonly Json[] = Array.isArray(value) ? value : [];
  return (
    <div>
      {[...all.keys()].slice(skip).map((index) => (
        <fieldset key={index} className={classes['item']}>
          <legend>{t('item', { name: label, n: index + 1 })}</legend>
          {children(index)}
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            mt="xs"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={() => onChange(all.filter((_, other) => other !== index))}
          >
            {t('item.remove', { name: label, n: index + 1 })}
          </Button>
        </fieldset>
      ))}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        disabled={all.length < skip}
        onClick={() => onChange([...all, fresh])}
      >
        {t('item.add', { name: label })}
      </Button>
    </div>
  );
}
