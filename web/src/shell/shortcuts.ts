import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { shortcutKey } from '../model/keys';
import { useAllowedScreens } from './allowed-screens';

/** The event by which the shell opens the palette once it is loaded. */
export const OPEN_PALETTE = 'portolan:palette';

/** Between `g` and the key of a screen, in ms. */
const PAUSE_MS = 1500;

/** Whether the key belongs to an input, or to a dialog or a menu, whose content a shortcut would discard. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog], [role=menu]') !== null);

/** Ctrl-K or Command-K opens the palette, `?` shows the help; `g` and a letter open a screen that the role of the admin includes. */
export function useShortcuts({ onHelp, onPalette }: Readonly<Record<'onHelp' | 'onPalette', () => void>>): void {
  const navigate = useNavigate();
  const screens = useAllowedScreens();
  const latest = useRef({ onHelp, onPalette });
  latest.current = { onHelp, onPalette };
  useEffect(() => {
    let pressedAt = 0;
    const onKeyDown = (event: KeyboardEvent): void => {
      const pressed = shortcutKey(event);
      if (pressed === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        return latest.current.onPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      if (pressed === '?') return latest.current.onHelp();
      const target = event.timeStamp - pressedAt < PAUSE_MS ? screens.find(({ key }) => key === pressed) : undefined;
      pressedAt = pressed === 'g' ? event.timeStamp : 0;
      if (target) void navigate(`/${target.id}`);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, screens]);
}
