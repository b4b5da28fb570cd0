// Before all others: the style sheets of a component follow those of the kit, and win.
import './styles';

import { Button } from '@mantine/core';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconWebhook from '@tabler/icons-react/dist/esm/icons/IconWebhook.mjs';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { Empty, Loaded, Page, Section } from '../../ui/display/Page';
import { ReadOnlyNote } from '../../ui/form/Locked';
import { useAddressFlag } from '../../ui/table/filters';
import { DeadLetters } from './DeadLetters';
import { webhooks as webhooksQuery } from './queries';
import { ReplayForm } from './ReplayForm';
import { RotateForm, type Secret, WebhookSecret } from './Secrets';
import { WebhookForm } from './WebhookForm';
import { type Opened, WebhookList } from './WebhookList';

/** `#/webhooks`: the receivers that the panel delivers events to. */
export function Webhooks() {
  const { t } = useTranslation('webhooks');
  const may = useMay();
  const query = useQuery(webhooksQuery);
  const [isAdding, setAdding] = useAddressFlag('new');
  const [opened, setOpened] = useState<Opened>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  const mayAdd = may('/panel/api/webhooks/add');
  const add = mayAdd && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  );
  const close = (): void => setOpened(null);
  return (
    <Page title={t('title')} summary={t('summary')} actions={add || undefined}>
      <ReadOnlyNote unless="/panel/api/webhooks/update/:id" />
      <Loaded query={query} rows={4}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={<IconWebhook size={28} />} title={t('none')} body={t('noneBody')} />
          ) : (
            <Section title={t('list')}>
              <WebhookList webhooks={all} onOpen={setOpened} />
            </Section>
          )
        }
      </Loaded>
      {isAdding && mayAdd && <WebhookForm webhook={null} onSecret={setSecret} onClose={() => setAdding(false)} />}
      {opened?.part === 'edit' && <WebhookForm webhook={opened.webhook} onSecret={setSecret} onClose={close} />}
      {opened?.part === 'replay' && <ReplayForm webhook={opened.webhook} onClose={close} />}
      {opened?.part === 'rotate' && <RotateForm webhook={opened.webhook} onSecret={setSecret} onClose={close} />}
      {opened?.part === 'letters' && <DeadLetters webhook={opened.webhook} onClose={close} />}
      {secret && <WebhookSecret {...secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}
