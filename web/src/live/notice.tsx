import { Text } from '@mantine/core';
import i18next from 'i18next';
import type { SocketMessage } from '../api/contract.generated';
import { show, showFailure } from '../ui/feedback/toast';

const COLORS = { success: 'teal', warning: 'orange', error: 'red' } as const;
const SHOWN_MS = { success: 5000, warning: 10_000, error: 20_000 } as const;

/** Shows a notification that the panel sends to all admins. The server has translated it. */
export function notice({ title, body, severity }: Extract<SocketMessage, { type: 'notification' }>): void {
  const message = {
    color: COLORS[severity],
    autoClose: SHOWN_MS[severity],
    title,
    message: body === '' ? null : <Text size="sm">{body}</Text>,
    closeButtonProps: { 'aria-label': i18next.t('close', { ns: 'shell' }) },
  };
  if (severity === 'error' && body !== '') showFailure(message, body);
  else show(message);
}
