import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Session } from '../../api/contract.generated';
import { Loaded, Section } from '../../ui/display/Page';
import { SessionList } from '../../ui/display/SessionList';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { toastError } from '../../ui/feedback/toast';
import { STALE, sessions as sessionsQuery } from './queries';

/** Where the account is logged in, the newest login first. */
export function Sessions() {
  const { t } = useTranslation('account');
  const query = useQuery(sessionsQuery);
  const end = useAction({
    stale: STALE,
    run: ({ id }: Session) => api.post('/panel/setting/sessions/end', { body: { id } }),
  });
  const endOthers = useAction({ stale: STALE, run: () => api.post('/panel/setting/sessions/endOthers') });
  const others = (query.data ?? []).filter(({ current }) => !current).length;
  const ask = (): void =>
    confirmLoss({
      title: t('endOthers.title'),
      body: t('endOthers.body', { count: others }),
      action: t('endOthers'),
      run: () => endOthers.mutate(),
    });
  const logOut = (): void => {
    api.post('/logout').then(() => location.reload(), toastError);
  };
  return (
    <Section
      title={t('sessions')}
      actions={
        others > 0 && (
          <Button size="xs" variant="default" loading={endOthers.isPending} onClick={ask}>
            {t('endOthers')}
          </Button>
        )
      }
    >
      <Loaded query={query} rows={2}>
        {(all) => (
          <SessionList
            sessions={all}
            ending={end.isPending ? end.variables.id : undefined}
            onEnd={(session) => (session.current ? logOut() : end.mutate(session))}
          />
        )}
      </Loaded>
    </Section>
  );
}
