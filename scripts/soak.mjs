// npm run soak -- --minutes 60 --seed 7: client apps transfer known bytes through a real panel and core while admins change
// clients and inbounds; then all counters are compared. Prints its progress and a report as JSON. Exit code 1: the panel
// counted something wrong.
import { attach } from './process.mjs';
import { ensureReady, main } from './setup.mjs';

await main(async () => {
  const { core } = await ensureReady({ dev: true });
  const env = core ? { ...process.env, PORTOLAN_CORE_BIN: core.path } : process.env;
  const args = ['--import', './scripts/typescript.mjs', 'test/soak/main.ts', ...process.argv.slice(2)];
  return attach(process.execPath, args, { env });
});
