type Listener = (event: PopStateEvent) => void;

const guards: Listener[] = [];
// Browsers call listeners of the window in the order of their registration: `main.tsx` loads this before the router.
window.addEventListener('popstate', (event) => guards.at(-1)?.(event));

/** The listener gets Back and Forward before the router and may stop the event. The result removes it. */
export function guardPop(listener: Listener): () => void {
  guards.push(listener);
  return () => {
    const index = guards.indexOf(listener);
    if (index >= 0) guards.splice(index, 1);
  };
}
