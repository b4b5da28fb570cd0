import { Button } from '@mantine/core';
import IconArrowBarToDown from '@tabler/icons-react/dist/esm/icons/IconArrowBarToDown.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconUpload from '@tabler/icons-react/dist/esm/icons/IconUpload.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useMay } from '../../api/access';
import type { InboundSummary } from '../../api/contract.generated';
import { inbounds as inboundsQuery } from '../../api/queries';
import { useFormat } from '../../ui/display/format';
import { Empty, Loaded, Page } from '../../ui/display/Page';
import { ImportDialog } from './list/ImportDialog';
import { List } from './list/List';

/** `#/inbounds`: the list. */
export function Overview() {
  const { t } = useTranslation('inbounds');
  const query = useQuery(inboundsQuery);
  const [isImporting, setImporting] = useState(false);
  const mayAdd = useMay()('/panel/api/inbounds/add');
  const add = mayAdd && (
    <Button component={Link} to="/inbounds/new" leftSection={<IconPlus size={16} />}>
      {t('add')}
    </Button>
  );
  const actions = mayAdd && (
    <>
      <Button variant="default" leftSection={<IconUpload size={16} />} onClick={() => setImporting(true)}>
        {t('import')}
      </Button>
      {add}
    </>
  );
  return (
    <Page title={t('title')} fill summary={query.data && <Summary inbounds={query.data} />} actions={actions}>
      <Loaded query={query} rows={8}>
        {(inbounds) =>
          inbounds.length === 0 ? (
            <Empty icon={<IconArrowBarToDown size={28} />} title={t('none.title')} body={t('none.body')} action={add} />
          ) : (
            <List inbounds={inbounds} />
          )
        }
      </Loaded>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
    </Page>
  );
}

function Summary({ inbounds }: { readonly inbounds: readonly InboundSummary[] }) {
  const { t } = useTranslation('inbounds');
  const format = useFormat();
  const sum = (of: (inbound: InboundSummary) => number): number => inbounds.reduce((all, one) => all + of(one), 0);
  return (
    <>
      {t('clientCount', { count: sum(({ clients }) => clients) })} ·{' '}
      <bdi>{format.bytes(sum(({ up, down }) => up + down))}</bdi>
    </>
  );
}
