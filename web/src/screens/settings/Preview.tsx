import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { styleNonce } from '../../theme/nonce';
import { Loaded } from '../../ui/Page';
import { preview } from './queries';
import classes from './Settings.module.css';

const PAUSE_MS = 400;

/** The subscription page of a made-up client with the texts of the form, saved or not. */
export function Preview({
  title,
  announce,
  supportUrl,
}: Readonly<Record<'title' | 'announce' | 'supportUrl', string>>) {
  const { t, i18n } = useTranslation('settings');
  const [texts] = useDebouncedValue({ title, announce, supportUrl, lang: i18n.language }, PAUSE_MS);
  const query = useQuery(preview(texts));
  return (
    <div className={classes['row']}>
      <div className={classes['about']}>
        <span className={classes['label']}>{t('preview')}</span>
        <Text size="sm" c="dimmed">
          {t('preview.help')}
        </Text>
      </div>
      <div className={classes['control']}>
        <Loaded query={query} rows={8}>
          {(html) => <Frame html={html} />}
        </Loaded>
      </div>
    </div>
  );
}

/** In a frame without scripts. It has the policy of the panel, which allows a style element by its nonce. */
function Frame({ html }: { readonly html: string }) {
  const { t } = useTranslation('settings');
  const inert = useMemo(() => {
    // Before it is parsed: the browser applies the policy already then.
    const allowed = html.replace('<style>', `<style nonce="${styleNonce()}">`);
    const page = new DOMParser().parseFromString(allowed, 'text/html');
    for (const script of page.querySelectorAll('script')) script.remove();
    for (const link of page.querySelectorAll('a')) link.removeAttribute('href');
    return `<!doctype html>${page.documentElement.outerHTML}`;
  }, [html]);
  return <iframe className={classes['frame']} title={t('preview')} sandbox="" srcDoc={inert} />;
}
