import { Menu } from '@mantine/core';
import IconChartLine from '@tabler/icons-react/dist/esm/icons/IconChartLine.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconReset from '@tabler/icons-react/dist/esm/icons/IconRotateClockwise.mjs';
import IconStar from '@tabler/icons-react/dist/esm/icons/IconStar.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../../api/access';
import { api } from '../../../api/client';
import type { JsonObject } from '../../../model/json';
import { useAction } from '../../../ui/feedback/action';
import { confirmLoss } from '../../../ui/feedback/confirm';
import { sentenceOf } from '../../../ui/feedback/toast';
import { useRowMenu } from '../../../ui/table/RowMenu';
import { textAt } from '../template';
import type { TestResult } from './OutboundRow';

/** Tests of outbounds, each through a core of its own, and their results by tag. */
export function useOutboundTests(outbounds: readonly JsonObject[]) {
  const [results, setResults] = useState<Readonly<Record<string, TestResult>>>({});
  const [running, setRunning] = useState<ReadonlySet<string>>(new Set());
  const testing = useMutation({
    async mutationFn(outbound: JsonObject) {
      const tag = textAt(outbound, 'tag');
      setRunning((before) => new Set([...before, tag]));
      const body = { outbound: JSON.stringify(outbound), allOutbounds: JSON.stringify(outbounds) };
      const result = await api
        .post('/panel/core/testOutbound', { body })
        .then(({ obj }) => obj)
        .catch((error: unknown): TestResult => ({ success: false, delay: 0, mode: 'http', error: sentenceOf(error) }));
      setResults((before) => ({ ...before, [tag]: result }));
      setRunning((before) => new Set([...before].filter((one) => one !== tag)));
    },
  });
  return { results, running, test: (outbound: JsonObject) => testing.mutate(outbound) };
}

interface Actions {
  readonly tagOf: (index: number) => string;
  readonly isObserved: (index: number) => boolean;
  readonly onOpen: (index: number) => void;
  readonly onHistory: (index: number) => void;
  readonly onDefault: (index: number) => void;
  readonly onRemove: (index: number) => void;
}

/** What one does with an outbound: the button for a row, and the menu. */
export function useOutboundMenu({ tagOf, isObserved, onOpen, onHistory, onDefault, onRemove }: Actions) {
  const { t } = useTranslation('core');
  const mayEdit = useMay()('/panel/core/update');
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
  return useRowMenu<number>(
    (index) => t('actionsFor', { name: tagOf(index) }),
    (index) => (
      <>
        {mayEdit && (
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onOpen(index)}>
            {t('edit')}
          </Menu.Item>
        )}
        {isObserved(index) && (
          <Menu.Item leftSection={<IconChartLine size={16} />} onClick={() => onHistory(index)}>
            {t('observed.open')}
          </Menu.Item>
        )}
        {mayEdit && (
          <>
            <Menu.Item leftSection={<IconStar size={16} />} disabled={index === 0} onClick={() => onDefault(index)}>
              {t('outbound.makeDefault')}
            </Menu.Item>
            <Menu.Item leftSection={<IconReset size={16} />} onClick={() => reset(tagOf(index))}>
              {t('outbound.reset')}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => onRemove(index)}>
              {t('remove')}
            </Menu.Item>
          </>
        )}
      </>
    ),
  );
}
