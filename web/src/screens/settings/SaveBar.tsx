import { Anchor, Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { FieldKey } from './catalog';
import { type Draft, discardAll } from './draft';
import classes from './Settings.module.css';

interface Props {
  readonly draft: Draft;
  readonly onReview: () => void;
  /** Shows a field. */
  readonly onShow: (key: FieldKey) => void;
}

/** Says how many changes wait, and leads to them and to what the panel refused. */
export function SaveBar({ draft, onReview, onShow }: Props) {
  const { t } = useTranslation('settings');
  const refused = Object.keys(draft.errors) as FieldKey[];
  if (draft.changes.size === 0) return null;
  return (
    <div className={classes['bar']} role="region" aria-label={t('unsavedChanges')}>
      <div>
        <Text size="sm" fw={600} aria-live="polite">
          {t('changes', { count: draft.changes.size })}
        </Text>
        {refused.length > 0 && (
          <Text size="sm" c="var(--bad)" component="div">
            {t('refused')}{' '}
            {refused.map((key, index) => (
              <span key={key}>
                {index > 0 && ', '}
                <Anchor component="button" type="button" size="sm" c="inherit" onClick={() => onShow(key)}>
                  {t(key)}
                </Anchor>
              </span>
            ))}
          </Text>
        )}
      </div>
      <Group gap="xs">
        <Button variant="default" size="sm" onClick={discardAll}>
          {t('discard')}
        </Button>
        <Button size="sm" onClick={onReview}>
          {t('review')}
        </Button>
      </Group>
    </div>
  );
}
