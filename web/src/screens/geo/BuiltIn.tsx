import { ActionIcon, Button, Group, Paper, Text, Tooltip } from '@mantine/core';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { useAction } from '../../ui/action';
import { Technical } from '../../ui/format';
import { Loaded } from '../../ui/Page';
import { Status } from '../../ui/Status';
import { sentenceOf } from '../../ui/toast';
import classes from './Geo.module.css';
import { files as filesQuery, STALE } from './queries';

type Outcome = Posts['/panel/api/server/updateGeofile']['reply'][number];
const TONES = { updated: 'good', unchanged: 'good', failed: 'bad' } as const;

/** The files that come from the core's community: there or not, and what the last update of this page did. */
export function BuiltIn() {
  const { t } = useTranslation('geo');
  const query = useQuery(filesQuery);
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>({});
  const show = (results: readonly Outcome[]): void =>
    setOutcomes((before) => ({ ...before, ...Object.fromEntries(results.map((one) => [one.file, one])) }));
  // An empty name means all.
  const updating = useAction<string>({
    stale: STALE,
    async run(fileName) {
      const update =
        fileName === ''
          ? api.post('/panel/api/server/updateGeofile', { body: {} })
          : api.post('/panel/api/server/updateGeofile/:fileName', { params: { fileName } });
      const done = await update.catch((error: unknown) => {
        // When no file could be updated, the panel refuses; with one file, the reason is that file's.
        if (fileName !== '') show([{ file: fileName, outcome: 'failed', sha256: null, reason: sentenceOf(error) }]);
        throw error;
      });
      show(done.obj);
      return done;
    },
  });
  const pending = updating.isPending ? updating.variables : null;
  return (
    <Paper p="md" component="section">
      <Group justify="space-between" mb="md">
        <Text component="h2" fw={600} size="sm">
          {t('builtIn')}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          loading={pending === ''}
          disabled={pending !== null}
          onClick={() => updating.mutate('')}
        >
          {t('updateAll')}
        </Button>
      </Group>
      <Loaded query={query} rows={4}>
        {(all) => (
          <ul className={classes['list']}>
            {all
              .filter(({ builtIn }) => builtIn)
              .map(({ fileName, present, extExample }) => {
                const outcome = outcomes[fileName];
                return (
                  <li key={fileName}>
                    <div className={classes['head']}>
                      <Technical>{fileName}</Technical>
                      <Status tone={outcome ? TONES[outcome.outcome] : present ? 'good' : 'quiet'}>
                        {outcome ? t(`outcome.${outcome.outcome}`) : t(present ? 'present' : 'absent')}
                      </Status>
                    </div>
                    <div className={classes['note']}>
                      <Technical>{extExample}</Technical>
                    </div>
                    <div className={classes['actions']}>
                      <Tooltip label={t('update')}>
                        <ActionIcon
                          aria-label={t('updateOf', { name: fileName })}
                          loading={pending === fileName}
                          disabled={pending !== null}
                          onClick={() => updating.mutate(fileName)}
                        >
                          <IconRefresh size={16} />
                        </ActionIcon>
                      </Tooltip>
                    </div>
                    {outcome?.reason && <div className={classes['why']}>{outcome.reason}</div>}
                  </li>
                );
              })}
          </ul>
        )}
      </Loaded>
    </Paper>
  );
}
