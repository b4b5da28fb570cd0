// npm run bench: runs the benchmarks from source, with garbage collection exposed for exact memory figures.
import { ensureNats } from './nats.mjs';
import { attach } from './process.mjs';
import { ensureReady, main } from './setup.mjs';

await main(async () => {
  const { core } = await ensureReady({ dev: true });
  const nats = await ensureNats();
  const env = {
    ...process.env,
    ...(core ? { PORTOLAN_CORE_BIN: core.path } : {}),
    ...(nats ? { PORTOLAN_NATS_BIN: nats } : {}),
  };
  return attach(
    process.execPath,
    ['--expose-gc', '--import', './scripts/typescript.mjs', 'bench/run.ts', ...process.argv.slice(2)],
    {
      env,
    },
  );
});
