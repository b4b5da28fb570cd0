import { Button, Group, Text } from '@mantine/core';
import { type NotificationData, notifications, notificationsStore } from '@mantine/notifications';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client';

const SHOWN_MS = 5000;
/** More would leave little of a phone's screen. */
export const MAX_SHOWN = 3;
let toasts = 0;
/** Long enough to read the message and to reach the button. */
const UNDO_MS = 12_000;

interface Undo {
  /** Takes the change back; a failure is shown like any other. A text says how far it is undone. */
  readonly undo: () => Promise<unknown>;
}

/** Shows a message at once: the oldest one makes room for it. */
export function show(message: NotificationData): void {
  const [oldest, ...others] = notificationsStore.getState().notifications;
  if (oldest?.id !== undefined && others.length + 1 >= MAX_SHOWN) notifications.hide(oldest.id);
  notifications.show(message);
}

/** Shows that a change was made, with Undo where the change can be undone. */
export function toastDone(message: ReactNode, { undo }: Partial<Undo> = {}): void {
  if (message === '') return;
  toasts += 1;
  const id = `toast-${toasts}`;
  const takeBack = async (): Promise<void> => {
    notifications.hide(id);
    try {
      const said = await undo?.();
      toastDone(typeof said === 'string' ? said : i18next.t('undone', { ns: 'shell' }));
    } catch (error) {
      toastError(error);
    }
  };
  show({
    id,
    color: 'teal',
    autoClose: undo ? UNDO_MS : SHOWN_MS,
    closeButtonProps: { 'aria-label': i18next.t('close', { ns: 'shell' }) },
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{message}</Text>
        {undo && (
          <Button size="compact-sm" variant="light" onClick={() => void takeBack()}>
            {i18next.t('undo', { ns: 'shell' })}
          </Button>
        )}
      </Group>
    ),
  });
}

/**
 * Shows why a request was refused, in the words of the panel. A failure that the panel has also reported to all admins is
 * shown once, as that notification.
 */
export function toastError(error: unknown): void {
  const message = sentenceOf(error);
  const isReported = ({ 'data-failure': failure }: NotificationData): boolean =>
    typeof failure === 'string' && message.includes(failure);
  if (notificationsStore.getState().notifications.some(isReported)) return;
  show({
    'data-refusal': message,
    color: 'red',
    autoClose: UNDO_MS,
    closeButtonProps: { 'aria-label': i18next.t('close', { ns: 'shell' }) },
    message,
    role: 'alert',
  });
}

/** Shows a failure that the panel reports to all admins, in place of the refused request that it explains. */
export function showFailure(message: NotificationData, reason: string): void {
  for (const { id, 'data-refusal': refusal } of notificationsStore.getState().notifications)
    if (id !== undefined && typeof refusal === 'string' && refusal.includes(reason)) notifications.hide(id);
  show({ ...message, 'data-failure': reason });
}

/** The message of an error for the admin. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError && error.message !== '') return error.message;
  return i18next.t('error.unexpected', { ns: 'shell' });
}
