import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import type { Gets } from '../../../api/contract.generated';
import { Technical, useFormat } from '../../../ui/display/format';
import { Loaded, Section } from '../../../ui/display/Page';
import { Status } from '../../../ui/display/Status';
import { useAction } from '../../../ui/feedback/action';
import { confirmLoss } from '../../../ui/feedback/confirm';
import { STALE_STATE, versionState, versions as versionsQuery } from '../queries';

type State = Gets['/panel/api/server/coreVersionState']['reply'];
const plain = (version: string): string => version.replace(/^v/, '');

/** The versions of the core: install one, see its trial, and go back. */
export function Versions({ current }: { readonly current: string }) {
  const { t } = useTranslation('core');
  const query = useQuery(versionState);
  const mayInstall = useMay()('/panel/api/server/installCore/:version');
  const installing = useAction<string>({
    stale: STALE_STATE,
    run: (version) => api.post('/panel/api/server/installCore/:version', { params: { version } }),
  });
  const ask = (version: string): void =>
    confirmLoss({
      title: t('install.title', { version }),
      body: t('install.body'),
      action: t('install'),
      run: () => installing.mutate(version),
    });
  return (
    <Section title={t('versions')}>
      <Loaded query={query} rows={2}>
        {(state) => (
          <Stack gap="sm" align="flex-start">
            <Trial state={state} current={current} />
            {!mayInstall ? null : state.fixedBy === '' ? (
              <>
                <Choice current={current} installed={state.installed} isBusy={installing.isPending} onInstall={ask} />
                {state.previous !== '' && plain(state.previous) !== plain(current) && (
                  <Button
                    size="xs"
                    variant="default"
                    loading={installing.isPending}
                    onClick={() => ask(`v${plain(state.previous)}`)}
                  >
                    {t('rollBack', { version: plain(state.previous) })}
                  </Button>
                )}
              </>
            ) : (
              <Text size="sm" c="dimmed">
                {t('versions.fixed')} <Technical>{state.fixedBy}</Technical>
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

/** The version that runs, whether it is on trial, and why the last installation was rolled back. */
function Trial({ state: { trialUntil, rolledBack }, current }: { readonly state: State; readonly current: string }) {
  const { t } = useTranslation('core');
  const format = useFormat();
  const isOnTrial = trialUntil > Date.now();
  return (
    <>
      <Group gap="sm">
        <Technical>{current || '–'}</Technical>
        {isOnTrial && <Status tone="warn">{t('trial', { time: format.time(trialUntil) })}</Status>}
      </Group>
      {rolledBack && (
        <Alert
          color="orange"
          variant="light"
          w="100%"
          p="sm"
          title={t('rolledBack', { version: rolledBack.version, when: format.relative(rolledBack.at) })}
        >
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {rolledBack.reason}
          </Text>
        </Alert>
      )}
    </>
  );
}

interface ChoiceProps {
  readonly current: string;
  readonly installed: readonly string[];
  readonly isBusy: boolean;
  readonly onInstall: (version: string) => void;
}

function Choice({ current, installed, isBusy, onInstall }: ChoiceProps) {
  const { t } = useTranslation('core');
  const query = useQuery(versionsQuery);
  const [chosen, setChosen] = useState('');
  const here = new Set(installed.map(plain));
  return (
    <Loaded query={query} rows={1}>
      {(all) => {
        const others = all.filter((version) => plain(version) !== plain(current));
        const version = others.includes(chosen) ? chosen : (others[0] ?? '');
        if (others.length === 0)
          return (
            <Text size="sm" c="dimmed">
              {t('versions.none')}
            </Text>
          );
        return (
          <>
            <NativeSelect
              w="100%"
              label={t('versions.choose')}
              description={t('versions.help')}
              dir="ltr"
              value={version}
              data={others.map((one) => ({
                value: one,
                label: here.has(plain(one)) ? `${one} (${t('versions.here')})` : one,
              }))}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            />
            <Button size="xs" loading={isBusy} onClick={() => onInstall(version)}>
              {t('install')}
            </Button>
          </>
        );
      }}
    </Loaded>
  );
}
