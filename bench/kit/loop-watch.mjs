// Preloaded into the panel process: reports on request how long its event loop was blocked at most, in ms.
import { openSync, readSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const TICK_MS = 2;
const file = process.env.LOOP_WATCH_FILE;
if (file && process.argv[1]?.endsWith('main.js')) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const ran = processorTime();
  let busiest = 0;
  const tick = () => {
    busiest = Math.max(busiest, ran());
    setTimeout(tick, TICK_MS).unref();
  };
  tick();
  process.on('SIGUSR2', () => {
    // A block in progress is counted when it ends.
    setTimeout(() => {
      writeFileSync(file, JSON.stringify({ most: delay.max / 1e6, p99: delay.percentile(99) / 1e6, busiest }));
      delay.reset();
      busiest = 0;
    }, 20);
  });
}

/** Returns a function that reads from the kernel how long the thread of the loop had a CPU since the last call, in ms. */
function processorTime() {
  const stat = openSync('/proc/thread-self/schedstat', 'r');
  const text = Buffer.alloc(96);
  let before = 0;
  return () => {
    const now = Number(text.toString('latin1', 0, readSync(stat, text, 0, text.length, 0)).split(' ')[0]) / 1e6;
    const since = now - before;
    before = now;
    return since;
  };
}
