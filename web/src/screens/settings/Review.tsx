import { ActionIcon, Modal, Stack, Text } from '@mantine/core';
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, urlOf } from '../../api/client';
import type { SettingSources } from '../../api/contract.generated';
import { useAction } from '../../ui/feedback/action';
import { toastError } from '../../ui/feedback/toast';
import { FormFooter } from '../../ui/form/FormFooter';
import { type FieldKey, fieldOf, fields } from './catalog';
import { bodyOf, type Change, type Draft, revert, save, takeBack } from './draft';
import classes from './Settings.module.css';
import { valueWords } from './words';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly draft: Draft;
  readonly sources: SettingSources;
  /** The panel refused these fields. */
  readonly onRefused: (keys: readonly FieldKey[]) => void;
}

/** The changes as a diff, before anything is saved. */
export function Review({ opened, onClose, draft, sources, onRefused }: Props) {
  const { t } = useTranslation(['settings', 'shell']);
  const saving = useAction({
    async run(all: Draft) {
      const done = await save(all);
      // Before the settings are read again: a change in the meantime must not open the review.
      onClose();
      return done;
    },
    stale: [['settings']],
    silent: true,
    undo: (all) => takeBack(all),
    canUndo: ({ obj }) => obj,
  });
  const submit = (): void =>
    saving.mutate(draft, {
      onError(error) {
        const keys = error instanceof ApiError ? (Object.keys(error.fields) as FieldKey[]) : [];
        if (keys.length === 0) return toastError(error);
        onClose();
        onRefused(keys);
      },
    });
  return (
    <Modal
      opened={opened && draft.changes.size > 0}
      onClose={onClose}
      title={t('review.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('close', { ns: 'shell' }) }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="md">
          <ul className={classes['diff']}>
            {[...draft.changes].map(([key, change]) => (
              <DiffRow key={key} name={key} change={change} sources={sources} />
            ))}
          </ul>
          <FormFooter
            submit={t('save', { ns: 'shell' })}
            isBusy={saving.isPending}
            onCancel={onClose}
            request={() => ({ url: urlOf('/panel/setting/update'), body: bodyOf(draft) })}
          />
        </Stack>
      </form>
    </Modal>
  );
}

function DiffRow({
  name,
  change,
  sources,
}: {
  readonly name: FieldKey;
  readonly change: Change;
  readonly sources: SettingSources;
}): ReactNode {
  const { t } = useTranslation('settings');
  const field = fieldOf(name, sources);
  return (
    <li>
      <div>
        <Text size="sm" fw={600}>
          {t(name)}{' '}
          <Text span size="xs" c="dimmed" fw={400}>
            {t(`group.${fields[name].group}`)}
            {!field.secret && field.source.atRestart && ` · ${t('atRestart')}`}
          </Text>
        </Text>
        {field.secret || change.secret ? (
          <Text size="sm">{t(change.to === null ? 'diff.removed' : 'diff.replaced')}</Text>
        ) : (
          <div className={classes['values']}>
            <del>
              <bdi>{valueWords(t, field.value)}</bdi>
            </del>
            <ins>
              <bdi>{valueWords(t, change.to)}</bdi>
            </ins>
          </div>
        )}
      </div>
      <ActionIcon aria-label={t('revertOf', { name: t(name) })} onClick={() => revert(name)}>
        <IconArrowBackUp size={18} aria-hidden />
      </ActionIcon>
    </li>
  );
}
