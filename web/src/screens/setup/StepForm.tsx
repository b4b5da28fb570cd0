import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FormRequest } from '../../model/curl';
import { useUnsaved } from '../../ui/feedback/leave';
import { FormFooter } from '../../ui/form/FormFooter';

interface Props {
  readonly submit: string;
  readonly isBusy: boolean;
  /** Whether something is typed that is not saved. */
  readonly isDirty: boolean;
  readonly isDisabled?: boolean;
  readonly refusal: string;
  readonly request: () => FormRequest | null;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** The form of a step: its fields, why the panel refused it, and its button. */
export function StepForm({ submit, isBusy, isDirty, isDisabled = false, refusal, request, onSubmit, children }: Props) {
  useUnsaved(isDirty && !isBusy, '/setup');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack gap="md">
        {children}
        {refusal !== '' && (
          <Text size="sm" c="var(--bad)" role="alert">
            {refusal}
          </Text>
        )}
        <FormFooter submit={submit} isBusy={isBusy} isDisabled={isDisabled} request={request} />
      </Stack>
    </form>
  );
}
