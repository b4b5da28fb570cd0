// Compiles programs from their Go modules.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { isProgram } from './cache.mjs';
import { capture } from './process.mjs';

const DOWNLOAD_MS = 5 * 60_000;
const COMPILE_MS = 30 * 60_000;

/**
 * Compiles a Go program into `folder` and returns its path. `sum` is the checksum of the module in the format of go.sum; its
 * dependencies are verified with the go.sum of the module. Builds in Go's module cache, with the go.mod of the module, as its
 * authors do: `go install` refuses modules with `replace` directives. Throws when Go or the module proxy is missing.
 */
export async function compileGo({ name, module, version, sum, tags = '', package: main, purpose }, folder) {
  if (!(await hasGo())) throw new Error('Go is not installed');
  console.log(`Compiling ${name} ${version}, ${purpose}…`);
  // The checksum is known, so Go need not query its checksum database, which some networks block.
  const trusted = [process.env.GONOSUMDB, module].filter(Boolean).join();
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GONOSUMDB: trusted };
  delete env.GOOS;
  delete env.GOARCH;
  const { code, output } = await capture('go', ['mod', 'download', '-json', `${module}@v${version}`], {
    cwd: folder,
    env,
    timeout: DOWNLOAD_MS,
  });
  const source = jsonIn(output);
  if (code !== 0) throw new Error(`its source could not be downloaded (${lastLine(source.Error ?? output)})`);
  if (source.Sum !== sum) throw new Error(`the checksum of its source is ${source.Sum}, expected ${sum}`);
  await access(source.Dir);
  const to = join(folder, name);
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w -buildid=', '-tags', tags];
  const built = await capture('go', ['build', ...flags, '-o', to, main], { cwd: source.Dir, env, timeout: COMPILE_MS });
  if (built.code !== 0 || !(await isProgram(to))) throw new Error(`it does not compile (${lastLine(built.output)})`);
  return to;
}

async function hasGo() {
  return (await capture('go', ['version'], { timeout: 15_000 })).code === 0;
}

/** The JSON object is printed between progress messages. */
function jsonIn(output) {
  const [begin, end] = [output.indexOf('{'), output.lastIndexOf('}')];
  return begin < 0 || end < begin ? {} : JSON.parse(output.slice(begin, end + 1));
}

const lastLine = (text) => text.split('\n').at(-1);
