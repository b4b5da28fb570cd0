import { modals } from '@mantine/modals';
import i18next from 'i18next';
import { useContext, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { UNSAFE_NavigationContext, useLocation } from 'react-router';
import { guardPop } from './pop-guard';

interface Guard {
  /** Whether something would be lost. */
  readonly isDirty: boolean;
  /** The first part of the addresses that lose nothing, such as `/settings`. Empty = every address loses the input. */
  readonly home: string;
  readonly title: string;
  readonly body: string;
  readonly leave: string;
  readonly stay: string;
  readonly onLeave: () => void;
  /** The question is also for what closes the form without a change of the address: see `closeForm`. */
  readonly isClosable?: boolean;
}

type Ask = (go: () => void) => void;

/** Asks for the form that is open now, when it has unsaved input. */
let askForForm: Ask | null = null;
let isAsking = false;
/** What closed the last question. A press of Escape reaches the drawer below it too, which must not ask again. */
let closedBy: Event | undefined;

/** Closes a form, such as a drawer, after the question whether its unsaved input may be lost. */
export function closeForm(close: () => void): void {
  if (askForForm === null) close();
  else askForForm(close);
}

/**
 * Asks before unsaved input of a form is lost. It must not be dirty while it is being saved, nor after: what follows a save
 * may leave the screen.
 */
export function useUnsaved(isDirty: boolean, home: string): void {
  const { t } = useTranslation('shell');
  const texts = { title: t('leave.title'), body: t('leave.body'), leave: t('leave.leave'), stay: t('leave.stay') };
  useLeaveGuard({ isDirty, home, ...texts, onLeave: () => undefined, isClosable: true });
}

/**
 * Asks before a screen with unsaved input is left: by a link, the palette, a shortcut, Back, or by closing the tab. The
 * blocker of react-router needs its data router, which is larger than what is left of the budget of the first visit.
 */
export function useLeaveGuard({ isDirty, home, onLeave, isClosable = false, ...texts }: Guard): void {
  const { navigator } = useContext(UNSAFE_NavigationContext);
  const location = useLocation();
  useEffect(() => {
    if (!isDirty) return undefined;
    const isHome = (path: string): boolean => home !== '' && (path === home || path.startsWith(`${home}/`));
    const index = indexOf(window.history.state);
    const ask: Ask = (go) => confirmLeave(texts, () => [stop(), onLeave(), go()]);
    const { push, replace } = navigator;
    const guarded =
      (go: typeof push): typeof push =>
      (to, ...others) => {
        const path = typeof to === 'string' ? to : (to.pathname ?? home);
        if (isHome(path)) go(to, ...others);
        else ask(() => go(to, ...others));
      };
    Object.assign(navigator, { push: guarded(push), replace: guarded(replace) });
    let isReturning = false;
    const onPop = (event: PopStateEvent): void => {
      if (isReturning) {
        isReturning = false;
        event.stopImmediatePropagation();
        return;
      }
      if (isHome(window.location.hash.slice(1).split('?')[0] ?? '')) return;
      // The browser has already moved: go back before the router gets the event.
      event.stopImmediatePropagation();
      const steps = (indexOf(event.state) ?? (index ?? 0) + 1) - (index ?? 0) || -1;
      isReturning = true;
      window.history.go(-steps);
      ask(() => window.history.go(steps));
    };
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault();
    const releasePop = guardPop(onPop);
    if (isClosable) askForForm = ask;
    window.addEventListener('beforeunload', onUnload);
    function stop(): void {
      Object.assign(navigator, { push, replace });
      releasePop();
      if (askForForm === ask) askForForm = null;
      window.removeEventListener('beforeunload', onUnload);
    }
    return stop;
  }, [isDirty, home, isClosable, navigator, location, texts.body]);
}

/** The position of an entry of the history, as react-router keeps it. */
function indexOf(state: unknown): number | null {
  return typeof state === 'object' && state !== null && 'idx' in state && typeof state.idx === 'number'
    ? state.idx
    : null;
}

function confirmLeave({ title, body, leave, stay }: Pick<Guard, 'title' | 'body' | 'leave' | 'stay'>, go: () => void) {
  if (isAsking || (closedBy !== undefined && closedBy === window.event)) return;
  isAsking = true;
  modals.openConfirmModal({
    onClose() {
      isAsking = false;
      closedBy = window.event;
    },
    title,
    children: body,
    labels: { confirm: leave, cancel: stay },
    confirmProps: { color: 'red' },
    closeButtonProps: { 'aria-label': i18next.t('close', { ns: 'shell' }) },
    onConfirm: go,
  });
}
