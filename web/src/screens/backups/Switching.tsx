import { Alert, Loader, Text } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, answersAt, api, base } from '../../api/client';

/** The state that the panel restarts with. */
export interface Target {
  /** The identity of the log before. */
  readonly generation: string;
  readonly basePath: string;
  /** When it was confirmed, in ms. */
  readonly at: number;
}

type Outcome = 'waiting' | 'restored' | 'returned' | 'lost';
const POLL_MS = 1000;
/** Without an answer for so long, the panel has not started. */
const MAX_WAIT_MS = 180_000;

interface Props {
  readonly target: Target;
  /** The panel answers again, or the wait is over. */
  readonly onEnd: () => void;
  readonly onClose: () => void;
}

/**
 * Waits for the panel with the new state. All sessions have ended then, so the login opens over the screen; at another base
 * path the page moves there.
 */
export function Switching({ target, onEnd, onClose }: Props) {
  const { t } = useTranslation(['backups', 'shell']);
  const client = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>('waiting');
  const ended = useEffectEvent(onEnd);
  useEffect(() => {
    const ending = new AbortController();
    void follow(target, ending.signal).then((found) => {
      if (ending.signal.aborted) return;
      setOutcome(found);
      ended();
      return client.invalidateQueries();
    });
    return () => ending.abort();
  }, [target, client]);
  const isDone = outcome !== 'waiting';
  const isGood = outcome === 'waiting' || outcome === 'restored';
  return (
    <Alert
      color={outcome === 'waiting' ? 'blue' : isGood ? 'teal' : 'red'}
      variant="light"
      role={isGood ? 'status' : 'alert'}
      icon={outcome === 'waiting' ? <Loader size={20} /> : isGood ? <IconCheck /> : <IconAlertTriangle />}
      title={t(`switch.${outcome}`)}
      withCloseButton={isDone}
      closeButtonLabel={t('close', { ns: 'shell' })}
      onClose={onClose}
    >
      <Text size="sm">{t(`switch.${outcome}Body`)}</Text>
    </Alert>
  );
}

/** Asks until the log has another identity, or the panel says that it returned to the former state. */
async function follow({ generation, basePath, at }: Target, signal: AbortSignal): Promise<Outcome> {
  const address = new URL(basePath, base);
  const isMoved = address.pathname !== base.pathname;
  while (!signal.aborted && Date.now() - at < MAX_WAIT_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      const query = { limit: 100, types: 'StateReplacementRolledBack' };
      const page = await api.get('/panel/api/events', { query: { ...query, after: '0' } });
      if (page.generation !== generation) return 'restored';
      if (page.events.some((event) => event.at >= at)) return 'returned';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isMoved && !error.isOffline && (await answersAt(address))) {
        location.replace(new URL('#/backups', address));
        return 'restored';
      }
    }
  }
  return 'lost';
}
