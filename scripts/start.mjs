// npm start: set up what is missing, then run the panel.
import { attach, root } from './process.mjs';
import { ensureReady, main } from './setup.mjs';

await main(async () => {
  await ensureReady({ dev: false });
  // The panel finds the core by itself in the same places: a given path would prevent version changes.
  return attach(process.execPath, ['bin/portolan', 'serve', ...process.argv.slice(2)], { cwd: root });
});
