// npm run build: compile src to dist, copy what is not TypeScript, and check the types of the web panel and build it
// where it is not current.
import { checkNode, ensureBuild, ensureDependencies, ensureWeb, main } from './setup.mjs';

await main(async () => {
  checkNode();
  await ensureDependencies({ dev: true });
  await ensureBuild({ force: true });
  await ensureWeb({ checked: true });
});
