import { Button } from '@mantine/core';
import IconDeviceDesktop from '@tabler/icons-react/dist/esm/icons/IconDeviceDesktop.mjs';
import IconDeviceMobile from '@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs';
import IconTerminal2 from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded, Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { toastError } from '../../ui/feedback/toast';
import classes from './Account.module.css';
import { deviceOf } from './device';
import { type Session, STALE, sessions as sessionsQuery } from './queries';

const ICONS = { phone: IconDeviceMobile, computer: IconDeviceDesktop, program: IconTerminal2 } as const;
/** A connected page counts as used every two seconds. */
const RECENT_MS = 60_000;

/** Where the account is logged in, the newest login first. */
export function Sessions() {
  const { t } = useTranslation('account');
  const query = useQuery(sessionsQuery);
  const endOthers = useAction({ stale: STALE, run: () => api.post('/panel/setting/sessions/endOthers') });
  const others = (query.data ?? []).filter(({ current }) => !current).length;
  const ask = (): void =>
    confirmLoss({
      title: t('endOthers.title'),
      body: t('endOthers.body', { count: others }),
      action: t('endOthers'),
      run: () => endOthers.mutate(),
    });
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
          <ul className={`${blocks['list']} ${classes['list']}`}>
            {all.map((session) => (
              <Row key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function Row({ session }: { readonly session: Session }) {
  const { t } = useTranslation(['account', 'shell']);
  const format = useFormat();
  const { id, ip, startedAt, usedAt, current } = session;
  const { browser, system, kind } = deviceOf(session.device);
  const Icon = ICONS[kind];
  const name = browser === '' ? t('device.unknown') : system === '' ? browser : t('device.on', { browser, system });
  const end = useAction({ stale: STALE, run: () => api.post('/panel/setting/sessions/end', { body: { id } }) });
  const ask = (): void =>
    confirmLoss({ title: t('end.title', { name }), body: t('end.body'), action: t('end'), run: () => end.mutate() });
  const signOut = (): void => {
    api.post('/logout').then(() => location.reload(), toastError);
  };
  const isUsedNow = usedAt !== null && Date.now() - usedAt < RECENT_MS;
  return (
    <li>
      <span className={classes['icon']} aria-hidden>
        <Icon size={18} stroke={1.6} />
      </span>
      <div>
        <div className={classes['name']}>
          <bdi title={session.device}>{name}</bdi>
          {current && <Status tone="good">{t('current')}</Status>}
        </div>
        <div className={classes['note']}>
          {ip !== null && (
            <>
              <Technical>{ip}</Technical>
              {' · '}
            </>
          )}
          {isUsedNow
            ? t('used.now')
            : usedAt === null
              ? t('used.never')
              : t('used.at', { when: format.relative(usedAt) })}
        </div>
        <div className={classes['note']}>{t('startedAt', { when: format.dateTime(startedAt) })}</div>
      </div>
      <Button
        size="xs"
        variant="subtle"
        color={current ? 'gray' : 'red'}
        loading={end.isPending}
        aria-label={current ? t('logout', { ns: 'shell' }) : t('end.of', { name })}
        onClick={current ? signOut : ask}
      >
        {current ? t('logout', { ns: 'shell' }) : t('end')}
      </Button>
    </li>
  );
}
