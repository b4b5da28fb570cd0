import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { useAction } from '../../ui/feedback/action';
import { confirmLoss } from '../../ui/feedback/confirm';
import { SidePanel } from '../../ui/feedback/SidePanel';
import { type DeadLetter, deadLetters, STALE, type Webhook } from './queries';
import classes from './Webhooks.module.css';

type Sent = Posts['/panel/api/webhooks/redeliver/:id']['reply'];

interface Props {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The events that the receiver rejected: to be sent again, or discarded. */
export function DeadLetters({ webhook: { id, name }, onClose }: Props) {
  const { t } = useTranslation('webhooks');
  const may = useMay();
  const query = useQuery(deadLetters(id));
  const params = { id };
  const discarding = useAction<number>({
    stale: STALE,
    run: (position) => api.post('/panel/api/webhooks/discard/:id', { params, body: { position } }),
  });
  const discard = (position: number): void =>
    confirmLoss({
      title: position === 0 ? t('discard.allTitle') : t('discard.title', { position }),
      body: t('discard.body'),
      action: t('discard'),
      run: () => discarding.mutate(position),
    });
  const mayDiscard = may('/panel/api/webhooks/discard/:id');
  return (
    <SidePanel onClose={onClose} size="lg" title={t('letters.title', { name })}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('letters.about')}
        </Text>
        <Loaded query={query} rows={4}>
          {(letters) =>
            letters.length === 0 ? (
              <Text size="sm">{t('letters.none')}</Text>
            ) : (
              <>
                <ul className={blocks['list']} aria-label={t('letters.title', { name })}>
                  {letters.map((letter) => (
                    <li key={letter.position} className={rows['main']}>
                      <Letter
                        webhook={id}
                        letter={letter}
                        onDiscard={mayDiscard ? () => discard(letter.position) : null}
                      />
                    </li>
                  ))}
                </ul>
                {mayDiscard && letters.length > 1 && (
                  <Group justify="flex-end">
                    <Button size="xs" variant="default" onClick={() => discard(0)}>
                      {t('discard.all')}
                    </Button>
                  </Group>
                )}
              </>
            )
          }
        </Loaded>
      </Stack>
    </SidePanel>
  );
}

interface LetterProps {
  readonly webhook: number;
  readonly letter: DeadLetter;
  /** Null: the role does not include it. */
  readonly onDiscard: (() => void) | null;
}

function Letter({ webhook: id, letter, onDiscard }: LetterProps) {
  const { t } = useTranslation('webhooks');
  const format = useFormat();
  const may = useMay();
  const { position, type, attempts, at, problem } = letter;
  const sending = useAction<void, Sent>({
    stale: STALE,
    run: () => api.post('/panel/api/webhooks/redeliver/:id', { params: { id }, body: { position } }),
    said: (_, { obj }) =>
      obj.accepted ? t('test.accepted', { status: obj.status, ms: obj.ms }) : t('test.refused', { why: obj.problem }),
  });
  return (
    <>
      <div className={rows['name']}>
        {may('/panel/api/audit/page') ? (
          <Anchor component={Link} to={`/audit/${position}`} size="sm">
            <Technical>#{position}</Technical>
          </Anchor>
        ) : (
          <Technical>#{position}</Technical>
        )}
        <Technical>{type}</Technical>
      </div>
      <div className={classes['problem']}>
        <bdi>{problem}</bdi>
      </div>
      <div className={rows['note']}>
        {format.dateTime(at)} · {t('letters.attempts', { count: attempts })}
      </div>
      <Group gap="xs" mt={4}>
        {may('/panel/api/webhooks/redeliver/:id') && (
          <Button size="compact-sm" variant="light" loading={sending.isPending} onClick={() => sending.mutate()}>
            {t('letters.retry')}
          </Button>
        )}
        {onDiscard && (
          <Button size="compact-sm" variant="default" onClick={onDiscard}>
            {t('discard')}
          </Button>
        )}
      </Group>
    </>
  );
}
