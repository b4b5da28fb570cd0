// Before all others: the style sheets of a component follow those of the kit, and win.
import './form-styles';

import { Button, Group, JsonInput, Stack, Tabs, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { useMay } from '../../api/access';
import type { JsonObject } from '../../model/json';
import { useUnsaved } from '../../ui/feedback/leave';
import { SidePanel } from '../../ui/feedback/SidePanel';
import { Locked } from '../../ui/form/Locked';
import { type FieldDefinition, Fields } from './Fields';
import { parse, pretty } from './template';

interface Props {
  readonly title: string;
  readonly start: JsonObject;
  /** The inputs for what the part is at present. */
  readonly fieldsOf: (part: JsonObject) => readonly FieldDefinition[];
  /** What is wrong with it; null = nothing. */
  readonly check: (part: JsonObject) => Problem | null;
  /** What goes with an input. */
  readonly edit?: (before: JsonObject, after: JsonObject) => JsonObject;
  /** What to know before it is applied. */
  readonly note?: (part: JsonObject) => ReactNode;
  readonly onApply: (part: JsonObject) => void;
  readonly onClose: () => void;
}

/** A problem of a part, and the field that it is about; an empty path for the part as a whole. */
export interface Problem {
  readonly path: string;
  readonly text: string;
}

/** Edits one rule, outbound or balancer: by inputs, or as the text of the same value. */
export function PartForm({ edit = (_, after) => after, note = () => null, ...props }: Props) {
  const { title, start, fieldsOf, check, onApply, onClose } = props;
  const { t } = useTranslation(['core', 'shell']);
  const [part, setPart] = useState(start);
  const [tab, setTab] = useState<string | null>('form');
  const [json, setJson] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const current = (): JsonObject | null => (tab === 'json' ? parse(json) : part);
  const now = current();
  useUnsaved(now === null || pretty(now) !== pretty(start), useLocation().pathname);
  const turn = (next: string | null): void => {
    const value = current();
    if (value === null) return setProblem({ path: '', text: t('notJson') });
    setPart(value);
    setJson(pretty(value));
    setProblem(null);
    setTab(next);
  };
  const apply = (): void => {
    const value = current();
    const why = value === null ? { path: '', text: t('notJson') } : check(value);
    setProblem(why);
    if (value === null || why !== null) return;
    onApply(value);
    onClose();
  };
  const change = (next: JsonObject): void => {
    setPart(edit(part, next));
    setProblem(null);
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problem]);
  const isAtField = tab === 'form' && problem !== null && fieldsOf(part).some(({ path }) => path === problem.path);
  const mayApply = useMay()('/panel/core/update');
  return (
    <SidePanel onClose={onClose} title={title}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <Tabs value={tab} onChange={turn} keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="form">{t('tab.form')}</Tabs.Tab>
            <Tabs.Tab value="json">JSON</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form">
            <Locked unless="/panel/core/update">
              <Stack gap="sm">
                <Fields fields={fieldsOf(part)} value={part} problem={problem} onChange={change} />
              </Stack>
            </Locked>
          </Tabs.Panel>
          <Tabs.Panel value="json">
            <JsonInput
              aria-label="JSON"
              description={t('json.help')}
              autosize
              minRows={14}
              maxRows={30}
              value={json}
              readOnly={!mayApply}
              onChange={setJson}
              dir="ltr"
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            />
          </Tabs.Panel>
        </Tabs>
        {problem && !isAtField && (
          <Text size="sm" c="var(--bad)" role="alert" mt="sm">
            {problem.text}
          </Text>
        )}
        {note(now ?? part)}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {t(mayApply ? 'cancel' : 'close', { ns: 'shell' })}
          </Button>
          {mayApply && <Button type="submit">{t('apply')}</Button>}
        </Group>
      </form>
    </SidePanel>
  );
}
