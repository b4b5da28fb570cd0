import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import i18next from 'i18next';

interface Question {
  readonly title: string;
  /** Names what will be lost. */
  readonly body: string;
  /** The verb of the button: never "OK". */
  readonly action: string;
  readonly run: () => void;
}

/** Asks for a confirmation before a change that cannot be undone. */
export function confirmLoss({ title, body, action, run }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{body}</Text>,
    labels: { confirm: action, cancel: i18next.t('cancel', { ns: 'shell' }) },
    confirmProps: { color: 'red' },
    closeButtonProps: { 'aria-label': i18next.t('close', { ns: 'shell' }) },
    onConfirm: run,
  });
}
