import { Alert, Button, Group, Text } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/access';
import { api } from '../../api/client';
import type { JsonObject } from '../../model/json';
import { Status } from '../../ui/display/Status';
import { sentenceOf } from '../../ui/feedback/toast';
import { useCurl } from '../../ui/form/FormFooter';
import classes from './Core.module.css';
import type { TemplateEditor } from './draft';
import { pretty } from './template';

/** Says that there are changes, what saving them does, and why the panel refused them. */
export function SaveBar({ editor, onDiff }: { readonly editor: TemplateEditor; readonly onDiff: () => void }) {
  const { t } = useTranslation('core');
  const [refusal, setRefusal] = useState('');
  const mayCheck = useMay()('/panel/core/check');
  const curl = useCurl(editor.request);
  const checking = useMutation({
    mutationFn: async (template: JsonObject) =>
      (await api.post('/panel/core/check', { body: { coreSetting: pretty(template) } })).obj,
    onMutate: () => setRefusal(''),
    onError: (error) => setRefusal(sentenceOf(error)),
  });
  if (!editor.isChanged) return null;
  const verdict = checking.variables === editor.template ? checking.data : undefined;
  const save = (): void => {
    setRefusal('');
    editor.save().catch((error: unknown) => setRefusal(sentenceOf(error)));
  };
  return (
    <div className={classes['bar']} role="region" aria-label={t('unsaved')}>
      {editor.isStale ? (
        <Alert color="orange" variant="light" icon={<IconAlertTriangle />} title={t('stale')} role="alert">
          <Group gap="xs" mt={4}>
            <Button size="xs" variant="default" onClick={editor.discard}>
              {t('stale.theirs')}
            </Button>
            <Button size="xs" variant="default" onClick={editor.overrule}>
              {t('stale.mine')}
            </Button>
          </Group>
        </Alert>
      ) : (
        <div className={classes['barLine']}>
          <div>
            <Text size="sm" fw={600}>
              {t('unsaved')}
            </Text>
            <Text size="xs" c="dimmed">
              {t('unsaved.help')}
            </Text>
          </div>
          <Group gap="xs">
            {curl.button}
            <Button size="xs" variant="subtle" onClick={onDiff}>
              {t('showDiff')}
            </Button>
            <Button size="xs" variant="default" onClick={editor.discard}>
              {t('discard')}
            </Button>
            {mayCheck && (
              <Button
                size="xs"
                variant="default"
                loading={checking.isPending}
                onClick={() => checking.mutate(editor.template)}
              >
                {t('check')}
              </Button>
            )}
            <Button size="xs" loading={editor.isSaving} onClick={save}>
              {t('saveAll')}
            </Button>
          </Group>
        </div>
      )}
      {!editor.isStale && curl.view}
      {verdict && refusal === '' && (
        <div role="status">
          <Status tone={verdict.tested ? 'good' : 'warn'}>{t(verdict.tested ? 'check.good' : 'check.untested')}</Status>
          {verdict.warnings.map((warning) => (
            <Text key={warning} size="xs" c="dimmed">
              {warning}
            </Text>
          ))}
        </div>
      )}
      {refusal !== '' && (
        <Text size="sm" c="var(--bad)" role="alert" className={classes['wrap']}>
          {refusal}
        </Text>
      )}
    </div>
  );
}
