import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { isObject, type Json, type JsonObject } from '../../../model/json';
import { Loaded } from '../../../ui/display/Page';
import { sentenceOf } from '../../../ui/feedback/toast';
import { Code } from '../../../ui/form/Code';
import type { TemplateEditor } from '../draft';
import { checked, running as runningQuery } from '../queries';
import { pretty, textAt } from '../template';
import { Comparison } from './Comparison';

/** The configuration that the core runs, and what the template with its changes would make different in it. */
export function Running({ editor: { template } }: { readonly editor: TemplateEditor }) {
  const { t } = useTranslation('core');
  const running = useQuery(runningQuery);
  const mayCheck = useMay()('/panel/core/check');
  const wanted = useQuery({ ...checked(template), enabled: mayCheck });
  return (
    <Loaded query={running}>
      {(config) => {
        const now = inOrder(config);
        const next = wanted.data ? inOrder(wanted.data.config) : now;
        const note = wanted.error
          ? sentenceOf(wanted.error)
          : wanted.isLoading
            ? t('checking')
            : t(now === next ? 'running.same' : 'running.differs');
        return (
          <>
            {mayCheck && (
              <Text size="sm" c={wanted.error ? 'var(--bad)' : 'dimmed'} role="status">
                {note}
              </Text>
            )}
            {now === next ? (
              <Code value={now} label={t('view.running')} />
            ) : (
              <Comparison key="difference" value={next} original={now} label={t('view.running')} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** As text, the inbounds by their tags: the order in which they were added says nothing. */
function inOrder(config: Readonly<Record<string, unknown>>): string {
  const inbounds = config['inbounds'];
  if (!Array.isArray(inbounds)) return pretty(config as JsonObject);
  const byTag = (inbounds as readonly Json[])
    .filter(isObject)
    .toSorted((one, other) => textAt(one, 'tag').localeCompare(textAt(other, 'tag')));
  return pretty({ ...config, inbounds: byTag } as JsonObject);
}
