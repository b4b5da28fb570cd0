import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FormRequest } from '../../model/curl';
import { useCurl } from '../form/FormFooter';
import { Refusal } from '../form/Refusal';
import { Dialog } from './Dialog';
import { sentenceOf } from './toast';

interface Reactions {
  readonly onSuccess: () => void;
  readonly onError: (error: Error) => void;
}

interface Props {
  readonly title: string;
  /** The verb of the red button. */
  readonly submit: string;
  readonly request: FormRequest;
  /** The mutation that sends the request. */
  readonly action: { readonly isPending: boolean; readonly mutate: (input: undefined, reactions: Reactions) => void };
  readonly onClose: () => void;
  /** What is destroyed and what stays, and the questions about it. */
  readonly children: ReactNode;
}

/** Asks once for an action that cannot be undone, and shows the reason if the panel refuses it. */
export function DestroyDialog({ title, submit, request, action, onClose, children }: Props) {
  const { t } = useTranslation('shell');
  const [refusal, setRefusal] = useState('');
  const curl = useCurl(() => request);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    setRefusal('');
    action.mutate(undefined, { onSuccess: onClose, onError: (error) => setRefusal(sentenceOf(error)) });
  };
  return (
    <Dialog onClose={onClose} title={title}>
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          <Refusal text={refusal} />
          {children}
          {curl.view}
          <Group justify="flex-end" gap="sm">
            <Group me="auto">{curl.button}</Group>
            <Button variant="default" onClick={onClose} data-autofocus>
              {t('cancel')}
            </Button>
            <Button type="submit" color="red" loading={action.isPending}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
