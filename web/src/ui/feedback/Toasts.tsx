import { Notifications, useNotifications } from '@mantine/notifications';
import { useEffect } from 'react';
import classes from './Toasts.module.css';
import { MAX_SHOWN } from './toast';

const POSITION = 'bottom-right';

/**
 * The messages, in a strip below everything else. `--toasts` is its height: pages, drawers and dialogs end above it, so a
 * message never covers a button.
 */
export function Toasts() {
  const hasAny = useNotifications().notifications.length > 0;
  useEffect(() => {
    const list = document.querySelector(`.mantine-Notifications-root[data-position="${POSITION}"]`);
    if (!hasAny || !list) return undefined;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => {
      const height = Math.ceil(list.getBoundingClientRect().height);
      style.setProperty('--toasts', `calc(${height}px + 1.5 * var(--mantine-spacing-md))`);
    });
    observer.observe(list);
    return () => {
      observer.disconnect();
      style.removeProperty('--toasts');
    };
  }, [hasAny]);
  return (
    <>
      <Notifications position={POSITION} limit={MAX_SHOWN} />
      {hasAny && <div className={classes['strip']} data-toasts aria-hidden />}
    </>
  );
}
