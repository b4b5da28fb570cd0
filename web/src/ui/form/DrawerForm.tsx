import { Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { PostRequest } from '../../api/client';
import { useAction } from '../feedback/action';
import { SidePanel } from '../feedback/SidePanel';
import { sentenceOf } from '../feedback/toast';
import { FormFooter } from './FormFooter';

interface Props<V> {
  readonly title: string;
  /** The verb of the button that sends the form. */
  readonly submit: string;
  readonly form: UseFormReturnType<V>;
  readonly request: (values: V) => PostRequest<unknown>;
  /** Keys of the queries that a success makes stale. */
  readonly stale: readonly QueryKey[];
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a drawer. It closes after a success; after a refusal it stays open and shows the panel's sentence. */
export function DrawerForm<V>({ title, submit, form, request, stale, onClose, children }: Props<V>) {
  const [refusal, setRefusal] = useState('');
  const save = useAction<V>({ stale, silent: true, run: (values) => request(values).send() });
  const send = form.onSubmit((values) => {
    setRefusal('');
    save.mutate(values, { onSuccess: onClose, onError: (error) => setRefusal(sentenceOf(error)) });
  });
  return (
    <SidePanel onClose={onClose} title={title}>
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          {children}
          {refusal !== '' && (
            <Text size="sm" c="var(--bad)" role="alert">
              {refusal}
            </Text>
          )}
          <FormFooter submit={submit} isBusy={save.isPending} onCancel={onClose} request={() => request(form.values)} />
        </Stack>
      </form>
    </SidePanel>
  );
}
