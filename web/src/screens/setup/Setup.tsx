// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Paper, Text, UnstyledButton } from '@mantine/core';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { addTexts } from '../../i18n/i18n';
import { useFormat } from '../../ui/display/format';
import { Loaded, Loading, Page } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { closeForm } from '../../ui/feedback/leave';
import { screen as settingsScreen } from '../settings/screen';
import { InboundStep } from './InboundStep';
import { PasswordStep } from './PasswordStep';
import classes from './Setup.module.css';
import { STEPS, type Step, setup } from './steps';

// They share parts, and so texts, with the settings.
const shared = <K extends 'PathStep' | 'CertificateStep' | 'PendingRestart'>(name: K) =>
  lazy(async () => {
    const [module] = await Promise.all([import('./SettingSteps'), addTexts('settings', settingsScreen.texts)]);
    return { default: module[name] };
  });
const PendingRestart = shared('PendingRestart');

const FORMS: Readonly<Record<Step, ComponentType>> = {
  password: PasswordStep,
  basePath: shared('PathStep'),
  certificate: shared('CertificateStep'),
  inbound: InboundStep,
};

/** `#/setup`: from a fresh panel to a first client that connects. */
export function Setup() {
  const { t } = useTranslation('setup');
  const query = useQuery(setup);
  return (
    <Page title={t('title')} summary={t('summary')}>
      <Loaded query={query} rows={4}>
        {(done) => <Steps done={done} />}
      </Loaded>
    </Page>
  );
}

function Steps({ done }: { readonly done: Readonly<Record<Step, boolean>> }) {
  const { t } = useTranslation('setup');
  const format = useFormat();
  // A step that was opened stays open when it is done: it shows what it made.
  const [opened, setOpened] = useState<Step | null>(STEPS.find((step) => !done[step]) ?? null);
  const isAllDone = STEPS.every((step) => done[step]);
  return (
    <div className={classes['steps']}>
      {STEPS.map((step, index) => {
        const Form = FORMS[step];
        const isOpen = step === opened;
        return (
          <Paper key={step} component="section" aria-label={t(step)}>
            <UnstyledButton
              className={classes['head']}
              aria-expanded={isOpen}
              onClick={() => closeForm(() => setOpened(isOpen ? null : step))}
            >
              <span className={classes['number']} data-done={done[step] || undefined} aria-hidden>
                {format.number(index + 1)}
              </span>
              <span className={classes['grow']}>
                <Text component="h2" fw={600}>
                  {t(step)}
                </Text>
                <Text size="sm" c="dimmed">
                  {t(`${step}.why`)}
                </Text>
              </span>
              <Status tone={done[step] ? 'good' : 'quiet'}>{t(done[step] ? 'done' : 'open')}</Status>
              <IconChevronDown size={18} aria-hidden className={classes['chevron']} />
            </UnstyledButton>
            {isOpen && (
              <div className={classes['body']}>
                <Suspense fallback={<Loading rows={2} />}>
                  <Form />
                </Suspense>
              </div>
            )}
          </Paper>
        );
      })}
      <Suspense>
        <PendingRestart />
      </Suspense>
      <Button component={Link} to="/overview" variant={isAllDone ? 'filled' : 'default'} className={classes['end']}>
        {t(isAllDone ? 'finish' : 'later')}
      </Button>
    </div>
  );
}
