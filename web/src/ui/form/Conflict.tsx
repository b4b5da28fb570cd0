import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Json } from '../../model/json';
import type { Difference } from '../../model/merge';
import classes from './Conflict.module.css';
import { SegmentedControl } from './SegmentedControl';

/** A member for people. */
export interface Shown {
  readonly label: string;
  readonly theirs: string;
  readonly mine: string;
}

interface Props {
  readonly title: string;
  readonly found: readonly Difference[];
  /** Called with the paths for which the own value is kept. */
  readonly onMerge: (kept: ReadonlySet<string>) => void;
  readonly show: (difference: Difference) => Shown;
}

/** What another admin changed meanwhile, for each member with the choice whose value stays. */
export function Conflict({ title, found, onMerge, show }: Props) {
  const { t } = useTranslation('shell');
  const [kept, setKept] = useState<ReadonlySet<string>>(() => new Set(found.filter(isOwn).map(({ path }) => path)));
  const choose = (path: string, isMine: boolean): void => {
    const next = new Set(kept);
    if (isMine) next.add(path);
    else next.delete(path);
    setKept(next);
  };
  return (
    <Alert color="orange" variant="light" icon={<IconUsers />} title={title} role="alert">
      <Stack gap="sm">
        <Text size="sm">{found.length === 0 ? t('conflict.same') : t('conflict.body')}</Text>
        {found.map((difference) => (
          <Row
            key={difference.path}
            shown={show(difference)}
            isMine={kept.has(difference.path)}
            onChoose={(isMine) => choose(difference.path, isMine)}
          />
        ))}
        <Group justify="flex-end">
          <Button onClick={() => onMerge(kept)}>{t('conflict.continue')}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}

const isOwn = ({ isConflict }: Difference): boolean => isConflict;

interface RowProps {
  readonly shown: Shown;
  readonly isMine: boolean;
  readonly onChoose: (isMine: boolean) => void;
}

function Row({ shown: { label, theirs, mine }, isMine, onChoose }: RowProps) {
  const { t } = useTranslation('shell');
  return (
    <div className={classes['difference']}>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Value name={t('conflict.theirs')} text={theirs} isChosen={!isMine} />
      <Value name={t('conflict.mine')} text={mine} isChosen={isMine} />
      <SegmentedControl
        size="xs"
        className={classes['choice'] ?? ''}
        aria-label={t('conflict.choose', { name: label })}
        value={isMine ? 'mine' : 'theirs'}
        onChange={(value) => onChoose(value === 'mine')}
        data={(['theirs', 'mine'] as const).map((value) => ({ value, label: t(`conflict.${value}`) }))}
      />
    </div>
  );
}

interface ValueProps {
  readonly name: string;
  readonly text: string;
  readonly isChosen: boolean;
}

function Value({ name, text, isChosen }: ValueProps) {
  return (
    <div className={classes['value']} data-chosen={isChosen || undefined}>
      <span className={classes['of']}>{name}</span>
      <bdi>{text}</bdi>
    </div>
  );
}

/** A value as a conflict shows it, if nothing better is known. */
export function plainText(value: Json | undefined): string {
  if (value === undefined || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
