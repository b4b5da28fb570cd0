import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import IconUsers from '@tabler/icons-react/dist/esm/icons/IconUsers.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SegmentedControl } from '../../ui/SegmentedControl';
import type { Json } from './draft';
import { fields } from './fields';
import classes from './Inbounds.module.css';
import { useLabels } from './Input';
import type { Difference } from './merge';

interface Props {
  readonly found: readonly Difference[];
  /** Called with the paths for which the own value is kept. */
  readonly onMerge: (kept: ReadonlySet<string>) => void;
}

/** What another admin changed meanwhile, for each member with the choice whose value stays. */
export function Conflict({ found, onMerge }: Props) {
  const { t } = useTranslation('inbounds');
  const [kept, setKept] = useState<ReadonlySet<string>>(() => new Set(found.filter(isOwn).map(({ path }) => path)));
  const choose = (path: string, isMine: boolean): void => {
    const next = new Set(kept);
    if (isMine) next.add(path);
    else next.delete(path);
    setKept(next);
  };
  return (
    <Alert color="orange" variant="light" icon={<IconUsers />} title={t('conflict.title')} role="alert">
      <Stack gap="sm">
        <Text size="sm">{found.length === 0 ? t('conflict.same') : t('conflict.body')}</Text>
        {found.map((difference) => (
          <Row
            key={difference.path}
            difference={difference}
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
  readonly difference: Difference;
  readonly isMine: boolean;
  readonly onChoose: (isMine: boolean) => void;
}

function Row({ difference: { path, theirs, mine }, isMine, onChoose }: RowProps) {
  const { t } = useTranslation('inbounds');
  const field = fields.find((one) => one.path === path);
  const { label } = useLabels({ name: field?.name ?? path });
  const isSecret = field?.isSecret === true;
  return (
    <div className={classes['difference']}>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Value name={t('conflict.theirs')} value={theirs} isSecret={isSecret} isChosen={!isMine} />
      <Value name={t('conflict.mine')} value={mine} isSecret={isSecret} isChosen={isMine} />
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
  readonly value: Json | undefined;
  readonly isSecret: boolean;
  readonly isChosen: boolean;
}

function Value({ name, value, isSecret, isChosen }: ValueProps) {
  const text = value === undefined || value === '' ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <div className={classes['value']} data-chosen={isChosen || undefined}>
      <span className={classes['of']}>{name}</span>
      <bdi>{isSecret && text !== '–' ? '••••••' : text}</bdi>
    </div>
  );
}
