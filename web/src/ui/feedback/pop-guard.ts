type Listener = (event: PopStateEvent) => void;

let guard: Listener | null = null;
// Browsers call listeners of the window in the order of their registration: `main.tsx` loads this before the router.
window.addEventListener('popstate', (event) => guard?.(event));

/** Sets the listener that gets Back and Forward before the router and may stop the event; null removes it. */
export function guardPop(listener: Listener | null): void {
  guard = listener;
}
