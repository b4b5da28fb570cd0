// Third-party client apps that check the panel's subscriptions in the tests: Mihomo and sing-box. The panel itself does not
// use them. They are compiled once, from their Go modules.
//   PORTOLAN_CLIENT_APPS=off                     the tests that need them are skipped
//   PORTOLAN_MIHOMO_BIN, PORTOLAN_SING_BOX_BIN   paths of existing programs, which are then not compiled
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { answers, cached, isProgram, keep, reasonOf } from './cache.mjs';
import { capture } from './process.mjs';

/**
 * `sum` is the checksum of the module in the format of go.sum; its dependencies are verified with the go.sum of the module.
 * The tags omit features that the tests do not use, which halves the compile time.
 */
const CLIENT_APPS = [
  {
    name: 'mihomo',
    variable: 'PORTOLAN_MIHOMO_BIN',
    module: 'github.com/metacubex/mihomo',
    version: '1.19.30',
    sum: 'h1:2lTz7fcyZAQQzwbPuETChtwSHIHsT4zYhBSC3i/fRVI=',
    tags: 'no_tailscale,no_zerotier,no_fake_tcp',
    package: '.',
    asked: ['-v'],
    answer: 'Mihomo Meta ',
  },
  {
    name: 'sing-box',
    variable: 'PORTOLAN_SING_BOX_BIN',
    module: 'github.com/sagernet/sing-box',
    version: '1.14.1',
    sum: 'h1:LumpcrArE3cxXYxoKhNN4yOQq1TeaEEuKWHCokodO9M=',
    tags: 'with_quic,with_utls',
    package: './cmd/sing-box',
    asked: ['version'],
    answer: 'sing-box version ',
  },
];
const DOWNLOAD_MS = 5 * 60_000;
const COMPILE_MS = 30 * 60_000;

/**
 * Returns the environment variables with the paths of the programs, and the names of missing programs. Compiles programs that
 * are not in the cache, which takes minutes. Never throws: without Go or its module proxy, a program is reported as missing.
 */
export async function ensureClientApps({ build = true } = {}) {
  const found = {};
  const missing = [];
  for (const app of CLIENT_APPS) {
    const path = await pathOf(app, build);
    if (path) found[app.variable] = path;
    else missing.push(app.name);
  }
  return { found, missing };
}

async function pathOf(app, build) {
  if (process.env.PORTOLAN_CLIENT_APPS === 'off') return undefined;
  const runs = (path) => answers(path, app.asked, app.answer);
  const configured = process.env[app.variable];
  if (configured) {
    if (await runs(configured)) return configured;
    console.warn(`${app.variable} is set to ${configured}, which does not run as ${app.name}.`);
    return undefined;
  }
  const path = cached('judges', `${app.name}-${app.version}`, app.name);
  if (await runs(path)) return path;
  if (!build) return undefined;
  try {
    await keep(path, (folder) => fromGo(app, folder), runs);
    return path;
  } catch (error) {
    console.warn(`${app.name} ${app.version} could not be compiled: ${reasonOf(error)}.`);
    return undefined;
  }
}

/**
 * Builds in Go's module cache, with the go.mod and go.sum of the module, as its authors do. `go install` refuses modules with
 * `replace` directives.
 */
async function fromGo({ name, module, version, sum, tags, package: main }, folder) {
  if (!(await hasGo())) throw new Error('Go is not installed');
  // The checksum is known, so Go need not query its checksum database, which some networks block.
  const trusted = [process.env.GONOSUMDB, module].filter(Boolean).join();
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GONOSUMDB: trusted };
  delete env.GOOS;
  delete env.GOARCH;
  console.log(`Compiling ${name} ${version}, which checks subscriptions in the tests (once, two to five minutes)…`);
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
