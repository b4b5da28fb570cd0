// Loaded into the panel process: tells how long its loop was blocked at most, in ms, each time it is asked to.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env.LOOP_WATCH_FILE;
if (file && process.argv[1]?.endsWith('main.js')) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    // What blocks the loop now is counted once it is over.
    setTimeout(() => {
      writeFileSync(file, JSON.stringify({ most: delay.max / 1e6, p99: delay.percentile(99) / 1e6 }));
      delay.reset();
    }, 20);
  });
}
