import { Button, Group, Text } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconPrinter from '@tabler/icons-react/dist/esm/icons/IconPrinter.mjs';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { isDate } from '../../../model/calendar';
import { localDate } from '../../../model/local-date';
import { Chart } from '../../../ui/display/Chart';
import { useFormat } from '../../../ui/display/format';
import { Loaded, Section } from '../../../ui/display/Page';
import { DateField } from '../../../ui/form/DateField';
import { SegmentedControl } from '../../../ui/form/SegmentedControl';
import { useFilters } from '../../../ui/table/filters';
import classes from './ClientPage.module.css';
import { BALANCES, PrintedStatement, type Statement, signed, sum } from './PrintedStatement';

const DAY_MS = 86_400_000;
const PERIODS = ['7', '30', '90', 'own'] as const;
const DEFAULTS = { period: '30', from: '', to: '' } as const;

/** What the client used in a period: by day, and from the opening to the closing balance. */
export function Usage({ email }: { readonly email: string }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const [{ period, from, to }, setFilters] = useFilters<keyof typeof DEFAULTS>(DEFAULTS);
  const days = Number(period);
  const range =
    period === 'own' || !Number.isInteger(days)
      ? { from, to }
      : { from: localDate(Date.now() - (days - 1) * DAY_MS), to: '' };
  const query = useQuery({
    queryKey: ['inbounds', 'clients', 'statement', email, range],
    queryFn: ({ signal }) =>
      api.get('/panel/api/clients/:email/statement', { params: { email }, query: range, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  return (
    <Section
      title={t('usage')}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t('period')}
            value={period}
            onChange={(value) => setFilters({ period: value })}
            data={PERIODS.map((value) => ({
              value,
              label: value === 'own' ? t('period.own') : t('period.days', { n: format.number(Number(value)) }),
            }))}
          />
          <Button
            component="a"
            size="compact-sm"
            variant="default"
            leftSection={<IconDownload size={14} />}
            href={api.file('/panel/api/clients/:email/statement', {
              params: { email },
              query: { ...range, format: 'csv' },
            })}
            download
          >
            CSV
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPrinter size={14} />}
            onClick={() => window.print()}
          >
            {t('print')}
          </Button>
        </Group>
      }
    >
      {period === 'own' && (
        <div className={classes['period']}>
          <DateField
            aria-label={t('period.from')}
            max={to}
            value={from}
            onChange={(value) => {
              if (value === '' || isDate(value)) setFilters({ from: value });
            }}
          />
          –
          <DateField
            aria-label={t('period.to')}
            min={from}
            value={to}
            onChange={(value) => {
              if (value === '' || isDate(value)) setFilters({ to: value });
            }}
          />
        </div>
      )}
      <Loaded query={query} rows={5}>
        {(statement) => (
          <>
            <StatementView statement={statement} />
            <PrintedStatement email={email} statement={statement} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Every day of a statement, also those without traffic, so that the chart has no gaps. */
function byDay({ from, to, days }: Pick<Statement, 'from' | 'to' | 'days'>) {
  const used = new Map(
    days.map(({ date, sources }) => [
      date,
      { up: sum(sources.map(({ up }) => up)), down: sum(sources.map(({ down }) => down)) },
    ]),
  );
  const first = Date.parse(`${from}T12:00:00Z`);
  const count = Math.min(3700, Math.round((Date.parse(`${to}T12:00:00Z`) - first) / DAY_MS) + 1);
  return Array.from({ length: Math.max(0, count) }, (_, n) => {
    const date = new Date(first + n * DAY_MS).toISOString().slice(0, 10);
    return { at: first + n * DAY_MS, ...(used.get(date) ?? { up: 0, down: 0 }) };
  });
}

function StatementView({ statement }: { readonly statement: Statement }) {
  const { t } = useTranslation('clients');
  const format = useFormat();
  const days = useMemo(() => byDay(statement), [statement]);
  const times = useMemo(() => days.map(({ at }) => at / 1000), [days]);
  const series = useMemo(() => [{ label: t('usedPerDay'), values: days.map(({ up, down }) => up + down) }], [days, t]);
  const { used } = statement;
  return (
    <>
      {used.up + used.down === 0 ? (
        <Text size="sm" c="dimmed">
          {t('usage.none')}
        </Text>
      ) : (
        <Chart
          label={t('usage')}
          times={times}
          series={series}
          text={format.bytes}
          bars
          timeText={format.day}
          height={180}
        />
      )}
      <dl className={classes['totals']}>
        {BALANCES.map((name) => (
          <div key={name}>
            <dt>{t(`balance.${name}`)}</dt>
            <dd className="number">
              <bdi>{signed(statement[name].up + statement[name].down, format)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
