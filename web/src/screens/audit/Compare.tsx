import IconCompare from '@tabler/icons-react/dist/esm/icons/IconGitCompare.mjs';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/client';
import { Empty, Loading, Page, Problem } from '../../ui/display/Page';
import { sentenceOf } from '../../ui/feedback/toast';
import { useFilters } from '../../ui/table/filters';
import classes from './Audit.module.css';
import { CompareExport, CompareResult } from './CompareResult';
import { NOUNS } from './diff';
import { type Compared, Moments } from './Moments';
import { isBackup, UPLOAD } from './moment';
import { type DiffQuery, diffPages, type UploadedBackup } from './queries';

const DEFAULTS = { from: '', to: '', noun: '', client: '' } as const;

/** `#/audit/compare`: what was added, removed and changed between two moments, or since a backup. */
export function Compare() {
  const { t } = useTranslation('audit');
  const [compared, setCompared] = useFilters<keyof Compared>(DEFAULTS);
  const [upload, setUpload] = useState<{ readonly backup: UploadedBackup | null; readonly sent: number }>(NOT_SENT);
  const { from, to, client } = compared;
  const noun = NOUNS.find((one) => one === compared.noun) ?? '';
  const query: DiffQuery = { from, to, noun, client };
  const isUpload = from === UPLOAD || to === UPLOAD;
  const isReady = from !== '' && (!isUpload || upload.backup !== null);
  const backup = isUpload ? upload.backup : null;
  const pages = useInfiniteQuery({ ...diffPages(query, backup, upload.sent), enabled: isReady });
  const [first] = pages.data?.pages ?? [];
  const refused = fieldOf(pages.error, query);
  const problemOf = (field: typeof refused): string => (refused === field && field ? sentenceOf(pages.error) : '');
  return (
    <Page
      title={t('compare.title')}
      summary={t('compare.summary')}
      back={{ to: '/audit', label: t('title') }}
      actions={first && <CompareExport query={query} backup={backup} />}
    >
      <Moments
        compared={compared}
        onChange={(chosen, sent) => {
          setUpload((before) => ({ backup: sent, sent: before.sent + 1 }));
          setCompared(chosen);
        }}
        problems={{ from: problemOf('from'), to: problemOf('to'), client: problemOf('client') }}
      />
      {!isReady && <Empty icon={<IconCompare size={28} />} title={t('compare.start')} body={t('compare.startBody')} />}
      {isReady && pages.isPending && (
        <>
          {(isBackup(from) || isBackup(to)) && (
            <p role="status" className={classes['muted']}>
              {t('compare.reading')}
            </p>
          )}
          <Loading rows={5} />
        </>
      )}
      {isReady && pages.error && refused === null && <Problem error={pages.error} retry={() => void pages.refetch()} />}
      {isReady && first && (
        <CompareResult
          key={JSON.stringify([query, upload.sent])}
          diff={{ ...first, documents: pages.data?.pages.flatMap(({ documents }) => documents) ?? [] }}
          more={pages.hasNextPage ? () => void pages.fetchNextPage() : null}
          isBusy={pages.isFetchingNextPage}
        />
      )}
    </Page>
  );
}

const NOT_SENT = { backup: null, sent: 0 } as const;

/** The input that the panel refused; null = another problem. The sentence quotes the value. */
function fieldOf(error: unknown, { from, to }: DiffQuery): 'from' | 'to' | 'client' | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'MOMENTS_REVERSED') return 'to';
  if (error.code === 'CLIENT_NOT_FOUND') return 'client';
  if (['BACKUP_NOT_FOUND', 'BACKUP_NOT_COMPARED'].includes(error.code)) return isBackup(from) ? 'from' : 'to';
  if (!error.code.startsWith('MOMENT_')) return null;
  return to !== '' && error.message.includes(to) && !error.message.includes(from) ? 'to' : 'from';
}
