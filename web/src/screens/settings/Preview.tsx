import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import classes from './Settings.module.css';

const PAUSE_MS = 400;
type Texts = Readonly<Record<'title' | 'announce' | 'supportUrl', string>>;

/** The subscription page of a made-up client with the texts of the form, saved or not, in a frame without scripts. */
export function Preview({ title, announce, supportUrl }: Texts) {
  const { t, i18n } = useTranslation('settings');
  const [query] = useDebouncedValue({ title, announce, supportUrl, lang: i18n.language }, PAUSE_MS);
  const address = api.file('/panel/api/setting/previewSubscriptionPage', { query });
  return (
    <div className={classes['row']}>
      <div className={classes['about']}>
        <span className={classes['label']}>{t('preview')}</span>
        <Text size="sm" c="dimmed">
          {t('preview.help')}
        </Text>
      </div>
      <div className={classes['control']}>
        {/* A new frame for each address: a changed one would add to the history. */}
        <iframe key={address} className={classes['frame']} title={t('preview')} sandbox="" src={address} />
      </div>
    </div>
  );
}
