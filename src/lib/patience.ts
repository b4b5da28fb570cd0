/** How often the loop is looked at, in ms; half of that is as much as a look may be late. */
const LOOK_MS = 200;
/** Times the wanted patience after which nothing is waited for any more, however busy this process is. */
const MOST = 10;

/**
 * Calls `giveUp` once, after `ms` in which this process could have taken an answer in. A time-out by the clock would
 * blame others for a busy event loop: after a stall its timers run before the answer that came meanwhile is read. So a
 * stall counts as one look, and a look that comes late never gives up. Returns what ends the waiting.
 */
export function withPatience(ms: number, giveUp: () => void): () => void {
  const began = performance.now();
  let looked = began;
  let left = ms;
  const look = (): void => {
    const now = performance.now();
    const passed = now - looked;
    const late = passed > step * 1.5;
    looked = now;
    left -= Math.min(passed, step);
    if ((left > 0 || late) && now - began < ms * MOST) return;
    clearInterval(timer);
    giveUp();
  };
  const step = Math.max(1, Math.min(LOOK_MS, ms / 4));
  const timer = setInterval(look, step);
  return () => clearInterval(timer);
}
