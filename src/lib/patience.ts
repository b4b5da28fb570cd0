/** How often the loop is looked at, in ms. A look is late by half of that. */
const LOOK_MS = 200;
/** Times the wanted patience after which nothing is waited for any more, however busy this process is. */
const MOST = 10;

/**
 * Calls `giveUp` once, after `ms` in which this process could have taken an answer in. A time-out by the clock would
 * blame others for a busy event loop: after a stall its timers run before the answer that came meanwhile is read. So a
 * stall counts as one look, and a look that comes late never gives up. Returns what ends the waiting.
 */
export function withPatience(ms: number, giveUp: () => void): () => void {
  const step = Math.max(1, Math.min(LOOK_MS, ms / 4));
  const began = performance.now();
  let looked = began;
  let left = ms;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - looked > step * 1.5;
    looked = now;
    left -= step;
    if ((left > 0 || late) && now - began < ms * MOST) return;
    clearInterval(timer);
    giveUp();
  }, step);
  return () => clearInterval(timer);
}
