import { Button, FileInput, Group, PasswordInput, Stack, Text } from '@mantine/core';
import IconFileDatabase from '@tabler/icons-react/dist/esm/icons/IconFileDatabase.mjs';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { useAction } from '../../ui/feedback/action';
import { sentenceOf } from '../../ui/feedback/toast';
import { useCurl } from '../../ui/form/FormFooter';
import { CheckProgress } from './CheckProgress';
import { STALE } from './queries';

/** The server refuses larger files after they were sent; saying so before saves the time. */
const MAX_BYTES = 1024 ** 3;

/** The parts in the order in which the server reads them. */
function formOf(file: File, passphrase: string): FormData {
  const form = new FormData();
  if (passphrase !== '') form.append('passphrase', passphrase);
  form.append('db', file);
  return form;
}

/** Sends a file to be checked. */
export function UploadForm() {
  const { t } = useTranslation(['backups', 'shell']);
  const [file, setFile] = useState<File | null>(null);
  const [passphrase, setPassphrase] = useState('');
  const [refusal, setRefusal] = useState('');
  const [share, setShare] = useState(0);
  const abort = useRef<AbortController | null>(null);
  // A screen that is left sends nothing more.
  useEffect(() => () => abort.current?.abort(), []);
  const sending = useAction<File>({
    stale: STALE,
    silent: true,
    run(chosen) {
      const form = formOf(chosen, passphrase);
      abort.current = new AbortController();
      return api.upload('/panel/api/server/checkDB', form, { follow: setShare, signal: abort.current.signal });
    },
  });
  const curl = useCurl(() => file && api.request('/panel/api/server/checkDB', { body: formOf(file, passphrase) }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRefusal('');
    setShare(0);
    if (!file) return setRefusal(t('upload.missing'));
    if (file.size > MAX_BYTES) return setRefusal(t('upload.tooLarge'));
    sending.mutate(file, {
      onError(error) {
        if (!(error instanceof DOMException)) setRefusal(sentenceOf(error));
      },
    });
  };
  if (sending.isPending)
    return (
      <Stack gap="sm">
        <CheckProgress phase="upload" done={Math.round(share * 100)} total={100} />
        <Group justify="flex-end">
          <Button variant="default" size="xs" onClick={() => abort.current?.abort()}>
            {t('cancel', { ns: 'shell' })}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('upload.body')}
        </Text>
        <FileInput
          label={t('upload.file')}
          placeholder={t('upload.choose')}
          leftSection={<IconFileDatabase size={18} />}
          accept=".db,.sqlite,.sqlite3,application/octet-stream"
          clearable
          clearButtonProps={{ 'aria-label': t('upload.clear') }}
          value={file}
          onChange={setFile}
          error={refusal}
        />
        <PasswordInput
          label={t('upload.passphrase')}
          description={t('upload.passphraseHelp')}
          autoComplete="off"
          dir="auto"
          value={passphrase}
          onChange={({ currentTarget }) => setPassphrase(currentTarget.value)}
        />
        {curl.view}
        <Group justify="space-between">
          {curl.button}
          <Button type="submit">{t('upload.check')}</Button>
        </Group>
      </Stack>
    </form>
  );
}
