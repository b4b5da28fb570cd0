// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button, Stack } from '@mantine/core';
import IconDatabaseExport from '@tabler/icons-react/dist/esm/icons/IconDatabaseExport.mjs';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import blocks from '../../ui/display/Blocks.module.css';
import { Page } from '../../ui/display/Page';
import { useAction } from '../../ui/feedback/action';
import { ChatDelivery } from './ChatDelivery';
import { KeptBackups } from './KeptBackups';
import { STALE } from './queries';
import { Restore } from './Restore';
import { State } from './State';
import { Switching, type Target } from './Switching';

/** `#/backups`: whether there are backups, where they are, and how to return to one. */
export function Backups() {
  const { t } = useTranslation('backups');
  const [target, setTarget] = useState<Target | null>(null);
  const may = useMay();
  const [isRestarting, setRestarting] = useState(false);
  const making = useAction({ stale: STALE, run: () => api.post('/panel/api/server/backups/make') });
  const make = may('/panel/api/server/backups/make') && (
    <Button
      leftSection={<IconDatabaseExport size={16} />}
      loading={making.isPending}
      disabled={isRestarting}
      onClick={() => making.mutate()}
    >
      {t('make')}
    </Button>
  );
  return (
    <Page title={t('title')} actions={make}>
      {target && (
        <Switching key={target.at} target={target} onEnd={() => setRestarting(false)} onClose={() => setTarget(null)} />
      )}
      <div className={blocks['columns']}>
        <Stack gap="sm">
          <State />
          <KeptBackups />
        </Stack>
        <Stack gap="sm">
          {may('/panel/api/server/backups/check') && (
            <Restore
              onConfirmed={(confirmed) => {
                setTarget(confirmed);
                setRestarting(true);
              }}
            />
          )}
          {may('/panel/api/server/backups/make') && <ChatDelivery />}
        </Stack>
      </div>
    </Page>
  );
}
