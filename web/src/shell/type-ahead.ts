/** The name of the input of the palette. */
export const PALETTE_SEARCH = 'palette';

let typed = '';
let stop = (): void => undefined;

const hasFocus = (): boolean => document.activeElement?.getAttribute('name') === PALETTE_SEARCH;

/** Collects characters from now on, until `takeTyped`: those typed before the input of the palette has the focus. */
export function collectTyped(): void {
  takeTyped();
  const hear = (event: KeyboardEvent): void => {
    if (hasFocus()) return stop();
    const isCharacter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isCharacter) return;
    typed += event.key;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('keydown', hear, true);
  stop = () => document.removeEventListener('keydown', hear, true);
}

/** What was typed since `collectTyped`; characters are no longer collected. */
export function takeTyped(): string {
  stop();
  const taken = typed;
  typed = '';
  return taken;
}
