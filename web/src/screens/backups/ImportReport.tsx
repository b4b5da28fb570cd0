import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/display/format';
import { Status } from '../../ui/display/Status';
import classes from './Backups.module.css';
import type { Import } from './queries';

const OUTCOMES = ['skipped', 'changed', 'noted'] as const;
const TONES = { skipped: 'bad', changed: 'warn', noted: 'quiet' } as const;

/** What the database of another panel contains, what becomes of it, and every difference by severity. */
export function ImportReport({ imported }: { readonly imported: Import }) {
  const { t } = useTranslation('backups');
  const { findings, found } = imported;
  return (
    <Stack gap="sm">
      <Totals imported={imported} />
      {found === 0 ? (
        <Status tone="good">{t('findings.none')}</Status>
      ) : (
        OUTCOMES.map((outcome) => {
          const some = findings.filter((finding) => finding.outcome === outcome);
          if (some.length === 0) return null;
          return (
            <details key={outcome} className={classes['group']} open={outcome === 'skipped'}>
              <summary>
                <Status tone={TONES[outcome]}>{t(`findings.${outcome}`, { count: some.length })}</Status>
              </summary>
              <ul>
                {some.map(({ item, reason }, index) => (
                  <li key={index}>
                    <bdi>{item}</bdi>: {reason}
                  </li>
                ))}
              </ul>
            </details>
          );
        })
      )}
      {found > findings.length && (
        <Text size="xs" c="dimmed">
          {t('findings.more', { count: found - findings.length })}
        </Text>
      )}
    </Stack>
  );
}

const BYTES = ['inbound', 'client', 'outbound'] as const;

function Totals({ imported: { before, after, skipped } }: { readonly imported: Import }) {
  const { t } = useTranslation('backups');
  const format = useFormat();
  const columns = [before, after, skipped];
  return (
    <div className={classes['scroll']}>
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">{t('totals')}</th>
            <th scope="col">{t('totals.found')}</th>
            <th scope="col">{t('totals.taken')}</th>
            <th scope="col">{t('totals.lost')}</th>
          </tr>
        </thead>
        <tbody>
          {(['inbounds', 'clients'] as const).map((name) => (
            <tr key={name}>
              <th scope="row">{t(`count.${name}`)}</th>
              {columns.map((totals, index) => (
                <td key={index}>{format.number(totals[name])}</td>
              ))}
            </tr>
          ))}
          {BYTES.map((name) => (
            <tr key={name}>
              <th scope="row">{t(`totals.${name}`)}</th>
              {columns.map((totals, index) => (
                <td key={index}>{format.bytes(totals[`${name}Up`] + totals[`${name}Down`])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
