// npm start: sets up what is missing, then runs the panel.
import { attach, root } from './process.mjs';
import { ensureReady, main } from './setup.mjs';

await main(async () => {
  await ensureReady({ dev: false });
  // The panel finds the core in the same places by itself; a fixed path would prevent version changes.
  return attach(process.execPath, ['bin/portolan', 'serve', ...process.argv.slice(2)], { cwd: root });
});
