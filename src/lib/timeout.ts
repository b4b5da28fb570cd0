/** How often the event loop is checked, in ms. A check that comes later than one and a half intervals is late. */
const CHECK_MS = 200;
/** The timeout ends after this multiple of its time in any case, however busy this process is. */
const MAX_FACTOR = 10;

/**
 * Calls `onTimeout` once, after `ms` in which this process could have read an answer. A timeout by the clock would blame
 * others for a busy event loop: after a stall, timers run before the answer that arrived meanwhile is read. So a stall
 * counts as one check, and a late check never times out. Returns a function that stops the timeout.
 */
export function startTimeout(ms: number, onTimeout: () => void): () => void {
  const step = Math.max(1, Math.min(CHECK_MS, ms / 4));
  const began = performance.now();
  let checked = began;
  let left = ms;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - checked > step * 1.5;
    checked = now;
    left -= step;
    if ((left > 0 || late) && now - began < ms * MAX_FACTOR) return;
    clearInterval(timer);
    onTimeout();
  }, step);
  return () => clearInterval(timer);
}
