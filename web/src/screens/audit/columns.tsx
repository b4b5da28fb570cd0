import { useMediaQuery } from '@mantine/hooks';
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
  // The sentence implies the type. A narrow screen shows the sentence alone; the drawer shows the type.
  const isWide = useMediaQuery('(min-width: 110em)', undefined, { getInitialValueInEffect: false }) === true;
  return useMemo(() => {
    const columns: readonly Column<AuditEntry>[] = [
      {
        id: 'time',
        header: t('column.time'),
        width: '13.5rem',
        cell: (entry) => <Time at={entry.at} format={format} />,
      },
      {
        id: 'event',
        header: t('column.event'),
        width: 'minmax(20rem, 1fr)',
        cell: (entry) => (
          <div className={classes['cellText']} title={titleOf(entry)}>
            <Sentence entry={entry} search={search} />
          </div>
        ),
      },
      { id: 'actor', header: t('column.actor'), width: '11rem', cell: ({ by }) => <Name name={by} /> },
      { id: 'ip', header: t('column.ip'), width: '9.5rem', cell: ({ ip }) => <Address ip={ip} /> },
      ...(isWide
        ? [
            {
              id: 'type',
              header: t('column.type'),
              width: '16rem',
              cell: ({ type }: AuditEntry) => <Type name={type} />,
            },
          ]
        : []),
      {
        id: 'position',
        header: t('column.position'),
        width: '6rem',
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
          <Address ip={entry.ip} />
        </div>
        <div className={classes['cardLine']}>
          <Time at={entry.at} format={format} />
          <Technical>#{entry.position}</Technical>
        </div>
      </div>
    );
    return { columns, card };
  }, [t, format, search, isWide]);
}

/** What a clipped cell shows when the pointer is over it. */
const titleOf = ({ subject, what }: AuditEntry): string => `${subject ? nameOf(subject) : ''} ${what}`.trim();
const nameOf = ({ name, number }: NonNullable<AuditEntry['subject']>): string => (name === '' ? `#${number}` : name);

const Name = ({ name }: { readonly name: string }) => <bdi title={name}>{name}</bdi>;

const Type = ({ name }: { readonly name: string }) => (
  <span className={classes['muted']}>
    <Technical>{name}</Technical>
  </span>
);

function Time({ at, format }: { readonly at: number; readonly format: Format }) {
  return (
    <time className="number" dateTime={new Date(at).toISOString()}>
      {format.instant(at)}
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
  const name = nameOf(subject);
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
