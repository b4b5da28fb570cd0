import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { answersAt, api, base } from '../../api/client';
import type { SettingSources } from '../../api/contract.generated';
import { nextAddress } from '../../model/panel-address';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical } from '../../ui/display/format';
import { Dialog } from '../../ui/feedback/Dialog';
import { sentenceOf } from '../../ui/feedback/toast';
import type { SettingKey } from './catalog';
import classes from './Settings.module.css';

/** The panel restarts its servers 3 seconds after the request. */
const GRACE_MS = 4500;
const TRY_MS = 1500;
const MOST_TRIES = 20;

/** Settings that are saved and not in effect yet. */
export const pendingOf = ({ settings }: SettingSources): readonly SettingKey[] =>
  (Object.keys(settings) as SettingKey[]).filter((key) => settings[key].pending);

/** Names the changes that wait for a restart, and offers it. */
export function RestartBanner({ sources }: { readonly sources: SettingSources }) {
  const { t } = useTranslation('settings');
  const [isOpen, setOpen] = useState(false);
  const may = useMay();
  const pending = pendingOf(sources);
  return (
    <>
      {pending.length > 0 && (
        <Alert
          color="orange"
          variant="light"
          icon={<IconRefresh />}
          title={t('restart.needed')}
          classNames={{ label: classes['alertTitle'] ?? '' }}
          role="status"
        >
          <Group justify="space-between" gap="sm">
            <Text size="sm">{t('restart.waiting', { list: pending.map((key) => t(key)).join(', ') })}</Text>
            {may('/panel/setting/restartPanel') && (
              <Button size="xs" onClick={() => setOpen(true)}>
                {t('restart')}
              </Button>
            )}
          </Group>
        </Alert>
      )}
      {isOpen && <RestartDialog sources={sources} onClose={() => setOpen(false)} />}
    </>
  );
}

type Step = 'asking' | 'waiting' | 'elsewhere' | 'late';

/** Asks, restarts, and leads to the address at which the panel is afterwards. */
function RestartDialog({ sources, onClose }: { readonly sources: SettingSources; readonly onClose: () => void }) {
  const { t } = useTranslation(['settings', 'shell']);
  // The sources change with the restart.
  const [address] = useState(() => nextAddress(sources, base));
  const [step, setStep] = useState<Step>('asking');
  const [refusal, setRefusal] = useState('');
  const moves = address.href !== base.href;
  const restart = (): void => {
    setRefusal('');
    api.post('/panel/setting/restartPanel').then(
      () => setStep(address.origin === base.origin ? 'waiting' : 'elsewhere'),
      (error: unknown) => setRefusal(sentenceOf(error)),
    );
  };
  useArrival(step === 'waiting', address, () => setStep('late'));
  return (
    <Dialog
      onClose={onClose}
      title={t('restart.title')}
      withCloseButton={step === 'asking'}
      closeOnClickOutside={step === 'asking'}
      closeOnEscape={step === 'asking'}
    >
      <Stack gap="sm">
        <Text size="sm">{t('restart.body')}</Text>
        {moves && (
          <div>
            <Text size="sm">{t('restart.moves')}</Text>
            <Group gap="xs" wrap="nowrap" className={classes['address']}>
              <Technical>{address.href}</Technical>
              <CopyButton text={address.href} label={t('restart.copy')} />
            </Group>
          </div>
        )}
        {refusal !== '' && (
          <Text size="sm" c="var(--bad)" role="alert">
            {refusal}
          </Text>
        )}
        <div role="status">
          {step === 'waiting' && (
            <Group gap="sm">
              <Loader size="sm" />
              <Text size="sm">{t('restart.running')}</Text>
            </Group>
          )}
          {step === 'elsewhere' && <Text size="sm">{t('restart.elsewhere')}</Text>}
          {step === 'late' && <Text size="sm">{t('restart.late')}</Text>}
        </div>
        <Group justify="flex-end" gap="sm">
          {step === 'asking' ? (
            <>
              <Button variant="default" onClick={onClose}>
                {t('cancel', { ns: 'shell' })}
              </Button>
              <Button onClick={restart}>{t('restart')}</Button>
            </>
          ) : (
            step !== 'waiting' && (
              <Button component="a" href={address.href}>
                {t('restart.open')}
              </Button>
            )
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Goes to the address as soon as the panel answers there. */
function useArrival(isWaiting: boolean, address: URL, onLate: () => void): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    let tries = 0;
    let timer: ReturnType<typeof setTimeout>;
    const look = async (): Promise<void> => {
      tries += 1;
      if (await answersAt(address)) {
        const target = new URL(window.location.hash, address);
        if (target.pathname === window.location.pathname) window.location.reload();
        else window.location.replace(target);
      } else if (tries >= MOST_TRIES) onLate();
      else timer = setTimeout(() => void look(), TRY_MS);
    };
    timer = setTimeout(() => void look(), GRACE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
}
