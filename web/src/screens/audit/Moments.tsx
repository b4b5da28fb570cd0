import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { backups as backupsQuery } from '../../api/queries';
import classes from './Audit.module.css';
import compare from './Compare.module.css';
import { NOUNS, type Noun } from './diff';
import { MomentField } from './MomentField';
import { addressOf, type Chosen, chosenOf, type MomentKind } from './moment';
import { auditEvent, type UploadedBackup } from './queries';

/** What is compared, as the address has it. */
export type Compared = Readonly<Record<'from' | 'to' | 'noun' | 'client', string>>;

const HOUR_MS = 3_600_000;
const SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;
/** The server refuses larger files after they were sent; saying so before saves the time. */
const MAX_BYTES = 1024 ** 3;

interface MomentsProps {
  readonly compared: Compared;
  /** `file`: the backup that was chosen; null = none. */
  readonly onChange: (compared: Partial<Compared>, file: UploadedBackup | null) => void;
  readonly problems: Readonly<Record<'from' | 'to' | 'client', string>>;
}

/** The form of the two moments, and the moments that are used most. */
export function Moments({ compared, onChange, problems }: MomentsProps) {
  const { t } = useTranslation('audit');
  const [from, setFrom] = useState<Chosen>(() => chosenOf(compared.from, 'time'));
  const [to, setTo] = useState<Chosen>(() => chosenOf(compared.to, 'now'));
  const [client, setClient] = useState(compared.client);
  const [backup, setBackup] = useState<{ readonly file: File | null; readonly passphrase: string }>(NO_FILE);
  const [isTried, setTried] = useState(false);
  // Back and Forward change the address.
  useEffect(() => setFrom(chosenOf(compared.from, 'time')), [compared.from]);
  useEffect(() => setTo(chosenOf(compared.to, 'now')), [compared.to]);
  useEffect(() => setClient(compared.client), [compared.client]);
  const missingIn = (chosen: Chosen): string => {
    if (chosen.kind !== 'file') return chosen === from && addressOf(from) === '' ? t('compare.missing') : '';
    if (backup.file === null) return t('compare.noFile');
    return backup.file.size > MAX_BYTES ? t('compare.tooLarge') : '';
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (missingIn(from) !== '' || missingIn(to) !== '') return;
    const isSent = [from, to].some(({ kind }) => kind === 'file') && backup.file !== null;
    const moments = { from: addressOf(from), to: addressOf(to), client: client.trim() };
    onChange(moments, isSent ? { file: backup.file, passphrase: backup.passphrase } : null);
  };
  const may = useMay();
  const { data: backups } = useQuery({ ...backupsQuery, enabled: may('/panel/api/server/backups') });
  const files = backups?.files ?? [];
  /** One request takes one file. */
  const kindsBeside = (other: Chosen): readonly MomentKind[] => [
    ...(['time', 'position'] as const),
    ...(files.length > 0 ? (['backup'] as const) : []),
    ...(may('/panel/api/audit/diffUpload') && other.kind !== 'file' ? (['file'] as const) : []),
  ];
  const shared = { backups: files, backup, setBackup };
  return (
    <form onSubmit={submit} className={classes['filters']} noValidate>
      <div className={compare['compare']}>
        <MomentField
          {...{ ...shared, label: t('filter.from'), kinds: kindsBeside(to), value: from, onChange: setFrom }}
          error={(isTried && missingIn(from)) || problems.from}
        />
        <MomentField
          {...{ ...shared, label: t('filter.to'), kinds: ['now', ...kindsBeside(from)], value: to, onChange: setTo }}
          error={(isTried && missingIn(to)) || problems.to}
        />
        <NativeSelect
          label={t('compare.noun')}
          value={compared.noun}
          onChange={({ currentTarget }) => {
            const { file } = backup;
            onChange({ noun: currentTarget.value, client: '' }, file && { ...backup, file });
          }}
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
      <Presets lastBackup={backups?.lastGood?.position} onChange={(chosen) => onChange(chosen, null)} />
    </form>
  );
}

const NO_FILE = { file: null, passphrase: '' } as const;

interface PresetsProps {
  /** Its position in the log. */
  readonly lastBackup: number | undefined;
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
        <Button size="compact-sm" variant="default" onClick={() => onChange({ from: String(lastBackup), to: '' })}>
          {t('compare.backup')}
        </Button>
      )}
    </div>
  );
}
