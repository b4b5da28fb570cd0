// npm start: set up what is missing, then run the panel.
import { attach, root } from './process.mjs';
import { ensureReady, main } from './setup.mjs';

await main(async () => {
  const { core } = await ensureReady({ dev: false });
  const env = { ...process.env };
  // The panel finds a core in its own data directory by itself, and may be switched to another version there.
  if (core && !core.own) env.PORTOLAN_CORE_BIN = core.path;
  return attach(process.execPath, ['--enable-source-maps', 'dist/main.js', 'serve', ...process.argv.slice(2)], {
    cwd: root,
    env,
  });
});
