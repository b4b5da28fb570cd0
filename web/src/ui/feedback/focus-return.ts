import { useEffect, useState } from 'react';

/** Mantine moves the focus in its own timers, up to 10 ms after a dialog or a menu has closed. */
const AFTER_MANTINE_MS = 30;

/**
 * Returns the focus to the element that opened a dialog when the dialog is removed. Mantine does so only for a dialog that
 * stays mounted while it is closed.
 */
export function useFocusReturn(): void {
  const [opener] = useState(openerNow);
  useEffect(() => {
    return () => {
      setTimeout(() => {
        if (document.activeElement === null || document.activeElement === document.body) focus(opener);
      }, AFTER_MANTINE_MS);
    };
  }, [opener]);
}

/** The focused element; for an item of a menu, which is removed, the button of the menu. */
function openerNow(): Element | null {
  const { activeElement } = document;
  const label = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return label ? document.getElementById(label) : activeElement;
}

/** An opener that is gone leaves the focus at the content of the page. */
function focus(opener: Element | null): void {
  const target = opener?.isConnected && opener !== document.body ? opener : document.getElementById('content');
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}
