import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client';
import { CopyButton } from '../../../ui/display/CopyButton';
import { Section } from '../../../ui/display/Page';
import { sentenceOf } from '../../../ui/feedback/toast';
import classes from '../Inbounds.module.css';
import { bodyOf, type Draft } from './draft';

const PAUSE_MS = 400;

/** The link that clients would get, while the inbound is edited. `id` 0 = a new one. */
export function SharePreview({ draft, id }: { readonly draft: Draft; readonly id: number }) {
  const { t } = useTranslation('inbounds');
  const [settled] = useDebouncedValue(draft, PAUSE_MS);
  const query = useQuery({
    queryKey: ['preview', id, settled],
    queryFn: async ({ signal }) =>
      (await api.post('/panel/api/inbounds/preview', { body: { ...bodyOf(settled), id }, signal })).obj,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const { links = [], sample = false } = query.data ?? {};
  return (
    <Section title={t('preview')}>
      {query.error ? (
        <Text size="sm" c="dimmed">
          {sentenceOf(query.error)}
        </Text>
      ) : links.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(query.isPending ? 'preview.wait' : 'preview.none')}
        </Text>
      ) : (
        <>
          <Text size="xs" c="dimmed" mb="xs">
            {t(sample ? 'preview.sample' : 'preview.first')}
          </Text>
          {links.map((link, index) => (
            <div key={link} className={classes['link']}>
              <code dir="ltr">{link}</code>
              <CopyButton text={link} label={t('copyLink', { n: index + 1 })} />
            </div>
          ))}
        </>
      )}
    </Section>
  );
}
