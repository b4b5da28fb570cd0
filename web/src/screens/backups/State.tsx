import { Alert, Anchor, Stack, Text } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { backups } from '../../api/queries';
import blocks from '../../ui/display/Blocks.module.css';
import { useFormat } from '../../ui/display/format';
import { Loaded, Section } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import classes from './Backups.module.css';

const REFRESH_MS = 30_000;

/** The last verified backup, the next one, and what is wrong. */
export function State() {
  const { t } = useTranslation('backups');
  const format = useFormat();
  const query = useQuery({ ...backups, refetchInterval: REFRESH_MS });
  return (
    <Section
      title={t('state')}
      actions={
        <Anchor component={Link} to="/settings?group=data" size="sm">
          {t('schedule')}
        </Anchor>
      }
    >
      <Loaded query={query} rows={2}>
        {({ last, lastGood, next, late }) => (
          <Stack gap="md">
            {last !== null && last.why !== null && (
              <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={t('failed')}>
                <Text size="sm">{last.why}</Text>
                <Text size="xs" c="dimmed">
                  {format.dateTime(last.at)}
                </Text>
              </Alert>
            )}
            <dl className={blocks['facts']} style={{ '--least': '13rem' }}>
              <div>
                <dt>{t('lastGood')}</dt>
                <dd>
                  <Status tone={late ? 'bad' : lastGood ? 'good' : 'quiet'}>
                    {lastGood ? format.relative(lastGood.at) : t('none')}
                  </Status>
                  {lastGood && (
                    <div className={classes['note']}>
                      {format.dateTime(lastGood.at)} · {format.bytes(lastGood.bytes)}
                    </div>
                  )}
                  {late && <div className={classes['note']}>{t('late')}</div>}
                </dd>
              </div>
              <div>
                <dt>{t('next')}</dt>
                <dd>
                  {next === null ? (
                    <Status tone="warn">{t('scheduleOff')}</Status>
                  ) : (
                    <>
                      {format.relative(next)}
                      <div className={classes['note']}>{format.dateTime(next)}</div>
                    </>
                  )}
                </dd>
              </div>
            </dl>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
