import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import type { ClientRow, Gets } from '../../../api/contract.generated';
import { CopyButton } from '../../../ui/display/CopyButton';
import { Loaded } from '../../../ui/display/Page';
import { saveFile } from '../../../ui/display/save';
import { Dialog } from '../../../ui/feedback/Dialog';
import pageClasses from '../page/ClientPage.module.css';

type Profile = Gets['/panel/api/clients/:email/profiles/:id']['reply'][number];

const FORMATS = ['json', 'clash', 'sing-box'] as const satisfies readonly Profile['format'][];
const NAMES = { json: 'JSON', clash: 'Clash', 'sing-box': 'sing-box' } as const;
const FILES = { json: '.json', clash: '.yaml', 'sing-box': '-sing-box.json' } as const;

type Client = Pick<ClientRow, 'email' | 'inboundId'>;

/** One inbound of a client as the configuration of an app, in each format of subscriptions. */
export function Profiles({ client }: { readonly client: Client }) {
  const { t } = useTranslation('clients');
  const [opened, setOpened] = useState<Profile['format'] | null>(null);
  return (
    <Group gap="xs" role="group" aria-label={t('profiles')}>
      {FORMATS.map((format) => (
        <Button key={format} size="compact-sm" variant="default" onClick={() => setOpened(format)}>
          {NAMES[format]}
        </Button>
      ))}
      {opened && <ProfileDialog client={client} format={opened} onClose={() => setOpened(null)} />}
    </Group>
  );
}

interface DialogProps {
  readonly client: Client;
  readonly format: Profile['format'];
  readonly onClose: () => void;
}

function ProfileDialog({ client: { email, inboundId: id }, format, onClose }: DialogProps) {
  const { t } = useTranslation('clients');
  const query = useQuery({
    queryKey: ['inbounds', 'profiles', id, email],
    queryFn: ({ signal }) => api.get('/panel/api/clients/:email/profiles/:id', { params: { email, id }, signal }),
    // It contains the credentials.
    gcTime: 0,
  });
  return (
    <Dialog onClose={onClose} title={t('profileOf', { format: NAMES[format], email })} size="lg">
      <Loaded query={query} rows={6}>
        {(profiles) => {
          const text = profiles.find((one) => one.format === format)?.text ?? '';
          if (text === '') return <Text size="sm">{t('profile.unsupported', { format: NAMES[format] })}</Text>;
          return (
            <Stack gap="md">
              <pre className={pageClasses['profile']} dir="ltr" tabIndex={0} aria-label={NAMES[format]}>
                {text}
              </pre>
              <Group justify="flex-end" gap="sm">
                <CopyButton text={text} label={t('profile.copy')} />
                <Button variant="default" onClick={() => saveFile(new Blob([text]), `${email}${FILES[format]}`)}>
                  {t('profile.save')}
                </Button>
              </Group>
            </Stack>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
