import { Button, Group, Paper, Text, TextInput } from '@mantine/core';
import IconActivity from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { type JsonObject, withValue } from '../../../model/json';
import blocks from '../../../ui/display/Blocks.module.css';
import { Locked } from '../../../ui/form/Locked';
import classes from '../Core.module.css';
import type { TemplateEditor } from '../draft';
import { observatory, outboundTraffic } from '../queries';
import { moved, objectsAt, tagsAt, textAt } from '../template';
import { DelayHistory } from './DelayHistory';
import { LinkForm } from './LinkForm';
import { OutboundRow, UNTESTED } from './OutboundRow';
import { useOutboundMenu, useOutboundTests } from './use-outbounds';

/** Loads the schemas of outbounds. */
const OutboundForm = lazy(async () => ({ default: (await import('./OutboundForm')).OutboundForm }));

const PATH = 'outbounds';
/** The end of the list: a new one. */
const NEW = -1;
type Opened = { readonly edit: number } | { readonly history: string } | 'link' | null;

/** Outbounds: where traffic leaves. The first one takes what no rule matches. */
export function Outbounds({ editor }: { readonly editor: TemplateEditor }) {
  const { t } = useTranslation('core');
  const { template, change } = editor;
  const outbounds = objectsAt(template, PATH);
  const tags = tagsAt(template, PATH);
  const [opened, setOpened] = useState<Opened>(null);
  const set = (next: readonly JsonObject[]): void => change(withValue(template, PATH, next));
  const mayEdit = useMay()('/panel/core/update');
  const close = (): void => setOpened(null);
  return (
    <Paper p="md" component="section">
      <div className={classes['head']}>
        <Text size="sm" c="dimmed" maw={460}>
          {t('outbound.help')}
        </Text>
        {mayEdit && (
          <Group gap="xs">
            <Button size="xs" variant="default" leftSection={<IconLink size={14} />} onClick={() => setOpened('link')}>
              {t('link.open')}
            </Button>
            <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened({ edit: NEW })}>
              {t('outbound.add')}
            </Button>
          </Group>
        )}
      </div>
      <List outbounds={outbounds} set={set} onOpened={setOpened} />
      <Locked unless="/panel/core/update">
        <TextInput
          mt="md"
          maw={480}
          label={t('testUrl')}
          description={t('testUrl.help')}
          dir="ltr"
          spellCheck={false}
          value={editor.testUrl}
          onChange={({ currentTarget }) => editor.changeTestUrl(currentTarget.value)}
        />
      </Locked>
      {opened === 'link' && <LinkForm tags={tags} onAdd={(more) => set([...outbounds, ...more])} onClose={close} />}
      {opened !== null && typeof opened === 'object' && 'history' in opened && (
        <DelayHistory tag={opened.history} onClose={close} />
      )}
      {opened !== null && typeof opened === 'object' && 'edit' in opened && (
        <Suspense>
          <OutboundForm
            key={opened.edit}
            outbound={outbounds[opened.edit]}
            others={outbounds.flatMap((one, index) => (index === opened.edit ? [] : textAt(one, 'tag') || []))}
            onApply={(part) => set(opened.edit === NEW ? [...outbounds, part] : outbounds.with(opened.edit, part))}
            onClose={close}
          />
        </Suspense>
      )}
    </Paper>
  );
}

interface ListProps {
  readonly outbounds: readonly JsonObject[];
  readonly set: (outbounds: readonly JsonObject[]) => void;
  readonly onOpened: (opened: Opened) => void;
}

function List({ outbounds, set, onOpened }: ListProps) {
  const { t } = useTranslation('core');
  const may = useMay();
  const { results, running, test } = useOutboundTests(outbounds);
  const { data: traffic = [] } = useQuery(outboundTraffic);
  const { data: measured = [] } = useQuery({ ...observatory, enabled: may('/panel/api/server/coreObservatory') });
  const tagOf = (index: number): string => textAt(outbounds[index] ?? {}, 'tag');
  const observedOf = (tag: string) => measured.find((one) => one.tag === tag);
  const [menuButton, menu] = useOutboundMenu({
    tagOf,
    isObserved: (index) => observedOf(tagOf(index)) !== undefined,
    onOpen: (index) => onOpened({ edit: index }),
    onHistory: (index) => onOpened({ history: tagOf(index) }),
    onDefault: (index) => set(moved(outbounds, index, 0)),
    onRemove: (index) => set(outbounds.toSpliced(index, 1)),
  });
  const mayTest = may('/panel/core/testOutbound');
  const testable = outbounds.filter((outbound) => !UNTESTED.has(textAt(outbound, 'protocol')));
  return (
    <>
      <ul className={`${blocks['list']} ${classes['list']}`}>
        {outbounds.map((outbound, index) => {
          const tag = tagOf(index);
          return (
            <OutboundRow
              key={tag || index}
              outbound={outbound}
              isDefault={index === 0}
              traffic={traffic.find((one) => one.tag === tag)}
              observed={observedOf(tag)}
              result={results[tag]}
              isTesting={running.has(tag)}
              onTest={mayTest ? () => test(outbound) : null}
              onOpen={() => onOpened({ edit: index })}
              onHistory={() => onOpened({ history: tag })}
              menu={(may('/panel/core/update') || observedOf(tag)) && menuButton(index)}
            />
          );
        })}
      </ul>
      {menu}
      {mayTest && testable.length > 1 && (
        <Button
          mt="xs"
          size="xs"
          variant="default"
          leftSection={<IconActivity size={14} />}
          loading={running.size > 0}
          onClick={() => testable.forEach(test)}
        >
          {t('outbound.testAll')}
        </Button>
      )}
    </>
  );
}
