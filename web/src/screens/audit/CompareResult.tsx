import { Anchor, Button, Menu } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import IconEqual from '@tabler/icons-react/dist/esm/icons/IconEqual.mjs';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { api } from '../../api/client';
import { clientPath } from '../../model/clients';
import { Technical, useFormat } from '../../ui/display/format';
import { Empty, Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { saveFile } from '../../ui/display/save';
import { toastError } from '../../ui/feedback/toast';
import classes from './Audit.module.css';
import { Changes } from './Changes';
import compare from './Compare.module.css';
import { type Diff, type DiffDocument, NOUNS, shownFields } from './diff';
import { isBackup } from './moment';
import { type DiffQuery, diffOf, MOST_DOCUMENTS, type UploadedBackup } from './queries';

const TONES = { added: 'good', removed: 'bad', changed: 'warn' } as const;
/** With more documents than this, their fields are shown on request. */
const OPEN = 5;

interface Props {
  readonly diff: Diff;
  /** Loads more documents; null = all are shown. */
  readonly more: (() => void) | null;
  readonly isBusy: boolean;
}

/** The documents that differ, by noun. */
export function CompareResult({ diff: { from, to, counts, documents }, more, isBusy }: Props) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const number = (value: number): string => format.number(value);
  const { added, removed, changed } = counts;
  const rest = added + removed + changed - documents.length;
  return (
    <>
      <div className={classes['bar']}>
        <strong role="status">
          {t('compare.counts', { added: number(added), removed: number(removed), changed: number(changed) })}
        </strong>
        <span className={compare['range']}>
          <Technical>#{from.position}</Technical> · {format.dateTime(from.at)} – <Technical>#{to.position}</Technical> ·{' '}
          {format.dateTime(to.at)}
        </span>
      </div>
      {documents.length === 0 && (
        <Empty icon={<IconEqual size={28} />} title={t('compare.nothing')} body={t('compare.nothingBody')} />
      )}
      {NOUNS.filter((noun) => documents.some((one) => one.noun === noun)).map((noun) => (
        <Section key={noun} title={t(`noun.${noun}`)}>
          {documents
            .filter((one) => one.noun === noun)
            .map((document) => (
              <Different
                key={`${document.number} ${document.name}`}
                document={document}
                isOpen={documents.length <= OPEN}
              />
            ))}
        </Section>
      ))}
      {more && (
        <Button variant="default" loading={isBusy} onClick={more}>
          {t('compare.more', { number: number(rest) })}
        </Button>
      )}
    </>
  );
}

/** One document: its fields, and the events that changed it. */
function Different({ document, isOpen }: { readonly document: DiffDocument; readonly isOpen: boolean }) {
  const { t } = useTranslation('audit');
  const { noun, change, events, fields } = document;
  // What an added document has since its first event needs no link at each field.
  const first = change === 'changed' ? undefined : events.at(-1)?.position;
  const by = new Map(events.filter(({ position }) => position !== first).map((event) => [event.position, event]));
  const atFields = new Set(fields.map(({ position }) => position));
  const others = events.filter(({ position }) => position === first || !atFields.has(position));
  return (
    <details className={compare['document']} open={isOpen}>
      <summary>
        <Status tone={TONES[change]}>{t(`change.${change}`)}</Status>
        <b>
          <bdi>{nameOf(document) || t(`noun.${noun}`)}</bdi>
        </b>
        <span className={classes['muted']}>
          <bdi>{[...new Set(events.map((event) => event.by))].join(', ')}</bdi>
        </span>
      </summary>
      <ScreenLink document={document} />
      <Changes
        changes={shownFields(document)}
        causeOf={({ position }) => {
          const event = position === null || position === undefined ? undefined : by.get(position);
          return event ? <Cause {...event} /> : null;
        }}
      />
      {others.length > 0 && (
        <ul className={classes['linked']}>
          {others.map((event) => (
            <li key={event.position}>
              <Technical>{event.type}</Technical> <Cause {...event} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

const nameOf = ({ number, name }: DiffDocument): string => (number === 0 ? name : name || `#${number}`);

/** Who changed something, and the event. */
function Cause({ position, at, by }: DiffDocument['events'][number]) {
  const format = useFormat();
  return (
    <span className={classes['when']}>
      <Anchor component={Link} to={`/audit/${position}`} size="xs">
        <Technical>#{position}</Technical>
      </Anchor>{' '}
      · {format.dateTime(at)} · <bdi>{by}</bdi>
    </span>
  );
}

/** A link to what still exists. */
function ScreenLink({ document: { noun, number, name, change } }: { readonly document: DiffDocument }) {
  const { t } = useTranslation('audit');
  if (change === 'removed') return null;
  const to = {
    ...{ inbound: `/inbounds/${number}`, client: clientPath(name), node: `/nodes/${number}` },
    ...{ settings: '/settings', core: '/core', role: '/access', admin: '/access', token: '/access' },
    ...{ webhook: '/webhooks', hold: '/audit', geoSource: '/geo' },
  }[noun];
  if (noun === 'client' && name === '') return null;
  return (
    <Anchor component={Link} to={to} size="sm" className={compare['open'] ?? ''}>
      {t('compare.open')}
    </Anchor>
  );
}

interface ExportProps {
  readonly query: DiffQuery;
  /** The backup that was sent with it; null = none. */
  readonly backup: UploadedBackup | null;
}

/** All documents that differ as a file, also those that are not shown. */
export function CompareExport({ query, backup }: ExportProps) {
  const { t } = useTranslation('audit');
  const saving = useMutation({ mutationFn: () => wholeDiff(query, backup), onError: toastError });
  const save = (): void =>
    saving.mutate(undefined, {
      onSuccess: (diff) =>
        saveFile(
          new Blob([`${JSON.stringify(diff, null, 2)}\n`], { type: 'application/json' }),
          `diff-${diff.from.position}-${diff.to.position}.json`,
        ),
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />} loading={saving.isPending}>
          {t('export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {backup === null && (
          <Menu.Item
            component="a"
            href={api.file('/panel/api/audit/diff', { query: { ...query, limit: MOST_DOCUMENTS, format: 'text' } })}
            download
          >
            {t('compare.text')}
          </Menu.Item>
        )}
        <Menu.Item onClick={save}>JSON</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** A diff with all of its documents. The end is fixed by the first answer. */
async function wholeDiff(query: DiffQuery, backup: UploadedBackup | null): Promise<Diff> {
  const ask = (skip: number, to: string) => diffOf({ ...query, to }, backup, { skip, limit: MOST_DOCUMENTS });
  const first = await ask(0, query.to);
  const documents = [...first.documents];
  const { added, removed, changed } = first.counts;
  const to = isBackup(query.to) ? query.to : String(first.to.position);
  while (documents.length < added + removed + changed) {
    const page = await ask(documents.length, to);
    if (page.documents.length === 0) break;
    documents.push(...page.documents);
  }
  return { ...first, documents };
}
