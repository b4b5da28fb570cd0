// node --import ./scripts/typescript.mjs FILE.ts: runs TypeScript sources without a build. For tests, benchmarks and the
// docs.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
