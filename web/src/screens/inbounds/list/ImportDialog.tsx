import { Alert, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { isObject } from '../../../model/json';
import { useAction } from '../../../ui/feedback/action';
import { Dialog } from '../../../ui/feedback/Dialog';
import { sentenceOf } from '../../../ui/feedback/toast';
import { STALE } from '../actions';
import classes from '../Inbounds.module.css';

/** Adds inbounds from their JSON: exports of this panel and of 3x-ui, one or a list. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['inbounds', 'shell']);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const run = useAction<readonly string[]>({
    stale: STALE,
    silent: true,
    said: (inbounds) => t('imported', { n: inbounds.length }),
    async run(inbounds) {
      let done = { obj: null as unknown, msg: '' };
      for (const data of inbounds) done = await api.post('/panel/api/inbounds/import', { body: { data } });
      return done;
    },
  });
  const submit = (): void => {
    const inbounds = inboundsIn(text);
    if (inbounds === null) return setProblem(t('import.wrong'));
    setProblem('');
    run.mutate(inbounds, { onSuccess: onClose, onError: (error) => setProblem(sentenceOf(error)) });
  };
  return (
    <Dialog onClose={onClose} size="lg" title={t('import')}>
      <Stack gap="md">
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
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        {problem !== '' && (
          <Alert color="red" variant="light" role="alert">
            {problem}
          </Alert>
        )}
        <Group justify="space-between">
          <FileButton accept="application/json,.json,.txt" onChange={(file) => void file?.text().then(setText)}>
            {(props) => (
              <Button {...props} variant="default">
                {t('import.file')}
              </Button>
            )}
          </FileButton>
          <Button loading={run.isPending} disabled={text.trim() === ''} onClick={submit}>
            {t('import')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** The JSON of each inbound; null for a text that has none. */
function inboundsIn(text: string): readonly string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.length > 0 && all.every(isObject) ? all.map((inbound) => JSON.stringify(inbound)) : null;
}
