import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { ApiError, api } from '../../../api/client';
import { Technical } from '../../../ui/display/format';
import { Loaded, Section } from '../../../ui/display/Page';
import { Status } from '../../../ui/display/Status';
import { useAction } from '../../../ui/feedback/action';
import { confirmLoss } from '../../../ui/feedback/confirm';
import { panelUpdate } from '../queries';

/** The variable that names the source of releases: the panel's sentence contains it in every language when it is not set. */
const VARIABLE = 'PORTOLAN_PANEL_RELEASES_URL';
const isUnconfigured = (error: unknown): boolean => error instanceof ApiError && error.message.includes(VARIABLE);

/** The version of the panel, and its update. The core keeps running meanwhile. */
export function PanelVersion() {
  const { t } = useTranslation('core');
  const query = useQuery(panelUpdate);
  const mayUpdate = useMay()('/panel/api/server/updatePanel');
  const updating = useAction({ stale: [['core']], run: () => api.post('/panel/api/server/updatePanel') });
  if (query.error && isUnconfigured(query.error))
    return (
      <Section title={t('panel')}>
        <Text size="sm" c="dimmed">
          {t('panel.noReleases')}
        </Text>
      </Section>
    );
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
