import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { CopyButton } from '../../../ui/display/CopyButton';
import { saveFile } from '../../../ui/display/save';
import { useAction } from '../../../ui/feedback/action';
import { DestroyDialog } from '../../../ui/feedback/DestroyDialog';
import { Dialog } from '../../../ui/feedback/Dialog';
import { STALE } from '../actions';
import classes from './PersonalData.module.css';
import type { Certificate } from './queries';

interface Props {
  readonly email: string;
  /** Called before the page learns that the client is gone. */
  readonly onErased: (certificate: Certificate) => void;
  readonly onClose: () => void;
}

/** Names what an erasure destroys, and asks for it once. */
export function EraseDialog({ email, onErased, onClose }: Props) {
  const { t } = useTranslation('clients');
  const [reason, setReason] = useState('');
  const request = api.request('/panel/api/personalData/erase/:email', { params: { email }, body: { reason } });
  const erasing = useAction({
    stale: STALE,
    silent: true,
    said: () => '',
    async run() {
      const done = await request.send();
      onErased(done.obj);
      return done;
    },
  });
  return (
    <DestroyDialog
      title={t('erase.title', { email })}
      submit={t('erase.now')}
      request={request}
      action={erasing}
      onClose={onClose}
    >
      <Text size="sm">{t('erase.body')}</Text>
      <ul className={classes['lost']}>
        <li>{t('erase.lost.account')}</li>
        <li>{t('erase.lost.names')}</li>
        <li>{t('erase.lost.addresses')}</li>
      </ul>
      <Text size="sm">{t('erase.kept')}</Text>
      <TextInput
        label={t('erase.reason')}
        description={t('erase.reasonHelp')}
        dir="auto"
        autoComplete="off"
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </DestroyDialog>
  );
}

interface CertificateProps {
  readonly certificate: Certificate;
  readonly onClose: () => void;
}

/** The certificate of an erasure, to keep or to hand over. */
export function CertificateDialog({ certificate: { text, position }, onClose }: CertificateProps) {
  const { t } = useTranslation('clients');
  const save = (): void => saveFile(new Blob([text], { type: 'text/plain' }), `erasure-${position}.txt`);
  return (
    <Dialog onClose={onClose} title={t('certificate.title')} size="lg" closeOnClickOutside={false}>
      <Stack gap="md">
        <Text size="sm">{t('certificate.body')}</Text>
        <pre className={classes['certificate']} dir="auto" tabIndex={0} aria-label={t('certificate')}>
          {text}
        </pre>
        <Group justify="flex-end" gap="sm">
          <CopyButton text={text} label={t('certificate.copy')} />
          <Button variant="default" onClick={save}>
            {t('certificate.save')}
          </Button>
          <Button onClick={onClose} data-autofocus>
            {t('certificate.done')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
