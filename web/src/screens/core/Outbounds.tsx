import { Button, Group, Menu, Paper, Text, TextInput } from '@mantine/core';
import IconActivity from '@tabler/icons-react/dist/esm/icons/IconActivity.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconReset from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs';
import IconStar from '@tabler/icons-react/dist/esm/icons/IconStar.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Posts } from '../../api/contract.generated';
import { useAction } from '../../ui/action';
import { confirmLoss } from '../../ui/confirm';
import { Technical, useFormat } from '../../ui/format';
import { useRowMenu } from '../../ui/RowMenu';
import { Status } from '../../ui/Status';
import { sentenceOf } from '../../ui/toast';
import classes from './Core.module.css';
import type { TemplateEditor } from './draft';
import { outboundFields, serverOf } from './outbound-fields';
import { PartForm } from './PartForm';
import { outboundTraffic } from './queries';
import { type JsonObject, moved, objectsAt, tagsAt, textAt, withValue } from './template';

const PATH = 'outbounds';
/** The end of the list: a new one. */
const NEW = -1;
/** Their test would only test this machine. */
const UNTESTED = new Set(['blackhole', 'dns']);

type Result = Posts['/panel/core/testOutbound']['reply'];

/** Outbounds: where traffic leaves. The first one takes what no rule matches. */
export function Outbounds({ editor }: { readonly editor: TemplateEditor }) {
  const { t } = useTranslation('core');
  const { template, change } = editor;
  const outbounds = objectsAt(template, PATH);
  const tags = tagsAt(template, PATH);
  const [opened, setOpened] = useState<number | null>(null);
  const [results, setResults] = useState<Readonly<Record<string, Result>>>({});
  const { data: traffic = [] } = useQuery(outboundTraffic);
  const set = (next: readonly JsonObject[]): void => change(withValue(template, PATH, next));
  const testing = useMutation({
    async mutationFn(outbound: JsonObject) {
      const tag = textAt(outbound, 'tag');
      const body = { outbound: JSON.stringify(outbound), allOutbounds: JSON.stringify(outbounds) };
      const result = await api
        .post('/panel/core/testOutbound', { body })
        .then(({ obj }) => obj)
        .catch((error: unknown): Result => ({ success: false, delay: 0, mode: 'http', error: sentenceOf(error) }));
      setResults((before) => ({ ...before, [tag]: result }));
    },
  });
  const resetting = useAction<string>({
    stale: [['outbounds']],
    run: (tag) => api.post('/panel/core/resetOutboundsTraffic', { body: { tag } }),
  });
  const reset = (tag: string): void =>
    confirmLoss({
      title: t('outbound.resetTitle', { tag }),
      body: t('outbound.resetBody'),
      action: t('outbound.reset'),
      run: () => resetting.mutate(tag),
    });
  const tagOf = (index: number): string => textAt(outbounds[index] ?? {}, 'tag');
  const [menuButton, menu] = useRowMenu<number>(
    (index) => t('actionsFor', { name: tagOf(index) }),
    (index) => (
      <>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpened(index)}>
          {t('edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconStar size={16} />}
          disabled={index === 0}
          onClick={() => set(moved(outbounds, index, 0))}
        >
          {t('outbound.makeDefault')}
        </Menu.Item>
        <Menu.Item leftSection={<IconReset size={16} />} onClick={() => reset(tagOf(index))}>
          {t('outbound.reset')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => set(outbounds.toSpliced(index, 1))}>
          {t('remove')}
        </Menu.Item>
      </>
    ),
  );
  const opener = outbounds[opened ?? 0];
  return (
    <Paper p="md" component="section">
      <div className={classes['head']}>
        <Text size="sm" c="dimmed" maw={560}>
          {t('outbound.help')}
        </Text>
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened(NEW)}>
          {t('outbound.add')}
        </Button>
      </div>
      <ul className={classes['list']}>
        {outbounds.map((outbound, index) => {
          const tag = textAt(outbound, 'tag');
          const counted = traffic.find((one) => one.tag === tag);
          return (
            <Row
              key={tag || index}
              outbound={outbound}
              isDefault={index === 0}
              used={counted?.total ?? 0}
              result={results[tag]}
              isTesting={testing.isPending && testing.variables === outbound}
              onTest={() => testing.mutate(outbound)}
              onOpen={() => setOpened(index)}
              menu={menuButton(index)}
            />
          );
        })}
      </ul>
      {menu}
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
      {opened !== null && (
        <PartForm
          key={opened}
          title={opened === NEW ? t('outbound.add') : t('outbound.edit', { tag: tagOf(opened) })}
          start={opened === NEW || !opener ? { tag: '', protocol: 'vless', settings: { encryption: 'none' } } : opener}
          fieldsOf={(part) =>
            outboundFields(
              part,
              tags.filter((tag) => tag !== textAt(part, 'tag')),
              (label) => t(`field.${label}`),
            )
          }
          check={(part) => {
            const tag = textAt(part, 'tag');
            if (tag === '') return t('outbound.noName');
            return tags.some((one, index) => one === tag && index !== opened) ? t('outbound.taken', { tag }) : '';
          }}
          onApply={(part) => set(opened === NEW ? [...outbounds, part] : outbounds.with(opened, part))}
          onClose={() => setOpened(null)}
        />
      )}
    </Paper>
  );
}

interface RowProps {
  readonly outbound: JsonObject;
  readonly isDefault: boolean;
  readonly used: number;
  readonly result: Result | undefined;
  readonly isTesting: boolean;
  readonly onTest: () => void;
  readonly onOpen: () => void;
  readonly menu: ReactNode;
}

function Row({ outbound, isDefault, used, result, isTesting, onTest, onOpen, menu }: RowProps) {
  const { t } = useTranslation('core');
  const format = useFormat();
  const tag = textAt(outbound, 'tag');
  const protocol = textAt(outbound, 'protocol');
  return (
    <li>
      <div className={classes['main']}>
        <span className={classes['name']}>
          <button type="button" onClick={onOpen}>
            <Technical>{tag || '–'}</Technical>
          </button>
          {isDefault && <Status tone="good">{t('outbound.default')}</Status>}
          {result && (
            <Status tone={result.success ? 'good' : 'bad'}>
              {result.success ? t('ms', { value: format.number(result.delay) }) : t('outbound.failed')}
            </Status>
          )}
        </span>
        <span className={classes['note']}>
          <Technical>{[protocol, serverOf(outbound)].filter((part) => part !== '').join(' · ')}</Technical>
          {used > 0 && ` · ${format.bytes(used)}`}
        </span>
        {result?.error !== undefined && !result.success && (
          <Text size="xs" c="var(--bad)">
            {result.error}
          </Text>
        )}
      </div>
      <Group gap={4} wrap="nowrap">
        {!UNTESTED.has(protocol) && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('outbound.testOf', { tag })}
            leftSection={<IconActivity size={14} />}
            loading={isTesting}
            onClick={onTest}
          >
            {t('outbound.test')}
          </Button>
        )}
        {menu}
      </Group>
    </li>
  );
}
