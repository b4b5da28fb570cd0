import { ActionIcon, Checkbox, Popover, Stack } from '@mantine/core';
import IconColumns from '@tabler/icons-react/dist/esm/icons/IconColumns3.mjs';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../../ui/table/DataTable';

interface Props<R> {
  readonly columns: readonly Column<R>[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: ReadonlySet<string>) => void;
}

export const ColumnChooser = memo(function ColumnChooser<R>({ columns, hidden, onChange }: Props<R>) {
  const { t } = useTranslation('shell');
  const flip = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <Popover position="bottom-end" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <ActionIcon variant="default" size={36} aria-label={t('table.columns')} visibleFrom="sm">
          <IconColumns size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {columns
            .filter(({ isFixed }) => !isFixed)
            .map(({ id, header }) => (
              <Checkbox key={id} size="xs" label={header} checked={!hidden.has(id)} onChange={() => flip(id)} />
            ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}) as <R>(props: Props<R>) => ReactNode;
