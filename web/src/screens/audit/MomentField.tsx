import { FileInput, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import IconFileDatabase from '@tabler/icons-react/dist/esm/icons/IconFileDatabase.mjs';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/display/format';
import { DateField } from '../../ui/form/DateField';
import compare from './Compare.module.css';
import type { Chosen, MomentKind } from './moment';

interface Props {
  readonly label: string;
  readonly kinds: readonly MomentKind[];
  readonly value: Chosen;
  readonly onChange: (value: Chosen) => void;
  /** Why the panel refused the moment; empty = it did not. */
  readonly error: string;
  /** The backups that the panel keeps, newest first. */
  readonly backups: readonly { readonly name: string; readonly at: number }[];
  /** The backup that is sent. */
  readonly backup: SentBackup;
  readonly setBackup: (backup: SentBackup) => void;
}

interface SentBackup {
  readonly file: File | null;
  readonly passphrase: string;
}

/** Chooses a moment: now, a time, the number of an event, a backup of the list, or a file with one. */
export function MomentField({ label, kinds, value, onChange, error, backups, backup, setBackup }: Props) {
  const { t } = useTranslation('audit');
  const format = useFormat();
  const { kind, text } = value;
  const shared = {
    'aria-label': `${label}: ${t(`moment.${kind}`)}`,
    ...{ value: text, error: error === '' ? undefined : error },
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ kind, text: currentTarget.value }),
  };
  return (
    <div className={compare['moment']}>
      <NativeSelect
        label={label}
        value={kind}
        onChange={({ currentTarget }) => onChange({ kind: currentTarget.value as MomentKind, text: '' })}
        data={kinds.map((one) => ({ value: one, label: t(`moment.${one}`) }))}
        error={kind === 'now' && error !== '' ? error : undefined}
      />
      {kind === 'time' && (
        <DateField {...shared} timeOfDay="00:00" onChange={(chosen) => onChange({ kind, text: chosen })} />
      )}
      {kind === 'position' && <TextInput inputMode="numeric" placeholder="1200" dir="ltr" {...shared} />}
      {kind === 'backup' && (
        <NativeSelect
          {...shared}
          data={[
            { value: '', label: t('moment.choose') },
            ...backups.map(({ name, at }) => ({ value: name, label: `${format.dateTime(at)} · ${name}` })),
          ]}
        />
      )}
      {kind === 'file' && <FileFields backup={backup} onChange={setBackup} error={error} />}
    </div>
  );
}

interface FileProps {
  readonly backup: SentBackup;
  readonly onChange: (backup: SentBackup) => void;
  readonly error: string;
}

function FileFields({ backup, onChange, error }: FileProps) {
  const { t } = useTranslation('audit');
  return (
    <>
      <FileInput
        label={t('compare.file')}
        placeholder={t('compare.chooseFile')}
        leftSection={<IconFileDatabase size={18} />}
        accept=".db,.sqlite,.sqlite3,application/octet-stream"
        clearable
        clearButtonProps={{ 'aria-label': t('compare.clearFile') }}
        value={backup.file}
        onChange={(file) => onChange({ ...backup, file })}
        error={error === '' ? undefined : error}
      />
      <PasswordInput
        label={t('compare.passphrase')}
        description={t('compare.passphraseHelp')}
        autoComplete="off"
        dir="auto"
        value={backup.passphrase}
        onChange={({ currentTarget }) => onChange({ ...backup, passphrase: currentTarget.value })}
      />
    </>
  );
}
