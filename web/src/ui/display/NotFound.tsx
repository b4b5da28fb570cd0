import { Button } from '@mantine/core';
import IconMapOff from '@tabler/icons-react/dist/esm/icons/IconMapOff.mjs';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Empty, Page } from './Page';

/** In place of a screen or an item that does not exist. */
export function NotFound() {
  const { t } = useTranslation('shell');
  return (
    <Page title={t('notFound.title')}>
      <Empty
        icon={<IconMapOff size={28} />}
        title={t('notFound.title')}
        body={t('notFound.body')}
        action={
          // The router leads from `/` to the first screen that the role includes.
          <Button component={Link} to="/" mt="sm">
            {t('notFound.home')}
          </Button>
        }
      />
    </Page>
  );
}
