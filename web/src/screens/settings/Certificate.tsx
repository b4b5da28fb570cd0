import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { covers } from '../../model/panel-address';
import { Technical, useFormat } from '../../ui/display/format';
import { Status } from '../../ui/display/Status';
import { sentenceOf } from '../../ui/feedback/toast';
import { certificate } from './queries';
import classes from './Settings.module.css';

const SOON_MS = 14 * 86_400_000;
const PAUSE_MS = 500;

/** Checks the two files on the machine of the panel: that they exist, belong together, for which names and how long. */
export function Certificate({
  certFile,
  keyFile,
  host,
}: {
  readonly certFile: string;
  readonly keyFile: string;
  /** The name under which browsers reach the server. */
  readonly host: string;
}) {
  const { t } = useTranslation('settings');
  const format = useFormat();
  const [[cert, key]] = useDebouncedValue([certFile, keyFile] as const, PAUSE_MS);
  const { data, error } = useQuery(certificate(cert, key));
  if (cert === '' && key === '') return null;
  if (error) return <Status tone="warn">{sentenceOf(error)}</Status>;
  if (!data) return <Status tone="quiet">{t('certificate.checking')}</Status>;
  const found = data.certificate;
  const tone = data.problem !== null ? 'bad' : 'good';
  return (
    <div className={classes['certificate']} role="status">
      <Status tone={tone}>{data.problem ?? t('certificate.good')}</Status>
      {found && (
        <>
          <Text size="sm">
            {t('certificate.names')} <Technical>{found.names.join(', ')}</Technical>
          </Text>
          <Text size="sm">
            {t('certificate.until', { date: format.date(found.notAfter), away: format.relative(found.notAfter) })}
          </Text>
          {found.notAfter - Date.now() < SOON_MS && data.problem === null && (
            <Status tone="warn">{t('certificate.soon')}</Status>
          )}
          {!covers(found.names, host) && (
            <Status tone="warn">{t('certificate.otherName', { host: `\u2068${host}\u2069` })}</Status>
          )}
        </>
      )}
    </div>
  );
}
