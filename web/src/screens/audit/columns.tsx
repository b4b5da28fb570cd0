import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { clientPath } from '../../model/clients';
import { type Format, Technical, useFormat } from '../../ui/display/format';
import type { Column } from '../../ui/table/DataTable';
import classes from './Audit.module.css';
import type { AuditEntry } from './filter';

/** The columns of the list, and an event on a phone. */
export function useColumns() {
  const { t } = useTranslation('audit');
  const { search } = useLocation();
  const format = useFormat();
  return useMemo(() => {
    const columns: readonly Column<AuditEntry>[] = [
      {
        id: 'time',
        header: t('column.time'),
        width: '12.5rem',
        cell: (entry) => <Time at={entry.at} format={format} />,
      },
      {
        id: 'event',
        header: t('column.event'),
        width: 'minmax(18rem, 4fr)',
        cell: (entry) => <Sentence entry={entry} search={search} />,
      },
      { id: 'actor', header: t('column.actor'), width: 'minmax(9rem, 1fr)', cell: ({ by }) => <bdi>{by}</bdi> },
      { id: 'ip', header: t('column.ip'), width: 'minmax(8rem, .6fr)', cell: ({ actor }) => <Address ip={actor.ip} /> },
      { id: 'type', header: t('column.type'), width: 'minmax(9rem, 1fr)', cell: ({ type }) => <Type name={type} /> },
      {
        id: 'position',
        header: t('column.position'),
        width: '7rem',
        isNumber: true,
        cell: ({ position }) => <Technical>#{position}</Technical>,
      },
    ];
    const card = (entry: AuditEntry) => (
      <div className={classes['card']}>
        <div className={classes['cardText']}>
          <Sentence entry={entry} search={search} />
        </div>
        <div className={classes['cardLine']}>
          <bdi className="clip">{entry.by}</bdi>
          <Address ip={entry.actor.ip} />
        </div>
        <div className={classes['cardLine']}>
          <Time at={entry.at} format={format} />
          <Technical>#{entry.position}</Technical>
        </div>
      </div>
    );
    return { columns, card };
  }, [t, format, search]);
}

const Type = ({ name }: { readonly name: string }) => (
  <span className={classes['muted']}>
    <Technical>{name}</Technical>
  </span>
);

function Time({ at, format }: { readonly at: number; readonly format: Format }) {
  return (
    <time className="number" dateTime={new Date(at).toISOString()}>
      {format.dateTime(at)}
    </time>
  );
}

export const Address = ({ ip }: { readonly ip: string | null }) =>
  ip === null || ip === '' ? <span className={classes['muted']}>–</span> : <Technical>{ip}</Technical>;

/** What happened, as a link to the event; before it the subject, as a link to its own screen. */
function Sentence({ entry, search }: { readonly entry: AuditEntry; readonly search: string }) {
  return (
    <>
      <SubjectName subject={entry.subject} />{' '}
      <Link to={`/audit/${entry.position}${search}`} className={classes['sentence'] ?? ''}>
        <bdi>{entry.what}</bdi>
      </Link>
    </>
  );
}

/** The name of what an event is about; a link if it still exists and has a screen. */
export function SubjectName({ subject }: Pick<AuditEntry, 'subject'>) {
  if (!subject) return null;
  const name = subject.name === '' ? `#${subject.number}` : subject.name;
  const to = subject.exists ? screenOf(subject) : null;
  return to === null ? (
    <bdi className={classes['subject']}>{name}</bdi>
  ) : (
    <Link to={to} className={classes['subject'] ?? ''}>
      <bdi>{name}</bdi>
    </Link>
  );
}

function screenOf({ kind, number, name }: NonNullable<AuditEntry['subject']>): string | null {
  if (kind === 'client') return name === '' ? null : clientPath(name);
  if (kind === 'inbound') return `/inbounds/${number}`;
  if (kind === 'node') return `/nodes/${number}`;
  return kind === 'user' ? '/account' : '/geo';
}
