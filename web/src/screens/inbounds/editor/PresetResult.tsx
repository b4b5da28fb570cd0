import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { clientPath } from '../../../model/clients';
import { Loading } from '../../../ui/display/Page';

const NewLink = lazy(async () => ({ default: (await import('../../../ui/display/NewLink')).NewLink }));

interface Props {
  readonly inbound: number;
  /** The first client, which the preset added. */
  readonly email: string;
}

/** A preset ends with a client that can connect: its link, its QR code, and where to continue. */
export function PresetResult({ inbound, email }: Props) {
  const { t } = useTranslation('inbounds');
  return (
    <Paper p="md" maw={560} withBorder>
      <Stack gap="md">
        <div>
          <Text fw={600} component="h2">
            {t('result.title')}
          </Text>
          <Text size="sm" c="dimmed">
            {t('result.body', { email })}
          </Text>
        </div>
        <Suspense fallback={<Loading rows={3} />}>
          <NewLink
            inbound={inbound}
            email={email}
            qrLabel={t('qrOf', { name: email })}
            copyLabel={t('copyLinkOf', { name: email, n: 1 })}
          />
        </Suspense>
        <Group justify="flex-end" gap="xs">
          <Button component={Link} to={`/inbounds/${inbound}`} variant="subtle" me="auto">
            {t('allOptions')}
          </Button>
          <Button component={Link} to={clientPath(email)} variant="default">
            {t('result.client')}
          </Button>
          <Button component={Link} to="/inbounds">
            {t('result.done')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
