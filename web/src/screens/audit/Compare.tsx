import { Button, NativeSelect, TextInput } from '@mantine/core';
import IconCompare from '@tabler/icons-react/dist/esm/icons/IconGitCompare.mjs';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { ApiError } from '../../api/client';
import { backups as backupsQuery } from '../../api/queries';
import { Empty, Loading, Page, Problem } from '../../ui/display/Page';
import { sentenceOf } from '../../ui/feedback/toast';
import { useFilters } from '../../ui/table/filters';
import classes from './Audit.module.css';
import compare from './Compare.module.css';
import { CompareExport, CompareResult } from './CompareResult';
import { NOUNS, type Noun } from './diff';
import { MomentField } from './MomentField';
import { addressOf, type Chosen, chosenOf, type MomentKind, momentOf } from './moment';
import { auditEvent, type DiffQuery, diffPages } from './queries';

const DEFAULTS = { from: '', to: '', noun: '', client: '' } as const;
type Compared = Readonly<Record<keyof typeof DEFAULTS, string>>;
const HOUR_MS = 3_600_000;
const SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;

/** `#/audit/compare`: what was added, removed and changed between two moments. */
export function Compare() {
  const { t } = useTranslation('audit');
  const [compared, setCompared] = useFilters<keyof typeof DEFAULTS>(DEFAULTS);
  const may = useMay();
  const backups = useQuery({ ...backupsQuery, enabled: may('/panel/api/server/backups') });
  const from = momentOf(compared.from, backups.data);
  const to = momentOf(compared.to, backups.data);
  const noun = NOUNS.find((one) => one === compared.noun) ?? '';
  const query: DiffQuery = { from: from ?? '', to: to ?? '', noun, client: compared.client };
  const isReady = compared.from !== '' && from !== null && to !== null;
  const pages = useInfiniteQuery({ ...diffPages(query), enabled: isReady });
  const [first] = pages.data?.pages ?? [];
  const refused = fieldOf(pages.error, query);
  const lost = t('compare.noBackup');
  const isUnknown = (value: string | null): boolean => value === null && !backups.isPending;
  const problems = {
    from: isUnknown(from) ? lost : refused === 'from' ? sentenceOf(pages.error) : '',
    to: isUnknown(to) ? lost : refused === 'to' ? sentenceOf(pages.error) : '',
    client: refused === 'client' ? sentenceOf(pages.error) : '',
  };
  return (
    <Page
      title={t('compare.title')}
      summary={t('compare.summary')}
      back={{ to: '/audit', label: t('title') }}
      actions={first && <CompareExport query={query} />}
    >
      <Moments compared={compared} onChange={setCompared} problems={problems} />
      {compared.from === '' && (
        <Empty icon={<IconCompare size={28} />} title={t('compare.start')} body={t('compare.startBody')} />
      )}
      {isReady && pages.isPending && <Loading rows={5} />}
      {pages.error && refused === null && <Problem error={pages.error} retry={() => void pages.refetch()} />}
      {isReady && first && (
        <CompareResult
          key={JSON.stringify(query)}
          diff={{ ...first, documents: pages.data?.pages.flatMap(({ documents }) => documents) ?? [] }}
          more={pages.hasNextPage ? () => void pages.fetchNextPage() : null}
          isBusy={pages.isFetchingNextPage}
        />
      )}
    </Page>
  );
}

/** The input that the panel refused; null = another problem. The sentence quotes the value. */
function fieldOf(error: unknown, { from, to }: DiffQuery): 'from' | 'to' | 'client' | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === 'MOMENTS_REVERSED') return 'to';
  if (error.code === 'CLIENT_NOT_FOUND') return 'client';
  if (!error.code.startsWith('MOMENT_')) return null;
  return to !== '' && error.message.includes(to) && !error.message.includes(from) ? 'to' : 'from';
}

interface MomentsProps {
  readonly compared: Compared;
  readonly onChange: (compared: Partial<Compared>) => void;
  readonly problems: Readonly<Record<'from' | 'to' | 'client', string>>;
}

/** The form of the two moments, and the moments that are used most. */
function Moments({ compared, onChange, problems }: MomentsProps) {
  const { t } = useTranslation('audit');
  const [from, setFrom] = useState<Chosen>(() => chosenOf(compared.from, 'time'));
  const [to, setTo] = useState<Chosen>(() => chosenOf(compared.to, 'now'));
  const [client, setClient] = useState(compared.client);
  const [isMissing, setMissing] = useState(false);
  // Back and Forward change the address.
  useEffect(() => setFrom(chosenOf(compared.from, 'time')), [compared.from]);
  useEffect(() => setTo(chosenOf(compared.to, 'now')), [compared.to]);
  useEffect(() => setClient(compared.client), [compared.client]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setMissing(addressOf(from) === '');
    if (addressOf(from) !== '') onChange({ from: addressOf(from), to: addressOf(to), client: client.trim() });
  };
  const { data: backups } = useQuery({ ...backupsQuery, enabled: useMay()('/panel/api/server/backups') });
  const files = backups?.files ?? [];
  const kinds: readonly MomentKind[] = ['time', 'position', ...(files.length > 0 ? (['backup'] as const) : [])];
  const missing = isMissing && addressOf(from) === '' ? t('compare.missing') : '';
  return (
    <form onSubmit={submit} className={classes['filters']} noValidate>
      <div className={compare['compare']}>
        <MomentField
          {...{ label: t('filter.from'), kinds, value: from, onChange: setFrom, backups: files }}
          error={missing || problems.from}
        />
        <MomentField
          {...{ label: t('filter.to'), kinds: ['now', ...kinds], value: to, onChange: setTo, backups: files }}
          error={problems.to}
        />
        <NativeSelect
          label={t('compare.noun')}
          value={compared.noun}
          onChange={({ currentTarget }) => onChange({ noun: currentTarget.value, client: '' })}
          data={[
            { value: '', label: t('noun.any') },
            ...NOUNS.map((value: Noun) => ({ value, label: t(`noun.${value}`) })),
          ]}
        />
        <TextInput
          type="search"
          label={t('filter.client')}
          value={client}
          error={problems.client === '' ? undefined : problems.client}
          onChange={({ currentTarget }) => setClient(currentTarget.value)}
        />
        <Button type="submit">{t('compare.run')}</Button>
      </div>
      <Presets lastBackup={backups?.lastGood?.name} onChange={onChange} />
    </form>
  );
}

interface PresetsProps {
  readonly lastBackup: string | undefined;
  readonly onChange: (compared: Partial<Compared>) => void;
}

/** The moments before now that are asked for most. A panel that is younger is compared with its beginning. */
function Presets({ lastBackup, onChange }: PresetsProps) {
  const { t } = useTranslation('audit');
  const { data: first } = useQuery(auditEvent('1'));
  const began = first?.entry.at ?? 0;
  const since = (span: number): string => new Date(Math.max(began, Date.now() - span)).toISOString();
  return (
    <div className={classes['only']}>
      {(['hour', 'day', 'week'] as const).map((span) => (
        <Button
          key={span}
          size="compact-sm"
          variant="default"
          onClick={() => onChange({ from: since(SPANS[span]), to: '' })}
        >
          {t(`compare.${span}`)}
        </Button>
      ))}
      {lastBackup !== undefined && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onChange({ from: addressOf({ kind: 'backup', text: lastBackup }), to: '' })}
        >
          {t('compare.backup')}
        </Button>
      )}
    </div>
  );
}
