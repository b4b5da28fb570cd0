import { Menu } from '@mantine/core';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import classes from './RowMenu.module.css';

/** One element for all rows: a row that changes does not render its icon. */
const DOTS = <IconDots size={18} aria-hidden />;
const POINTER_EVENTS = ['mousedown', 'touchstart'];

interface Opened<R> {
  readonly row: R;
  readonly x: number;
  readonly y: number;
  readonly button: HTMLElement;
}

/**
 * One menu for all rows of a table. Returns the button for a row, and the menu, which stands once beside the table.
 */
export function useRowMenu<R>(
  label: (row: R) => string,
  items: (row: R) => ReactNode,
): readonly [(row: R) => ReactNode, ReactNode] {
  const [opened, setOpened] = useState<Opened<R> | null>(null);
  const close = (): void => {
    opened?.button.focus();
    setOpened(null);
  };
  // The same function as long as the table stands, so that rows which did not change are not drawn again.
  const latest = useRef(label);
  latest.current = label;
  const button = useCallback(
    (row: R): ReactNode => (
      <button
        type="button"
        className={classes['button']}
        aria-label={latest.current(row)}
        aria-haspopup="menu"
        onClick={({ currentTarget }) => {
          const { left, right, bottom } = currentTarget.getBoundingClientRect();
          setOpened({ row, x: (left + right) / 2, y: bottom, button: currentTarget });
        }}
      >
        {DOTS}
      </button>
    ),
    [],
  );
  const menu = (
    <Menu
      opened={opened !== null}
      onChange={(isOpen) => !isOpen && close()}
      position="bottom-end"
      shadow="md"
      withinPortal
      trapFocus
      // Without keydown: a key that comes before the focus has moved into the dropdown must not close it.
      clickOutsideEvents={POINTER_EVENTS}
      // The anchor has no size, so its moves are not observed: the dropdown must be mounted again at each opening, and an
      // anchor at the edge of the window is no reason to hide it.
      transitionProps={{ exitDuration: 0 }}
      hideDetached={false}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-hidden
          className={classes['anchor']}
          style={{ left: opened?.x ?? 0, top: opened?.y ?? 0 }}
        />
      </Menu.Target>
      <Menu.Dropdown>{opened && items(opened.row)}</Menu.Dropdown>
    </Menu>
  );
  return [button, menu];
}
