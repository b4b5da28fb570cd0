import { modals } from '@mantine/modals';
import i18next from 'i18next';
import { useContext, useEffect } from 'react';
import { UNSAFE_NavigationContext, useLocation } from 'react-router';
import { guardPop } from './pop-guard';

interface Guard {
  /** Whether something would be lost. */
  readonly isDirty: boolean;
  /** The first part of the addresses that lose nothing, such as `/settings`. */
  readonly home: string;
  readonly title: string;
  readonly body: string;
  readonly leave: string;
  readonly stay: string;
  readonly onLeave: () => void;
}

/**
 * Asks before a screen with unsaved input is left: by a link, the palette, a shortcut, Back, or by closing the tab. The
 * blocker of react-router needs its data router, which is larger than what is left of the budget of the first visit.
 */
export function useLeaveGuard({ isDirty, home, onLeave, ...texts }: Guard): void {
  const { navigator } = useContext(UNSAFE_NavigationContext);
  const location = useLocation();
  useEffect(() => {
    if (!isDirty) return undefined;
    const isHome = (path: string): boolean => path === home || path.startsWith(`${home}/`);
    const index = indexOf(window.history.state);
    const ask = (go: () => void): void => confirmLeave(texts, () => [stop(), onLeave(), go()]);
    const { push, replace } = navigator;
    const guarded =
      (go: typeof push): typeof push =>
      (to, ...others) => {
        const path = typeof to === 'string' ? to : (to.pathname ?? home);
        if (isHome(path)) go(to, ...others);
        else ask(() => go(to, ...others));
      };
    Object.assign(navigator, { push: guarded(push), replace: guarded(replace) });
    const onPop = (event: PopStateEvent): void => {
      if (isHome(window.location.hash.slice(1).split('?')[0] ?? '')) return;
      // The browser has already moved: go back before the router gets the event.
      event.stopImmediatePropagation();
      const steps = (indexOf(event.state) ?? (index ?? 0) + 1) - (index ?? 0) || -1;
      window.history.go(-steps);
      ask(() => window.history.go(steps));
    };
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    guardPop(onPop);
    window.addEventListener('beforeunload', onUnload);
    function stop(): void {
      Object.assign(navigator, { push, replace });
      guardPop(null);
      window.removeEventListener('beforeunload', onUnload);
    }
    return stop;
  }, [isDirty, home, navigator, location, texts.body]);
}

/** The position of an entry of the history, as react-router keeps it. */
function indexOf(state: unknown): number | null {
  return typeof state === 'object' && state !== null && 'idx' in state && typeof state.idx === 'number'
    ? state.idx
    : null;
}

function confirmLeave({ title, body, leave, stay }: Pick<Guard, 'title' | 'body' | 'leave' | 'stay'>, go: () => void) {
  modals.openConfirmModal({
    title,
    children: body,
    labels: { confirm: leave, cancel: stay },
    confirmProps: { color: 'red' },
    closeButtonProps: { 'aria-label': i18next.t('close', { ns: 'shell' }) },
    onConfirm: go,
  });
}
