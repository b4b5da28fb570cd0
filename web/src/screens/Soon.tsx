import { Button } from '@mantine/core';
import IconTools from '@tabler/icons-react/dist/esm/icons/IconTools.mjs';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { base } from '../api/client';
import { Empty, Page } from '../ui/Page';
import type { ScreenId } from './screen';

/** What the former page calls these screens. */
const CLASSIC: Partial<Record<ScreenId, string>> = { geo: 'core', audit: 'logs' };

/** Stands in for a screen until it is built. */
export function soon(id: ScreenId): ComponentType {
  return function Soon() {
    const { t } = useTranslation('shell');
    return (
      <Page title={t(`nav.${id}`)}>
        <Empty
          icon={<IconTools size={28} />}
          title={t('soon.title')}
          body={t('soon.body')}
          action={
            <Button component="a" variant="default" mt="sm" href={new URL(`classic#/${CLASSIC[id] ?? id}`, base).href}>
              {t('soon.action')}
            </Button>
          }
        />
      </Page>
    );
  };
}
