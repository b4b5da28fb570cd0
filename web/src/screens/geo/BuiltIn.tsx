import { ActionIcon, Button, Group, Paper, Text, Tooltip } from '@mantine/core';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { CopyButton } from '../../ui/display/CopyButton';
import { Technical, useFormat } from '../../ui/display/format';
import { Loaded } from '../../ui/display/Page';
import { Status } from '../../ui/display/Status';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import classes from './Geo.module.css';
import { type File, files as filesQuery, STALE } from './queries';

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
  const mayUpdate = useMay()('/panel/api/server/updateGeofile');
  const pending = updating.isPending ? updating.variables : null;
  return (
    <Paper p="md" component="section">
      <Group justify="space-between" mb="md">
        <Text component="h2" fw={600} size="sm">
          {t('builtIn')}
        </Text>
        {mayUpdate && (
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
        )}
      </Group>
      <Loaded query={query} rows={4}>
        {(all) => (
          <ul className={`${blocks['list']} ${classes['list']}`}>
            {all
              .filter(({ builtIn }) => builtIn)
              .map((file) => (
                <Row
                  key={file.fileName}
                  file={file}
                  outcome={outcomes[file.fileName]}
                  isUpdating={pending === file.fileName}
                  isBusy={pending !== null}
                  onUpdate={mayUpdate ? () => updating.mutate(file.fileName) : null}
                />
              ))}
          </ul>
        )}
      </Loaded>
    </Paper>
  );
}

interface RowProps {
  readonly file: File;
  /** What the last update in this browser did. */
  readonly outcome: Outcome | undefined;
  readonly isUpdating: boolean;
  readonly isBusy: boolean;
  /** Null for a role that cannot update files. */
  readonly onUpdate: (() => void) | null;
}

/** A file: whether it is there, since when, and why its last update failed. */
function Row({ file, outcome, isUpdating, isBusy, onUpdate }: RowProps) {
  const { t } = useTranslation('geo');
  const format = useFormat();
  const { fileName, present, extExample, bytes, writtenAt, checkedAt, error } = file;
  const why = outcome ? outcome.reason : error;
  const state = outcome
    ? `outcome.${outcome.outcome}`
    : error !== ''
      ? 'outcome.failed'
      : present
        ? 'present'
        : 'absent';
  const tone = outcome ? TONES[outcome.outcome] : error !== '' ? 'bad' : present ? 'good' : 'quiet';
  return (
    <li>
      <div className={classes['head']}>
        <Technical>{fileName}</Technical>
        <Status tone={tone}>{t(state as 'present')}</Status>
      </div>
      <div className={classes['note']}>
        <Technical>{extExample}</Technical>
        {present && ` · ${t('builtIn.file', { size: format.bytes(bytes), date: format.date(writtenAt) })}`}
        {checkedAt > 0 && ` · ${t('builtIn.checked', { when: format.relative(checkedAt) })}`}
      </div>
      <div className={classes['actions']}>
        <CopyButton text={extExample} label={t('copyRule', { name: fileName })} />
        {onUpdate && (
          <Tooltip label={t('update')}>
            <ActionIcon
              aria-label={t('updateOf', { name: fileName })}
              loading={isUpdating}
              disabled={isBusy}
              onClick={onUpdate}
            >
              <IconRefresh size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {why && (
        <div className={classes['why']}>
          {why}
          {present && ` ${t('kept')}`}
        </div>
      )}
    </li>
  );
}
