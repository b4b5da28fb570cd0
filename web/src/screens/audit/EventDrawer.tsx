import { Button, Text } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Gets } from '../../api/contract.generated';
import { addressAt } from '../../api/moment';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { saveFile } from '../../ui/display/save';
import { SidePanel } from '../../ui/feedback/SidePanel';
import { toastError } from '../../ui/feedback/toast';
import classes from './Audit.module.css';
import { Changes } from './Changes';
import { Address, SubjectName } from './columns';
import type { AuditEntry, Filters } from './filter';
import { Members } from './Members';
import { auditEvent } from './queries';
import { UndoCommand } from './UndoCommand';

type Details = Gets['/panel/api/audit/:position']['reply'];

interface Props {
  readonly position: string;
  /** Shows the events with these filters alone. */
  readonly onFilter: (filters: Partial<Filters>) => void;
  readonly onClose: () => void;
}

/** One event: what it changed, why it happened, what it caused, and its JSON. */
export function EventDrawer({ position, onFilter, onClose }: Props) {
  const query = useQuery(auditEvent(position));
  return (
    <SidePanel
      onClose={onClose}
      size="lg"
      title={<Technical>{`#${position}${query.data ? ` · ${query.data.entry.type}` : ''}`}</Technical>}
    >
      <Loaded query={query} rows={6}>
        {(details) => <Event details={details} onFilter={onFilter} />}
      </Loaded>
    </SidePanel>
  );
}

function Event({ details, onFilter }: { readonly details: Details } & Pick<Props, 'onFilter'>) {
  const { t } = useTranslation('audit');
  const may = useMay();
  const { entry, changes, members, causes, effects, moreEffects, removed, event, hash, moment } = details;
  const json = JSON.stringify(event, null, 2);
  return (
    <div className={classes['event']}>
      <p className={classes['what']}>
        <SubjectName subject={entry.subject} /> <bdi>{entry.what}</bdi>
      </p>
      <Facts entry={entry} hash={hash} />
      <Only entry={entry} onFilter={onFilter} />
      <div className={classes['deeds']}>
        {entry.actor.kind !== 'system' && may('audit:undo') && (
          <UndoCommand key={entry.position} position={entry.position} />
        )}
        <ShowMoment moment={moment} />
        {may('/panel/api/proof/inclusion/:position') && <Prove position={entry.position} />}
      </div>
      {may('/panel/api/audit/capsule') && <BugReport position={entry.position} />}
      {changes.length > 0 && (
        <Part title={t('changes')}>
          <Changes changes={changes} />
        </Part>
      )}
      {members > 0 && (
        <Part title={t('members')}>
          <Members position={entry.position} />
        </Part>
      )}
      {causes.length > 0 && (
        <Part title={t('causes')}>
          <Linked entries={causes} />
        </Part>
      )}
      {effects.length > 0 && (
        <Part title={t('effects')}>
          <Linked entries={effects} />
          {moreEffects && (
            <Text size="xs" c="dimmed" mt="xs">
              {t('effects.more')}
            </Text>
          )}
        </Part>
      )}
      <Part title={t('json')} action={<CopyButton text={json} label={t('json.copy')} />}>
        {removed && (
          <Text size="sm" c="dimmed" mb="xs">
            {t('removed')}
          </Text>
        )}
        <pre className={classes['json']} dir="ltr" tabIndex={0} aria-label={t('json')}>
          {json}
        </pre>
      </Part>
    </div>
  );
}

/** Opens the panel as it was after the command of an event. */
function ShowMoment({ moment }: Pick<Details, 'moment'>) {
  const { t } = useTranslation('audit');
  if (!useMay()('/panel/api/inbounds/overview')) return null;
  return (
    <Button
      component="a"
      href={addressAt(String(moment), '/inbounds')}
      size="compact-sm"
      variant="default"
      leftSection={<IconHistory size={14} aria-hidden />}
    >
      {t('showMoment')}
    </Button>
  );
}

/** Downloads the proof that the event is in the log, as the verifier reads it. */
function Prove({ position }: { readonly position: number }) {
  const { t } = useTranslation('audit');
  const proving = useMutation({
    mutationFn: () => api.get('/panel/api/proof/inclusion/:position', { params: { position }, query: {} }),
    onError: toastError,
  });
  const save = (): void =>
    proving.mutate(undefined, {
      onSuccess: (proof) =>
        saveFile(new Blob([`${JSON.stringify(proof)}\n`], { type: 'application/json' }), `event-${position}.json`),
    });
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
      loading={proving.isPending}
      onClick={save}
    >
      {t('prove')}
    </Button>
  );
}

/** Downloads the events around this one for a bug report. */
function BugReport({ position }: { readonly position: number }) {
  const { t } = useTranslation('audit');
  return (
    <div>
      <Button
        component="a"
        href={api.file('/panel/api/audit/capsule', { query: { around: position } })}
        download
        size="compact-sm"
        variant="default"
        aria-describedby="report-about"
      >
        {t('report')}
      </Button>
      <Text id="report-about" size="xs" c="dimmed" mt={4}>
        {t('report.about')}
      </Text>
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

function Part({ title, action, children }: PartProps) {
  return (
    <section aria-label={title}>
      <div className={classes['partHead']}>
        <h3>{title}</h3>
        {action}
      </div>
      {children}
    </section>
  );
}

function Facts({ entry: { at, by, ip }, hash }: Pick<Details, 'entry' | 'hash'>) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  return (
    <dl className={classes['facts']}>
      <dt>{t('column.time')}</dt>
      <dd>
        <time dateTime={new Date(at).toISOString()}>{format.instant(at)}</time> ({format.relative(at)})
      </dd>
      <dt>{t('column.actor')}</dt>
      <dd>
        <bdi>{by}</bdi>
      </dd>
      <dt>{t('column.ip')}</dt>
      <dd>
        <Address ip={ip} />
      </dd>
      <dt>{t('hash')}</dt>
      <dd className={classes['hash']}>
        <Technical>{hash}</Technical>
      </dd>
    </dl>
  );
}

/** Other events with something in common. */
function Only({
  entry: { subject, actor, ip, type },
  onFilter,
}: { readonly entry: AuditEntry } & Pick<Props, 'onFilter'>) {
  const { t } = useTranslation('audit');
  const about = subject && filterOf(subject);
  const choices: readonly (readonly [string, Partial<Filters>] | null)[] = [
    about && [t('only.subject', { name: isolated(subject.name || `#${subject.number}`) }), about],
    ip ? [t('only.ip', { ip: isolated(ip) }), { ip }] : null,
    actor.kind === 'system'
      ? null
      : [t('only.actor', { name: isolated(actor.name) }), { by: actor.kind, actor: actor.name }],
    [t('only.type', { type: isolated(type) }), { kind: type }],
  ];
  return (
    <div className={classes['only']}>
      {choices.map(
        (choice) =>
          choice && (
            <Button key={choice[0]} size="compact-sm" variant="default" onClick={() => onFilter(choice[1])}>
              <span className="clip">{choice[0]}</span>
            </Button>
          ),
      )}
    </div>
  );
}

/** Keeps the direction of a name out of the sentence around it. */
const isolated = (name: string): string => `\u2068${name}\u2069`;

function filterOf({ kind, number, name }: NonNullable<AuditEntry['subject']>): Partial<Filters> | null {
  if (kind === 'client') return name === '' ? null : { client: name };
  if (kind === 'inbound') return { inbound: String(number) };
  return kind === 'node' ? { node: String(number) } : null;
}

/** Events as links, one below the other. */
function Linked({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const { search } = useLocation();
  const format = useFormat();
  return (
    <ol className={classes['linked']}>
      {entries.map(({ position, at, subject, what, by }) => (
        <li key={position}>
          <SubjectName subject={subject} />{' '}
          <Link to={`/audit/${position}${search}`} className={classes['sentence'] ?? ''}>
            <bdi>{what}</bdi>
          </Link>
          <span className={classes['when']}>
            <Technical>#{position}</Technical> · {format.instant(at)} · <bdi>{by}</bdi>
          </span>
        </li>
      ))}
    </ol>
  );
}
