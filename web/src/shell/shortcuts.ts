import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useAllowedScreens } from './allowed-screens';

/** The event by which the shell opens the palette once it is loaded. */
export const OPEN_PALETTE = 'portolan:palette';

/** Between `g` and the key of a screen, in ms. */
const PAUSE_MS = 1500;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** `?` shows the help; `g` and a letter go to a screen. */
export function useShortcuts(onHelp: () => void): void {
  const navigate = useNavigate();
  const screens = useAllowedScreens();
  useEffect(() => {
    let pressedAt = 0;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') return onHelp();
      const target = event.timeStamp - pressedAt < PAUSE_MS ? screens.find(({ key }) => key === event.key) : undefined;
      pressedAt = event.key === 'g' ? event.timeStamp : 0;
      if (target) void navigate(`/${target.id}`);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, onHelp, screens]);
}
