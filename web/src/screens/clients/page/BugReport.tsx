import { Button, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import { Section } from '../../../ui/display/Page';

/** Downloads the events of a client without names, for the developers. */
export function BugReport({ email }: { readonly email: string }) {
  const { t } = useTranslation('clients');
  if (!useMay()('/panel/api/audit/capsule')) return null;
  return (
    <Section title={t('report')}>
      <Text size="sm" c="dimmed" mb="sm">
        {t('report.about')}
      </Text>
      <Button
        component="a"
        href={api.file('/panel/api/audit/capsule', { query: { client: email } })}
        download
        size="xs"
        variant="default"
      >
        {t('report')}
      </Button>
    </Section>
  );
}
