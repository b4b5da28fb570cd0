// npm run bench: the benchmarks, from source, with the garbage collector at hand for honest memory figures.
import { attach } from './process.mjs';
import { ensureReady, main } from './setup.mjs';

await main(async () => {
  const { core } = await ensureReady({ dev: true });
  const env = core ? { ...process.env, PORTOLAN_CORE_BIN: core.path } : process.env;
  return attach(
    process.execPath,
    ['--expose-gc', '--import', './scripts/typescript.mjs', 'bench/run.ts', ...process.argv.slice(2)],
    {
      env,
    },
  );
});
