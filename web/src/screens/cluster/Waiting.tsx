import { Button, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { JoinRequest } from '../../api/contract.generated';
import blocks from '../../ui/display/Blocks.module.css';
import { useFormat } from '../../ui/display/format';
import { Section } from '../../ui/display/Page';
import rows from '../../ui/display/Rows.module.css';
import { DrawerForm } from '../../ui/form/DrawerForm';
import { joinRequests, STALE } from './queries';

/** The machines that wait for an approval; nothing while there is none. */
export function Waiting() {
  const { t } = useTranslation('cluster');
  const format = useFormat();
  const { data: requests = [] } = useQuery(joinRequests);
  const [approved, setApproved] = useState<JoinRequest | null>(null);
  return (
    <>
      {requests.length > 0 && (
        <Section title={t('waiting')}>
          <ul className={blocks['list']} aria-label={t('waiting')}>
            {requests.map((request) => (
              <li key={request.member} className={rows['row']}>
                <div className={rows['main']}>
                  <div className={rows['name']}>
                    <bdi>{request.member}</bdi>
                  </div>
                  <div className={rows['note']}>{t('waiting.until', { when: format.relative(request.expiresAt) })}</div>
                </div>
                <Button
                  size="compact-sm"
                  aria-label={t('approve.title', { name: request.member })}
                  onClick={() => setApproved(request)}
                >
                  {t('approve')}
                </Button>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {approved !== null && <ApproveForm request={approved} onClose={() => setApproved(null)} />}
    </>
  );
}

interface Props {
  readonly request: JoinRequest;
  readonly onClose: () => void;
}

/** The fingerprint is typed from the screen of the new machine: a key that was exchanged on the way has another one. */
function ApproveForm({ request: { member, role }, onClose }: Props) {
  const { t } = useTranslation('cluster');
  const form = useForm({
    initialValues: { fingerprint: '' },
    validate: { fingerprint: (value) => (value.trim() === '' ? t('approve.required') : null) },
  });
  return (
    <DrawerForm<{ fingerprint: string }, { readonly masterFingerprint: string }>
      title={t('approve.title', { name: member })}
      submit={t('approve')}
      form={form}
      stale={STALE}
      request={({ fingerprint }) =>
        api.request('/panel/api/cluster/approve', { body: { member, fingerprint: fingerprint.trim() } })
      }
      said={(_, { obj }) => t('approved', { name: member, fingerprint: obj.masterFingerprint })}
      onClose={onClose}
    >
      <Text size="sm">{t(role === 'subscriptions' ? 'approve.mirror' : 'approve.body')}</Text>
      <TextInput
        label={t('approve.fingerprint')}
        description={t('approve.help')}
        placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('fingerprint')}
      />
    </DrawerForm>
  );
}
