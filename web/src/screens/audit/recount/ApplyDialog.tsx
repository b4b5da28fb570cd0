import { Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { Posts } from '../../../api/contract.generated';
import { useFormat } from '../../../ui/display/format';
import { useAction } from '../../../ui/feedback/action';
import { Dialog } from '../../../ui/feedback/Dialog';
import { sentenceOf } from '../../../ui/feedback/toast';
import { useCurl } from '../../../ui/form/FormFooter';

const APPLY = '/panel/api/audit/recount/apply';
type Request = Posts[typeof APPLY]['body'];
type Reply = Posts[typeof APPLY]['reply'];
type Effects = Extract<Reply, { readonly dryRun: true }>['effects'];

/** Names that are listed; the others are counted. */
const LISTED = 8;

interface Props {
  readonly request: Request;
  /** Number of clients whose counters change. */
  readonly clients: number;
  readonly onClose: () => void;
  /** Called with the position of the event. */
  readonly onApplied: (event: number) => void;
}

/** Says who would be disconnected and who could connect again, and applies a recount. */
export function ApplyDialog({ request, clients, onClose, onApplied }: Props) {
  const { t } = useTranslation(['audit', 'shell']);
  const format = useFormat();
  const preview = useQuery({
    queryKey: ['audit', 'recount', 'effects', request],
    async queryFn({ signal }) {
      const { obj } = await api.post(APPLY, { body: { ...request, dryRun: true }, signal });
      return 'dryRun' in obj ? obj.effects : null;
    },
    gcTime: 0,
    retry: false,
  });
  const eventOf = (obj: Reply): number => ('event' in obj ? obj.event : 0);
  const applying = useAction<void, Reply>({
    run: () => api.post(APPLY, { body: request }),
    stale: [['inbounds'], ['audit']],
    silent: true,
    canUndo: ({ obj }) => eventOf(obj) > 0,
    undo: (_, { obj }) =>
      api.post('/panel/api/events/:position/undo', { params: { position: eventOf(obj) }, body: {} }),
  });
  const curl = useCurl(() => api.request(APPLY, { body: request }));
  const refusal = applying.error ?? preview.error;
  return (
    <Dialog onClose={onClose} title={t('recount.applyTitle')}>
      <Stack gap="md">
        <Text size="sm">{t('recount.applyBody', { count: clients, number: format.number(clients) })}</Text>
        {preview.isPending && <Skeleton height={40} />}
        {preview.data && <Named title={t('undo.disconnected')} {...preview.data.disconnected} />}
        {preview.data && <Named title={t('undo.reconnected')} {...preview.data.reconnected} />}
        {refusal && (
          <Text size="sm" c="var(--bad)" role="alert">
            {sentenceOf(refusal)}
          </Text>
        )}
        {curl.view}
        <Group justify="flex-end" gap="sm">
          <Box me="auto">{curl.button}</Box>
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel', { ns: 'shell' })}
          </Button>
          <Button
            loading={applying.isPending}
            disabled={preview.isError}
            onClick={() => applying.mutate(undefined, { onSuccess: ({ obj }) => onApplied(eventOf(obj)) })}
          >
            {t('recount.applyNow')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Named({ title, count, clients }: { readonly title: string } & Effects['disconnected']) {
  const format = useFormat();
  if (count === 0) return null;
  const names = clients.slice(0, LISTED).map(({ email }) => email);
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {title} ({format.number(count)}): <bdi>{names.join(', ')}</bdi>
      {count > names.length && '…'}
    </Text>
  );
}
