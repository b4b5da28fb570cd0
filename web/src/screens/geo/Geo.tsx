// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconRefresh from '@tabler/icons-react/dist/esm/icons/IconRefresh.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { Page } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { BuiltIn } from './BuiltIn';
import { type Source, STALE, sources as sourcesQuery } from './queries';
import { Schedule } from './Schedule';
import { SourceForm } from './SourceForm';
import { Sources } from './Sources';

type Form = { readonly source: Source | null } | null;

/** `#/geo`: the lists of addresses and domains that routing rules name. */
export function Geo() {
  const { t } = useTranslation('geo');
  const [form, setForm] = useState<Form>(null);
  const updating = useAction({ stale: STALE, run: () => api.post('/panel/api/custom-geo/update-all') });
  const may = useMay();
  const hasSources = (useQuery(sourcesQuery).data ?? []).length > 0;
  const add = may('/panel/api/custom-geo/add') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setForm({ source: null })}>
      {t('add')}
    </Button>
  );
  return (
    <Page title={t('title')} summary={t('summary')} actions={add}>
      <div className={blocks['columns']} data-wide>
        <Paper p="md" component="section">
          <Group justify="space-between" mb="md">
            <Text component="h2" fw={600} size="sm">
              {t('sources')}
            </Text>
            {hasSources && may('/panel/api/custom-geo/update-all') && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconRefresh size={14} />}
                loading={updating.isPending}
                onClick={() => updating.mutate()}
              >
                {t('updateAll')}
              </Button>
            )}
          </Group>
          <Sources onEdit={(source) => setForm({ source })} />
        </Paper>
        <Stack gap="sm">
          {may('/panel/setting/all') && <Schedule />}
          <BuiltIn />
        </Stack>
      </div>
      {form && <SourceForm source={form.source} onClose={() => setForm(null)} />}
    </Page>
  );
}
