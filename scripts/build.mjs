// npm run build: compile src to dist and copy what is not TypeScript.
import { checkNode, ensureBuild, ensureDependencies, main } from './setup.mjs';

await main(async () => {
  checkNode();
  await ensureDependencies({ dev: true });
  await ensureBuild({ force: true });
});
