import { Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import type { Done, PostRequest } from '../../api/client';
import { useAction } from '../feedback/action';
import { useUnsaved } from '../feedback/leave';
import { SidePanel } from '../feedback/SidePanel';
import { FormFooter } from './FormFooter';
import { Refusal } from './Refusal';
import { type FieldOf, useRefusal } from './use-refusal';

interface Props<V, R> {
  readonly title: string;
  /** The verb of the button that sends the form. */
  readonly submit: string;
  readonly form: UseFormReturnType<V>;
  readonly request: (values: V) => PostRequest<R>;
  /** Keys of the queries that a success makes stale. */
  readonly stale: readonly QueryKey[];
  /** Reverts the change; the toast offers it. */
  readonly undo?: (values: V, done: Done<R>) => Promise<unknown>;
  /** Text of the toast, instead of the message of the panel. */
  readonly said?: (values: V, done: Done<R>) => string;
  readonly onDone?: (done: Done<R>) => void;
  /** The field that a refusal is about; other refusals are shown at the top. */
  readonly fieldOf?: FieldOf<V>;
  readonly onClose: () => void;
  readonly size?: 'md' | 'lg';
  readonly children: ReactNode;
}

/** A form in a drawer. It closes after a success; after a refusal it stays open and shows the panel's sentence. */
export function DrawerForm<V, R = unknown>(props: Props<V, R>) {
  const { title, submit, form, request, stale, undo, said, onDone, fieldOf, onClose, size = 'md', children } = props;
  const refusal = useRefusal(form, fieldOf);
  const save = useAction<V, R>({
    ...{ stale, undo, silent: true, run: (values) => request(values).send() },
    ...(said ? { said } : {}),
  });
  useUnsaved(form.isDirty() && !save.isPending && !save.isSuccess, useLocation().pathname);
  const send = form.onSubmit((values) => {
    refusal.clear();
    save.mutate(values, {
      onSuccess(done) {
        onDone?.(done);
        onClose();
      },
      onError: refusal.refuse,
    });
  }, refusal.focusWrong);
  return (
    <SidePanel onClose={onClose} title={title} size={size}>
      <form onSubmit={send} noValidate>
        <Stack gap="md">
          <Refusal text={refusal.text} />
          {children}
          <FormFooter submit={submit} isBusy={save.isPending} onCancel={onClose} request={() => request(form.values)} />
        </Stack>
      </form>
    </SidePanel>
  );
}
