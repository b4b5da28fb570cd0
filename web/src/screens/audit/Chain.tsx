import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { Meter, Status } from '../../ui/display/Status';
import { Dialog } from '../../ui/feedback/Dialog';
import { sentenceOf } from '../../ui/feedback/toast';
import classes from './Audit.module.css';
import { Published } from './Published';
import { auditChain } from './queries';

/** The state of the hash chain, and its verification. */
export function Chain({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['audit', 'shell']);
  const query = useQuery(auditChain);
  const format = useFormat();
  const may = useMay();
  return (
    <Dialog onClose={onClose} title={t('chain')} size="lg">
      <Loaded query={query} rows={3}>
        {({ head, verified }) => (
          <div className={classes['event']}>
            <Text size="sm">{t('chain.about')}</Text>
            <dl className={classes['facts']}>
              <dt>{t('chain.head')}</dt>
              <dd>
                <Technical>#{head.position}</Technical>
              </dd>
              <dt>{t('hash')}</dt>
              <dd className={classes['hash']}>
                <Technical>{head.hash}</Technical>
                <CopyButton text={head.hash} label={t('hash.copy')} />
              </dd>
              <dt>{t('chain.backup')}</dt>
              <dd>
                {verified
                  ? t('chain.verified', { position: `#${verified.position}`, when: format.dateTime(verified.at) })
                  : t('chain.never')}
              </dd>
            </dl>
            <Verification />
            {may('/panel/api/proof/status') && <Published />}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

interface Verified {
  readonly position: number;
  readonly head: number;
  readonly isRunning: boolean;
  /** Why it ended before the head. */
  readonly problem: string | null;
}

/** Verifies the chain in parts from its beginning, until the dialog is closed. */
function useVerification() {
  const [state, setState] = useState<Verified | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (): Promise<void> => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    let position = 0;
    setState({ position, head: 0, isRunning: true, problem: null });
    try {
      for (;;) {
        const part = await api.get('/panel/api/audit/verify', { query: { after: position }, signal });
        const isDone = part.fault !== null || part.position === position || part.position >= part.head;
        position = part.position;
        const problem = part.fault && `#${part.fault.position}: ${part.fault.what}`;
        setState({ position, head: part.head, isRunning: !isDone, problem });
        if (isDone) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      setState((before) => before && { ...before, isRunning: false, problem: sentenceOf(error) });
    }
  };
  return [state, start] as const;
}

function Verification() {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const [state, start] = useVerification();
  const isSound = state !== null && !state.isRunning && state.problem === null;
  return (
    <div className={classes['verify']}>
      <Button onClick={() => void start()} loading={state?.isRunning === true}>
        {t('verify')}
      </Button>
      <div role="status" className={classes['verifyState']}>
        {state?.isRunning && state.head > 0 && (
          <>
            <Meter share={state.position / state.head} isPlain />
            {t('verify.running', { position: format.number(state.position), head: format.number(state.head) })}
          </>
        )}
        {isSound && <Status tone="good">{t('verify.good', { position: format.number(state.position) })}</Status>}
        {state !== null && state.problem !== null && <Status tone="bad">{state.problem}</Status>}
      </div>
    </div>
  );
}
