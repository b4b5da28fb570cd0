import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Session } from '../../api/contract.generated';
import { Loaded } from '../../ui/display/Page';
import { SessionList } from '../../ui/display/SessionList';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { Dialog } from '../../ui/feedback/Dialog';
import { type Admin, STALE, sessionsOf } from './queries';

/** Where another admin is logged in; one session can be ended, or all. */
export function SessionsDialog({ admin, onClose }: { readonly admin: Admin; readonly onClose: () => void }) {
  const { t } = useTranslation('access');
  const name = admin.username;
  const query = useQuery(sessionsOf(admin.id));
  const mayEnd = useMay()('/panel/api/admins/endSessions/:id');
  const end = useAction({
    stale: STALE,
    run: (session: Session | null) =>
      api.post('/panel/api/admins/endSessions/:id', {
        params: { id: admin.id },
        body: session === null ? {} : { session: session.id },
      }),
  });
  const askAll = (): void =>
    confirmLoss({
      title: t('endAll.title', { name }),
      body: t('endAll.body'),
      action: t('endAll'),
      run: () => end.mutate(null),
    });
  return (
    <Dialog title={t('sessionsTitle', { name })} onClose={onClose}>
      <Loaded query={query} rows={2}>
        {(all) => (
          <Stack gap="md">
            {all.length === 0 && <Text size="sm">{t('sessions.none')}</Text>}
            <SessionList
              sessions={all}
              ending={end.isPending ? end.variables?.id : undefined}
              onEnd={mayEnd ? (session) => end.mutate(session) : undefined}
            />
            {mayEnd && all.length > 1 && (
              <Button variant="default" loading={end.isPending && end.variables === null} onClick={askAll}>
                {t('endAll')}
              </Button>
            )}
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}
