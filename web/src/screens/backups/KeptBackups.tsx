import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import { backups } from '../../api/queries';
import blocks from '../../ui/display/Blocks.module.css';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded, Section } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import classes from './Backups.module.css';
import { check as checkQuery, isRunning, STALE } from './queries';

const isSealed = (name: string): boolean => name.endsWith('-sealed.db');

/** The backups on this machine, the newest first. */
export function KeptBackups() {
  const { t } = useTranslation('backups');
  const format = useFormat();
  const may = useMay();
  const mayDownload = may('/panel/api/server/backups/:name');
  const mayRestore = may('/panel/api/server/backups/check');
  const query = useQuery(backups);
  const { data: current } = useQuery({ ...checkQuery, enabled: mayRestore });
  const checking = useAction<string>({
    stale: STALE,
    run: (name) => api.post('/panel/api/server/backups/check', { body: { name, passphrase: '' } }),
  });
  const isBusy = checking.isPending || (current !== undefined && current !== null && isRunning(current));
  return (
    <Section
      title={t('kept')}
      actions={
        mayDownload && (
          <Button
            component="a"
            href={api.file('/panel/api/server/getDb')}
            download
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
          >
            {t('downloadNow')}
          </Button>
        )
      }
    >
      <Loaded query={query} rows={3}>
        {({ files }) =>
          files.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('kept.none')}
            </Text>
          ) : (
            <ul className={`${blocks['list']} ${classes['list']}`}>
              {files.map(({ name, bytes, at }) => (
                <li key={name}>
                  <div className={classes['name']}>
                    {format.dateTime(at)}
                    <div className={classes['note']}>
                      <Technical>{name}</Technical> · {format.bytes(bytes)}
                      {isSealed(name) && ` · ${t('sealed')}`}
                    </div>
                  </div>
                  <Group gap="xs" ms="auto">
                    {mayDownload && (
                      <Tooltip label={t('download')}>
                        <ActionIcon
                          component="a"
                          href={api.file('/panel/api/server/backups/:name', { params: { name } })}
                          download={name}
                          aria-label={t('downloadOf', { name })}
                        >
                          <IconDownload size={18} />
                        </ActionIcon>
                      </Tooltip>
                    )}
                    {mayRestore && (
                      <Button
                        size="xs"
                        variant="default"
                        disabled={isBusy}
                        aria-label={t('restoreOf', { name })}
                        onClick={() => checking.mutate(name)}
                      >
                        {t('restore')}
                      </Button>
                    )}
                  </Group>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
