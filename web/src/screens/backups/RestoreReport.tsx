import { Alert, Stack, Text } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useTranslation } from 'react-i18next';
import { base } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import classes from './Backups.module.css';
import { ImportReport } from './ImportReport';
import type { Report } from './queries';

const COUNTS = ['inbounds', 'clients', 'nodes', 'admins'] as const;

/** What a confirmation does: where the file comes from, what there is before and after, and what is lost. */
export function RestoreReport({ report }: { readonly report: Report }) {
  const { t } = useTranslation('backups');
  const format = useFormat();
  const { kind, sha256, backup, before, after, kept, basePath } = report;
  const isMoved = basePath !== base.pathname;
  return (
    <Stack gap="md">
      <dl className={blocks['facts']} style={{ '--least': '13rem' }}>
        <div>
          <dt>{t('report.kind')}</dt>
          <dd>{kind === 'portolan' ? t('report.backup') : t('report.xui', { version: report.import?.version })}</dd>
        </div>
        {backup && (
          <div>
            <dt>{t('report.madeAt')}</dt>
            <dd>
              {format.dateTime(backup.madeAt)}
              <div className={classes['note']}>{t('report.release', { version: backup.release })}</div>
            </dd>
          </div>
        )}
        <div>
          <dt>SHA-256</dt>
          <dd>
            <Technical>
              <span title={sha256}>{`${sha256.slice(0, 16)}…`}</span>
            </Technical>
          </dd>
        </div>
      </dl>
      <div className={classes['scroll']}>
        <table className={classes['table']}>
          <thead>
            <tr>
              <th scope="col">{t('report.contents')}</th>
              <th scope="col">{t('report.before')}</th>
              <th scope="col">{t('report.after')}</th>
            </tr>
          </thead>
          <tbody>
            {COUNTS.map((name) => (
              <tr key={name}>
                <th scope="row">{t(`count.${name}`)}</th>
                <td>{format.number(before[name])}</td>
                <td>{format.number(after[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {report.import && <ImportReport imported={report.import} />}
      {backup?.newer !== null && backup?.newer !== undefined && backup.newer > 0 && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle />}>
          <Text size="sm">{t('report.newer', { count: backup.newer })}</Text>
        </Alert>
      )}
      {isMoved && (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle />}>
          <Text size="sm">
            {t('report.moved')} <Technical>{new URL(basePath, base).href}</Technical>
          </Text>
        </Alert>
      )}
      {kept.length > 0 && (
        <details className={classes['group']}>
          <summary>{t('report.kept', { count: kept.length })}</summary>
          <ul>
            {kept.map(({ key, why }) => (
              <li key={key}>
                <Technical>{key}</Technical>: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Stack>
  );
}
