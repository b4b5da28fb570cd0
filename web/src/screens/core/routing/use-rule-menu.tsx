import { Menu } from '@mantine/core';
import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import IconPencil from '@tabler/icons-react/dist/esm/icons/IconPencil.mjs';
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs';
import { useTranslation } from 'react-i18next';
import { useRowMenu } from '../../../ui/table/RowMenu';

interface Actions {
  readonly count: number;
  readonly onOpen: (index: number) => void;
  readonly onMove: (from: number, to: number) => void;
  readonly onRemove: (index: number) => void;
}

/** What one does with a rule: the button for a row, and the menu. */
export function useRuleMenu({ count, onOpen, onMove, onRemove }: Actions) {
  const { t } = useTranslation('core');
  return useRowMenu<number>(
    (index) => t('rule.actions', { number: index + 1 }),
    (index) => (
      <>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onOpen(index)}>
          {t('edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowUp size={16} />}
          disabled={index === 0}
          onClick={() => onMove(index, index - 1)}
        >
          {t('rule.up')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowDown size={16} />}
          disabled={index === count - 1}
          onClick={() => onMove(index, index + 1)}
        >
          {t('rule.down')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => onRemove(index)}>
          {t('remove')}
        </Menu.Item>
      </>
    ),
  );
}
