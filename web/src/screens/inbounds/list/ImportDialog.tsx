import { Button, FileButton, Stack, Text, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import type { Posts } from '../../../api/contract.generated';
import { UNDO_PATH, undoCommand } from '../../../api/undo';
import { isObject } from '../../../model/json';
import { useAction } from '../../../ui/feedback/action';
import { Dialog } from '../../../ui/feedback/Dialog';
import { closeForm, useUnsaved } from '../../../ui/feedback/leave';
import { sentenceOf } from '../../../ui/feedback/toast';
import { FormFooter } from '../../../ui/form/FormFooter';
import { Refusal } from '../../../ui/form/Refusal';
import { STALE } from '../actions';
import classes from '../Inbounds.module.css';

type Inbounds = Posts['/panel/api/inbounds/importAll']['body']['inbounds'];
type Reply = Posts['/panel/api/inbounds/importAll']['reply'];

/**
 * Adds inbounds from their JSON: exports of this panel and of 3x-ui, one or a list. It first shows what each would be, and
 * then adds all of them or none.
 */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['inbounds', 'shell']);
  const may = useMay();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const preview = useMutation({
    mutationFn: async (inbounds: Inbounds) => (await importRequest(inbounds, true).send()).obj.inbounds,
  });
  const run = useAction<Inbounds, Reply>({
    stale: STALE,
    silent: true,
    said: (_, { obj }) => t('imported', { n: obj.added.length }),
    run: (inbounds) => importRequest(inbounds).send(),
    canUndo: () => may(UNDO_PATH) && may('/panel/api/inbounds/delete/:id'),
    undo: (_, { obj }) => undoCommand(obj.position),
  });
  useUnsaved(text.trim() !== '' && !run.isPending && !run.isSuccess, useLocation().pathname);
  const write = (next: string): void => {
    setText(next);
    setProblem('');
    preview.reset();
  };
  const refuse = (error: Error): void => setProblem(sentenceOf(error));
  const isChecked = preview.data?.every((row) => row.problem === '') === true;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const inbounds = inboundsIn(text);
    setProblem('');
    if (inbounds === null) setProblem(t('import.wrong'));
    else if (isChecked) run.mutate(inbounds, { onSuccess: onClose, onError: refuse });
    else preview.mutate(inbounds, { onError: refuse });
  };
  return (
    <Dialog onClose={() => closeForm(onClose)} size="lg" title={t('import')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Refusal text={problem} />
          <Text size="sm" c="dimmed">
            {t('import.help')}
          </Text>
          <Textarea
            aria-label="JSON"
            autosize
            minRows={8}
            maxRows={20}
            dir="ltr"
            spellCheck={false}
            classNames={{ input: classes['code'] ?? '' }}
            value={text}
            onChange={({ currentTarget: { value } }) => write(value)}
          />
          <FileButton accept="application/json,.json,.txt" onChange={(file) => void file?.text().then(write)}>
            {(props) => (
              <Button {...props} variant="default">
                {t('import.file')}
              </Button>
            )}
          </FileButton>
          {preview.data && <Preview rows={preview.data} />}
          <FormFooter
            submit={isChecked ? t('import') : t('check')}
            isBusy={preview.isPending || run.isPending}
            isDisabled={text.trim() === ''}
            onCancel={onClose}
            request={() => {
              const inbounds = inboundsIn(text);
              return inbounds && importRequest(inbounds);
            }}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

const importRequest = (inbounds: Inbounds, preview = false) =>
  api.request('/panel/api/inbounds/importAll', { body: { inbounds, ...(preview ? { preview } : {}) } });

/** What would be added, and what prevents it. */
function Preview({ rows }: { readonly rows: Reply['inbounds'] }) {
  const { t } = useTranslation('inbounds');
  const refused = rows.filter(({ problem }) => problem !== '').length;
  return (
    <div role="status">
      <Text size="sm" fw={600}>
        {refused === 0 ? t('import.fine', { n: rows.length }) : t('import.refused', { n: refused })}
      </Text>
      <ul className={classes['imported']}>
        {rows.map(({ remark, protocol, port, clients, problem }, index) => (
          <li key={index}>
            <bdi>{remark || `#${index + 1}`}</bdi>
            {' · '}
            <bdi>
              {protocol} {port}
            </bdi>
            {' · '}
            {t('clientCount', { count: clients })}
            {problem !== '' && <span className={classes['problem']}>{problem}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The inbounds of a JSON text; null for a text that has none. */
function inboundsIn(text: string): Inbounds | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every(isObject) ? ([...all] as Inbounds) : null;
}
