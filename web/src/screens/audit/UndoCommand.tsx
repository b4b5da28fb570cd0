import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { UNDO_PATH } from '../../api/undo';
import { useFormat } from '../../ui/display/format';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import { useCurl } from '../../ui/form/FormFooter';
import classes from './Audit.module.css';
import { SubjectName } from './columns';

type Reply = Posts[typeof UNDO_PATH]['reply'];
type Preview = Extract<Reply, { readonly dryRun: true }>;

/** Events and names that are listed; the others are counted. */
const LISTED = 8;

/** Takes back the command of an event: first shows what would happen. */
export function UndoCommand({ position }: { readonly position: number }) {
  const { t } = useTranslation('audit');
  const preview = useMutation({
    mutationFn: async () => {
      const { obj } = await api.post(UNDO_PATH, { params: { position }, body: { dryRun: true } });
      return 'dryRun' in obj ? obj : null;
    },
  });
  if (preview.data) return <Previewed position={position} preview={preview.data} onCancel={preview.reset} />;
  return (
    <>
      <Button size="compact-sm" variant="light" loading={preview.isPending} onClick={() => preview.mutate()}>
        {t('undo')}
      </Button>
      {preview.error && (
        <Text size="sm" role="alert" className={classes['refusal'] ?? ''}>
          {sentenceOf(preview.error)}
        </Text>
      )}
    </>
  );
}

interface PreviewedProps {
  readonly position: number;
  readonly preview: Preview;
  readonly onCancel: () => void;
}

function Previewed({ position, preview, onCancel }: PreviewedProps) {
  const { t } = useTranslation(['audit', 'shell']);
  const navigate = useNavigate();
  const { events, total, effects, report } = preview;
  const request = () => api.request(UNDO_PATH, { params: { position }, body: {} });
  const undo = useAction({ run: () => request().send(), stale: [[]] });
  const curl = useCurl(request);
  const obstacles = report?.obstacles ?? [];
  return (
    <section aria-label={t('undo.title')} className={classes['undo']}>
      <h3>{t('undo.title')}</h3>
      {total === 0 && <Text size="sm">{t('undo.nothing')}</Text>}
      <ul>
        {events.slice(0, LISTED).map(({ subject, what }, index) => (
          <li key={index}>
            <SubjectName subject={subject as Parameters<typeof SubjectName>[0]['subject']} /> <bdi>{what}</bdi>
          </li>
        ))}
        <More count={total - LISTED} />
      </ul>
      <Named title={t('undo.disconnected')} {...effects.disconnected} />
      <Named title={t('undo.reconnected')} {...effects.reconnected} />
      {obstacles.length > 0 && (
        <Alert color="orange" title={t('undo.obstacles')}>
          <ul>
            {obstacles.slice(0, LISTED).map(({ document, name, field, why }, index) => (
              <li key={index}>
                <bdi>{[name || document, field].filter(Boolean).join(' · ')}</bdi>: <bdi>{why}</bdi>
              </li>
            ))}
            <More count={obstacles.length - LISTED} />
          </ul>
        </Alert>
      )}
      <Group gap="xs">
        {total > 0 && (
          <Button
            size="compact-sm"
            loading={undo.isPending}
            onClick={() => undo.mutate(undefined, { onSuccess: () => void navigate('/audit') })}
          >
            {t('undo.now')}
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          {t('cancel', { ns: 'shell' })}
        </Button>
        {curl.button}
      </Group>
      {curl.view}
    </section>
  );
}

function Named({ title, count, clients }: { readonly title: string } & Preview['effects']['disconnected']) {
  const format = useFormat();
  if (count === 0) return null;
  const names = clients.slice(0, LISTED).map(({ email }) => email);
  return (
    <Text size="sm">
      {title} ({format.number(count)}): <bdi>{names.join(', ')}</bdi>
      {count > names.length && '…'}
    </Text>
  );
}

function More({ count }: { readonly count: number }) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  return count > 0 ? <li>{t('undo.more', { number: format.number(count) })}</li> : null;
}
