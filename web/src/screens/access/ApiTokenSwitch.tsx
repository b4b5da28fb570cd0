import { Anchor, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { apiToken } from './queries';

const setEnabled = (apiTokenEnable: boolean) => api.post('/panel/setting/update', { body: { apiTokenEnable } });

/** The one token of 3x-ui, which may do everything: whether it is accepted. */
export function ApiTokenSwitch() {
  const { t } = useTranslation('access');
  const { data } = useQuery(apiToken);
  const may = useMay();
  const switching = useAction<boolean>({
    stale: [['settings']],
    run: setEnabled,
    undo: (on) => setEnabled(!on),
    said: (on) => t(on ? 'apiToken.isOn' : 'apiToken.isOff'),
  });
  const setting = data?.settings.apiTokenEnable;
  if (!setting) return null;
  const isOn = setting.value === true;
  const maySwitch = may('/panel/setting/update') && may(setting.permission) && setting.variable === null;
  return (
    <Section
      title={t('apiToken')}
      actions={<Status tone={isOn ? 'warn' : 'good'}>{t(isOn ? 'apiToken.on' : 'apiToken.off')}</Status>}
    >
      <Text size="sm">{t('apiToken.body')}</Text>
      <Group justify="space-between" mt="md">
        <Anchor component={Link} to="/settings?group=api" size="sm">
          {t('apiToken.settings')}
        </Anchor>
        {maySwitch && (
          <Button variant="default" size="xs" loading={switching.isPending} onClick={() => switching.mutate(!isOn)}>
            {t(isOn ? 'apiToken.switchOff' : 'apiToken.switchOn')}
          </Button>
        )}
      </Group>
    </Section>
  );
}
