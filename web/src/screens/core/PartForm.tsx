// Before all others: the style sheets of a component follow those of the kit, and win.
import './form-styles';

import { Button, Group, JsonInput, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { useMay } from '../../api/access';
import { useUnsaved } from '../../ui/feedback/leave';
import { SidePanel } from '../../ui/feedback/SidePanel';
import { Locked } from '../../ui/form/Locked';
import { type FieldDefinition, Fields } from './Fields';
import { type JsonObject, parse, pretty } from './template';

interface Props {
  readonly title: string;
  readonly start: JsonObject;
  /** The inputs for what the part is at present. */
  readonly fieldsOf: (part: JsonObject) => readonly FieldDefinition[];
  /** What is wrong with it, or nothing. */
  readonly check: (part: JsonObject) => string;
  readonly onApply: (part: JsonObject) => void;
  readonly onClose: () => void;
}

/** Edits one rule, outbound or balancer: by inputs, or as the text of the same value. */
export function PartForm({ title, start, fieldsOf, check, onApply, onClose }: Props) {
  const { t } = useTranslation(['core', 'shell']);
  const [part, setPart] = useState(start);
  const [tab, setTab] = useState<string | null>('form');
  const [json, setJson] = useState('');
  const [problem, setProblem] = useState('');
  const current = (): JsonObject | null => (tab === 'json' ? parse(json) : part);
  const now = current();
  useUnsaved(now === null || pretty(now) !== pretty(start), useLocation().pathname);
  const turn = (next: string | null): void => {
    const value = current();
    if (value === null) return setProblem(t('notJson'));
    setPart(value);
    setJson(pretty(value));
    setProblem('');
    setTab(next);
  };
  const apply = (): void => {
    const value = current();
    const why = value === null ? t('notJson') : check(value);
    setProblem(why);
    if (value === null || why !== '') return;
    onApply(value);
    onClose();
  };
  const mayApply = useMay()('/panel/core/update');
  return (
    <SidePanel onClose={onClose} title={title}>
      <form
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
                <Fields fields={fieldsOf(part)} value={part} onChange={setPart} />
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
        {problem !== '' && (
          <Text size="sm" c="var(--bad)" role="alert" mt="sm">
            {problem}
          </Text>
        )}
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
