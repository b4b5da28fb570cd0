import '@mantine/core/styles/Switch.css';
import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { useFormat } from '../../ui/display/format';
import { Loaded, Page } from '../../ui/display/Page';
import { saveFile } from '../../ui/display/save';
import { SegmentedControl } from '../../ui/form/SegmentedControl';
import { useFilters } from '../../ui/table/filters';
import classes from './Core.module.css';

const SOURCES = ['core', 'access', 'panel', 'system'] as const;
type Source = (typeof SOURCES)[number];
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error'] as const;
const COUNTS = ['100', '500', '2000'];
const TAIL_MS = 2_000;
/** The core writes its level in brackets; with a higher one chosen, lower lines are left out. */
const CORE_LEVEL = /\[(Debug|Info|Warning|Error)\]/;
const DEFAULTS = { source: 'core', level: 'debug', search: '', count: '500' } as const;

async function fetchLines(source: Source, level: string, count: string, signal: AbortSignal): Promise<string[]> {
  if (source === 'core') {
    const text = await api.get('/panel/core/getCoreResult', { signal });
    const least = LEVELS.indexOf(level as (typeof LEVELS)[number]);
    return split(text)
      .filter((line) => {
        const own = CORE_LEVEL.exec(line)?.[1]?.toLowerCase();
        return own === undefined || LEVELS.indexOf(own as (typeof LEVELS)[number]) >= least;
      })
      .slice(-Number(count));
  }
  if (source === 'access') {
    const { obj } = await api.post('/panel/api/server/corelogs/:count', { params: { count }, body: {}, signal });
    if (typeof obj === 'string') return split(obj);
    return obj.map(
      ({ DateTime, FromAddress, ToAddress, Inbound, Outbound, Email }) =>
        `${DateTime} ${FromAddress} → ${ToAddress} [${Inbound} → ${Outbound}] ${Email}`,
    );
  }
  const body = { level, syslog: source === 'system' };
  const { obj } = await api.post('/panel/api/server/logs/:count', { params: { count }, body, signal });
  return typeof obj === 'string' ? split(obj) : [...obj];
}

const split = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** `#/core/logs`: the last lines of each log, as they come. */
export function Logs() {
  const { t } = useTranslation('core');
  const format = useFormat();
  const [{ source, level, search, count }, setFilters] = useFilters<keyof typeof DEFAULTS>(DEFAULTS);
  const [isLive, setLive] = useState(true);
  const known = SOURCES.find((one) => one === source) ?? 'core';
  const query = useQuery({
    queryKey: ['logs', known, level, count],
    queryFn: ({ signal }) => fetchLines(known, level, count, signal),
    refetchInterval: isLive ? TAIL_MS : false,
    staleTime: 0,
  });
  const lines = useMemo(() => {
    const wanted = search.toLowerCase();
    return (query.data ?? []).filter((line) => line.toLowerCase().includes(wanted));
  }, [query.data, search]);
  return (
    <Page
      title={t('logs.title')}
      fill
      summary={t('logs.count', { count: lines.length, shown: format.number(lines.length) })}
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          disabled={lines.length === 0}
          onClick={() => saveFile(new Blob([lines.join('\n')], { type: 'text/plain' }), `${known}.log`)}
        >
          {t('logs.download')}
        </Button>
      }
    >
      <FilterBar {...{ source: known, level, search, count, isLive, setLive, setFilters }} />
      <Loaded query={query}>{() => <Lines lines={lines} isLive={isLive} empty={t(emptyKey(known, search))} />}</Loaded>
    </Page>
  );
}

interface FilterBarProps {
  readonly source: Source;
  readonly level: string;
  readonly search: string;
  readonly count: string;
  readonly isLive: boolean;
  readonly setLive: (isLive: boolean) => void;
  readonly setFilters: (changes: Partial<Record<keyof typeof DEFAULTS, string>>) => void;
}

function FilterBar({ source, level, search, count, isLive, setLive, setFilters }: FilterBarProps) {
  const { t } = useTranslation('core');
  const format = useFormat();
  return (
    <div className={classes['filters']}>
      <SegmentedControl
        size="xs"
        aria-label={t('logs.source')}
        value={source}
        onChange={(value) => setFilters({ source: value })}
        data={SOURCES.map((value) => ({ value, label: t(`logs.${value}`) }))}
      />
      <TextInput
        type="search"
        className={classes['search'] ?? ''}
        aria-label={t('logs.search')}
        placeholder={t('logs.search')}
        value={search}
        onChange={({ currentTarget }) => setFilters({ search: currentTarget.value })}
      />
      {source !== 'access' && (
        <NativeSelect
          aria-label={t('logs.level')}
          value={level}
          data={LEVELS.map((value) => ({ value, label: t(`level.${value}`) }))}
          onChange={({ currentTarget }) => setFilters({ level: currentTarget.value })}
        />
      )}
      <NativeSelect
        aria-label={t('logs.lines')}
        value={count}
        data={COUNTS.map((value) => ({ value, label: format.number(Number(value)) }))}
        onChange={({ currentTarget }) => setFilters({ count: currentTarget.value })}
      />
      <Switch
        label={t('logs.live')}
        checked={isLive}
        onChange={({ currentTarget }) => setLive(currentTarget.checked)}
      />
    </div>
  );
}

const emptyKey = (source: Source, search: string) =>
  search !== '' ? 'logs.notFound' : source === 'access' ? 'logs.noAccess' : 'logs.none';

function Lines({
  lines,
  isLive,
  empty,
}: {
  readonly lines: readonly string[];
  readonly isLive: boolean;
  readonly empty: string;
}) {
  const { t } = useTranslation('core');
  const place = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    // Who scrolled up is reading.
    if (isLive && isAtEnd.current && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [lines, isLive]);
  return (
    <pre
      ref={place}
      className={classes['log']}
      dir={lines.length === 0 ? undefined : 'ltr'}
      tabIndex={0}
      aria-label={t('logs.title')}
      onScroll={({ currentTarget }) => {
        const { scrollTop, scrollHeight, clientHeight } = currentTarget;
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {lines.length === 0 ? empty : lines.join('\n')}
    </pre>
  );
}
