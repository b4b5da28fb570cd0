import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import { isObject, type JsonObject } from '../../../model/json';
import { confirmLoss } from '../../../ui/feedback/confirm';
import { toastError } from '../../../ui/feedback/toast';
import { Code } from '../../../ui/form/Code';
import type { TemplateEditor } from '../draft';
import { parse, pretty } from '../template';
import { Comparison } from './Comparison';
import { Running } from './Running';

const VIEWS = ['edit', 'changes', 'running'] as const;

interface Props {
  readonly editor: TemplateEditor;
  /** What is stored. */
  readonly base: JsonObject;
  readonly view: string;
  readonly onView: (view: string) => void;
}

/** The whole template as text, what has changed in it, and the configuration that the core runs. */
export function Template({ editor, base, view, onView }: Props) {
  const { t } = useTranslation('core');
  const shown = VIEWS.find((one) => one === view) ?? 'edit';
  const mayEdit = useMay()('/panel/core/update');
  const restore = (): void =>
    confirmLoss({
      title: t('default.title'),
      body: t('default.body'),
      action: t('default'),
      run: () => {
        api.get('/panel/core/getDefaultJsonConfig').then((template) => {
          if (isObject(template)) editor.change(template);
        }, toastError);
      },
    });
  return (
    <Tabs variant="pills" value={shown} onChange={(next) => onView(next ?? 'edit')}>
      <Group justify="space-between" mb="sm">
        <Tabs.List aria-label={t('view')}>
          {VIEWS.map((value) => (
            <Tabs.Tab key={value} value={value}>
              {t(`view.${value}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown === 'edit' && mayEdit && (
          <Button size="xs" variant="default" onClick={restore}>
            {t('default')}
          </Button>
        )}
      </Group>
      <Tabs.Panel value={shown}>
        <Stack gap="sm">
          {shown === 'edit' && <Edit editor={editor} />}
          {shown === 'changes' &&
            (editor.isChanged ? (
              <Comparison value={pretty(editor.template)} original={pretty(base)} label={t('view.changes')} />
            ) : (
              <Text size="sm" c="dimmed">
                {t('view.same')}
              </Text>
            ))}
          {shown === 'running' && <Running editor={editor} />}
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}

const loadEditing = async () => (await import('./editing')).editing();

/** Text that is not JSON stays in the editor, and does not reach the other tabs. */
function Edit({ editor: { template, change } }: { readonly editor: TemplateEditor }) {
  const { t } = useTranslation('core');
  const [text, setText] = useState(() => pretty(template));
  const written = useRef(template);
  // Another tab, Discard or Undo has changed the value.
  const isForeign = pretty(written.current) !== pretty(template);
  const value = isForeign ? pretty(template) : text;
  const mayEdit = useMay()('/panel/core/update');
  const edit = (next: string): void => {
    setText(next);
    const parsed = parse(next);
    if (!parsed) return;
    written.current = parsed;
    change(parsed);
  };
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('template.help')}
      </Text>
      <Code value={value} label={t('view.edit')} {...(mayEdit ? { more: loadEditing, onChange: edit } : {})} />
      {parse(value) === null && (
        <Text size="sm" c="var(--bad)" role="alert">
          {t('notJson')}
        </Text>
      )}
    </>
  );
}
