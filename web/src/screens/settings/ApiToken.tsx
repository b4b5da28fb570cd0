import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical } from '../../ui/display/format';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import classes from './Settings.module.css';

/** The Bearer token of the API: shown on demand, replaced after a question. */
export function ApiToken() {
  const { t } = useTranslation('settings');
  const [token, setToken] = useState<string | null>(null);
  const show = useAction({
    run: async () => ({ obj: await api.get('/panel/setting/getApiToken'), msg: '' }),
    stale: [],
  });
  const regenerate = useAction({ run: () => api.post('/panel/setting/regenerateApiToken'), stale: [['settings']] });
  const may = useMay();
  const replace = (): void =>
    confirmLoss({
      title: t('token.regenerate.title'),
      body: t('token.regenerate.body'),
      action: t('token.regenerate'),
      run: () => regenerate.mutate(undefined, { onSuccess: ({ obj }) => setToken(obj) }),
    });
  return (
    <div className={classes['row']}>
      <div className={classes['about']}>
        <span className={classes['label']}>{t('token')}</span>
        <Text size="sm" c="dimmed">
          {t('token.help')}
        </Text>
      </div>
      <div className={classes['control']}>
        {token !== null && (
          <Group gap="xs" wrap="nowrap" mb="xs" role="group" aria-label={t('token')}>
            <Text size="sm" className={classes['token']}>
              <Technical>{token}</Technical>
            </Text>
            <CopyButton text={token} label={t('token.copy')} />
          </Group>
        )}
        <Group gap="xs">
          {token === null ? (
            <Button
              size="xs"
              variant="default"
              loading={show.isPending}
              onClick={() => show.mutate(undefined, { onSuccess: ({ obj }) => setToken(obj) })}
            >
              {t('token.show')}
            </Button>
          ) : (
            <Button size="xs" variant="default" onClick={() => setToken(null)}>
              {t('token.hide')}
            </Button>
          )}
          {may('/panel/setting/regenerateApiToken') && (
            <Button size="xs" variant="default" color="red" loading={regenerate.isPending} onClick={replace}>
              {t('token.regenerate')}
            </Button>
          )}
        </Group>
      </div>
    </div>
  );
}
