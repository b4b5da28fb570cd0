import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import { Technical } from '../../../ui/display/format';
import { Loaded, Section } from '../../../ui/display/Page';
import { Status } from '../../../ui/display/Status';
import { useAction } from '../../../ui/feedback/action';
import { confirmLoss } from '../../../ui/feedback/confirm';
import { panelUpdate } from '../queries';

/** The version of the panel, and its update. The core keeps running meanwhile. */
export function PanelVersion() {
  const { t } = useTranslation('core');
  const query = useQuery(panelUpdate);
  const mayUpdate = useMay()('/panel/api/server/updatePanel');
  const updating = useAction({ stale: [['core']], run: () => api.post('/panel/api/server/updatePanel') });
  return (
    <Section title={t('panel')}>
      <Loaded query={query} rows={1}>
        {({ currentVersion, latestVersion, updateAvailable }) => (
          <Stack gap="sm" align="flex-start">
            <Text size="sm" component="div">
              <Technical>{currentVersion}</Technical>
            </Text>
            {updateAvailable ? (
              <>
                <Status tone="warn">{t('panel.newer', { version: latestVersion })}</Status>
                {mayUpdate && (
                  <Button
                    size="xs"
                    loading={updating.isPending}
                    onClick={() =>
                      confirmLoss({
                        title: t('panel.title', { version: latestVersion }),
                        body: t('panel.body'),
                        action: t('panel.update'),
                        run: () => updating.mutate(),
                      })
                    }
                  >
                    {t('panel.update')}
                  </Button>
                )}
              </>
            ) : (
              <Status tone="good">{t('panel.current')}</Status>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
