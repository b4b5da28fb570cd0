// Programs that others wrote and that judge what the panel says to client apps: Mihomo and sing-box. Tests only; the
// panel never needs them. Compiled once from their Go modules, which no other form of delivery is needed for.
//   PORTOLAN_JUDGES=off                          does without them: the tests that need them are skipped
//   PORTOLAN_MIHOMO_BIN, PORTOLAN_SING_BOX_BIN   the paths of such programs, instead of compiling them
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { answers, cached, isProgram, keep, reasonOf } from './cache.mjs';
import { capture } from './process.mjs';

/**
 * `sum` is that of the module, as a go.sum would hold it; its dependencies are held to the go.sum in the module itself.
 * The tags leave out what no configuration of ours has a use for, which is half of the time.
 */
const JUDGES = [
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
 * The variables that tell the tests where the judges are, and the names of those that are missing. Compiles what is not
 * kept yet, which takes minutes, once; never throws: without Go, or without a way to its modules, a judge is missing.
 */
export async function ensureJudges({ build = true } = {}) {
  const found = {};
  const missing = [];
  for (const judge of JUDGES) {
    const path = await pathOf(judge, build);
    if (path) found[judge.variable] = path;
    else missing.push(judge.name);
  }
  return { found, missing };
}

async function pathOf(judge, build) {
  if (process.env.PORTOLAN_JUDGES === 'off') return undefined;
  const runs = (path) => answers(path, judge.asked, judge.answer);
  const configured = process.env[judge.variable];
  if (configured) {
    if (await runs(configured)) return configured;
    console.warn(`${judge.variable} is set to ${configured}, which cannot be run as ${judge.name}.`);
    return undefined;
  }
  const path = cached('judges', `${judge.name}-${judge.version}`, judge.name);
  if (await runs(path)) return path;
  if (!build) return undefined;
  try {
    await keep(path, (folder) => fromGo(judge, folder), runs);
    return path;
  } catch (error) {
    console.warn(`${judge.name} ${judge.version} could not be had: ${reasonOf(error)}.`);
    return undefined;
  }
}

/**
 * Built where Go keeps the sources of the module: with its own go.mod and go.sum, as its authors build it. `go install`
 * refuses a module that replaces one of its dependencies.
 */
async function fromGo({ name, module, version, sum, tags, package: main }, folder) {
  if (!(await hasGo())) throw new Error('there is no Go toolchain to compile it');
  // The sum is here, so no database has to be asked for it, which not every network lets through.
  const trusted = [process.env.GONOSUMDB, module].filter(Boolean).join();
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off', GONOSUMDB: trusted };
  delete env.GOOS;
  delete env.GOARCH;
  console.log(`Compiling ${name} ${version}, which judges subscriptions in the tests (two to five minutes, once)…`);
  const { code, output } = await capture('go', ['mod', 'download', '-json', `${module}@v${version}`], {
    cwd: folder,
    env,
    timeout: DOWNLOAD_MS,
  });
  const source = jsonIn(output);
  if (code !== 0) throw new Error(`its source cannot be had (${lastLine(source.Error ?? output)})`);
  if (source.Sum !== sum) throw new Error(`its source has the sum ${source.Sum}, not ${sum}`);
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

/** The answer stands between lines that tell of the download. */
function jsonIn(output) {
  const [begin, end] = [output.indexOf('{'), output.lastIndexOf('}')];
  return begin < 0 || end < begin ? {} : JSON.parse(output.slice(begin, end + 1));
}

const lastLine = (text) => text.split('\n').at(-1);
