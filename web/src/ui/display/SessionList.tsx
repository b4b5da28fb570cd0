import { Button } from '@mantine/core';
import IconDeviceDesktop from '@tabler/icons-react/dist/esm/icons/IconDeviceDesktop.mjs';
import IconDeviceMobile from '@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs';
import IconTerminal2 from '@tabler/icons-react/dist/esm/icons/IconTerminal2.mjs';
import { useTranslation } from 'react-i18next';
import type { Session } from '../../api/contract.generated';
import { deviceOf } from '../../model/device';
import { confirmLoss } from '../feedback/confirm';
import blocks from './Blocks.module.css';
import { Technical, useFormat } from './format';
import classes from './SessionList.module.css';
import { Status } from './Status';

const ICONS = { phone: IconDeviceMobile, computer: IconDeviceDesktop, program: IconTerminal2 } as const;
/** A connected page counts as used every two seconds. */
const RECENT_MS = 60_000;

interface Props {
  readonly sessions: readonly Session[];
  /** The session that is being ended. */
  readonly ending: string | undefined;
  /** Absent: sessions are only shown. */
  readonly onEnd?: ((session: Session) => void) | undefined;
}

/** Where an account is logged in, the newest login first. Each session can be ended, after a question. */
export function SessionList({ sessions, ending, onEnd }: Props) {
  return (
    <ul className={`${blocks['list']} ${classes['list']}`}>
      {sessions.map((session) => (
        <Row key={session.id} session={session} isEnding={session.id === ending} onEnd={onEnd} />
      ))}
    </ul>
  );
}

interface RowProps extends Pick<Props, 'onEnd'> {
  readonly session: Session;
  readonly isEnding: boolean;
}

function Row({ session, isEnding, onEnd }: RowProps) {
  const { t } = useTranslation('shell');
  const format = useFormat();
  const { ip, startedAt, usedAt, current } = session;
  const { browser, system, kind } = deviceOf(session.device);
  const Icon = ICONS[kind];
  const name =
    browser === ''
      ? t('session.device.unknown')
      : system === ''
        ? browser
        : t('session.device.on', { browser, system });
  const ask = (): void =>
    confirmLoss({
      title: t('session.end.title', { name }),
      body: t('session.end.body'),
      action: t('session.end'),
      run: () => onEnd?.(session),
    });
  const isUsedNow = usedAt !== null && Date.now() - usedAt < RECENT_MS;
  return (
    <li>
      <span className={classes['icon']} aria-hidden>
        <Icon size={18} stroke={1.6} />
      </span>
      <div>
        <div className={classes['name']}>
          <bdi title={session.device}>{name}</bdi>
          {current && <Status tone="good">{t('session.current')}</Status>}
        </div>
        <div className={classes['note']}>
          {ip !== null && (
            <>
              <Technical>{ip}</Technical>
              {' · '}
            </>
          )}
          {isUsedNow
            ? t('session.used.now')
            : usedAt === null
              ? t('session.used.never')
              : t('session.used.at', { when: format.relative(usedAt) })}
        </div>
        <div className={classes['note']}>{t('session.startedAt', { when: format.dateTime(startedAt) })}</div>
      </div>
      {onEnd && (
        <Button
          size="xs"
          variant="subtle"
          color={current ? 'gray' : 'red'}
          loading={isEnding}
          aria-label={current ? t('logout') : t('session.end.of', { name })}
          onClick={current ? () => onEnd(session) : ask}
        >
          {current ? t('logout') : t('session.end')}
        </Button>
      )}
    </li>
  );
}
