// Prepares a fresh clone: dependencies, build, core. Prints nothing when everything is up to date. Uses only Node, because
// it runs before the dependencies are installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ensureCore } from './core.mjs';
import { capture, root, tool } from './process.mjs';

const MIN_NODE = [20, 19];

/** A failed step, with a message for the reader and no stack. */
export class SetupError extends Error {}

/**
 * Makes this folder ready to run. `dev`: also installs development dependencies, and builds sources with type errors too.
 * `unchecked`: the build skips the type check, because the caller runs it. Resolves to the core, if there is one.
 */
export async function ensureReady({ dev, unchecked = false }) {
  checkNode();
  await ensureDependencies({ dev: dev || needsBuild({ unchecked }) });
  await ensureBuild({ lenient: dev, unchecked });
  await ensureWeb();
  return { core: await ensureCore() };
}

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  throw new SetupError(`Portolan needs Node ${MIN_NODE.join('.')} or newer. This is Node ${process.versions.node}.`);
}

/* ---- dependencies ---- */

const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const installedMark = join(modules, '.portolan-lock');

const lockHash = () => createHash('sha256').update(readFileSync(lockFile)).digest('hex');

/** A native addon works with one ABI of Node: after a version change it exists but does not load. */
function nativeLoads() {
  const probe = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;
}

function dependenciesMissing(dev) {
  if (!existsSync(modules) || !existsSync(installedMark)) return true;
  const [hash, kind] = readFileSync(installedMark, 'utf8').trim().split(' ');
  return hash !== lockHash() || (dev && kind !== 'full') || !nativeLoads();
}

export async function ensureDependencies({ dev }) {
  // A published package has no lock file; its dependencies are installed together with it.
  if (!existsSync(lockFile) || !dependenciesMissing(dev)) return;
  await alone(async () => {
    if (!dependenciesMissing(dev)) return;
    console.log('Installing dependencies (one to two minutes: SQLite is compiled)…');
    const hash = lockHash();
    const { code, output } = await capture('npm', ['ci', ...(dev ? [] : ['--omit=dev'])], { env: installEnv(dev) });
    if (code !== 0) {
      throw new SetupError(
        `${output}\n\nThe dependencies could not be installed: npm ci ended with code ${code}, see above.\n` +
          'SQLite is compiled here, which needs python3, make and a C++ compiler.',
      );
    }
    if (!nativeLoads()) throw new SetupError('The dependencies are installed, but SQLite does not load on this Node.');
    await writeFile(installedMark, `${hash} ${dev ? 'full' : 'production'}\n`);
  });
}

function installEnv(dev) {
  const env = { ...process.env };
  // Otherwise the install would download a binary from a release page, or headers from a website. Neither is always
  // reachable, nor needed: the headers are next to the running node.
  env.npm_config_build_from_source = 'true';
  const prefix = dirname(dirname(process.execPath));
  if (existsSync(join(prefix, 'include', 'node', 'node.h'))) env.npm_config_nodedir = prefix;
  // In production mode npm omits the development dependencies, but the build needs some of them.
  if (dev) {
    delete env.NODE_ENV;
    env.npm_config_include = 'dev';
  }
  return env;
}

/* ---- build ---- */

const source = join(root, 'src');
const dist = join(root, 'dist');
const builtMark = join(dist, '.stamp');
const UNCHECKED = 'types not checked';

/** The newest change below a folder, including the folders themselves: deleting a file changes only its folder. */
function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Whether the build is missing or older than its sources. `unchecked`: one without a type check is sufficient, as for tests. */
export function needsBuild({ unchecked = false } = {}) {
  if (!existsSync(source)) return false;
  if (!existsSync(builtMark) || (!unchecked && readFileSync(builtMark, 'utf8') === UNCHECKED)) return true;
  const inputs = [
    source,
    join(root, 'locales'),
    join(root, 'tsconfig.json'),
    join(root, 'tsconfig.build.json'),
    join(root, 'scripts', 'bundle.mjs'),
    lockFile,
  ];
  return Math.max(...inputs.map(newest)) > statSync(builtMark).mtimeMs;
}

export async function ensureBuild({ lenient = false, force = false, unchecked = false } = {}) {
  if (!force && !needsBuild({ unchecked })) return;
  await alone(async () => {
    if (!force && !needsBuild({ unchecked })) return;
    const started = new Date();
    await checkTexts();
    // Built in a temporary folder and then moved, so that a running panel never reads partial files.
    const fresh = join(root, `.dist-${process.pid}`);
    const old = `${fresh}-old`;
    try {
      const [types, failure] = await Promise.all([
        unchecked ? { code: 0, output: '' } : capture(tool('tsc'), ['-p', 'tsconfig.build.json', '--singleThreaded']),
        bundleInto(fresh),
      ]);
      const problem = failure ?? (types.code === 0 || lenient ? null : types.output);
      if (problem !== null) throw new SetupError(`${problem}\n\nThe build failed, see above.`);
      if (types.code === 0) {
        const mark = join(fresh, '.stamp');
        await writeFile(mark, unchecked ? UNCHECKED : '');
        // Dated to the start of the build, so that changes during the build cause another one.
        await utimes(mark, started, started);
      }
      if (existsSync(dist)) await rename(dist, old);
      await rename(fresh, dist);
    } finally {
      await Promise.all([fresh, old].map((path) => rm(path, { recursive: true, force: true })));
    }
  });
}

/** Resolves to what is wrong, or null. The bundler is a development dependency. */
async function bundleInto(folder) {
  const { bundle } = await import('./bundle.mjs');
  return bundle(folder).then(
    () => null,
    (error) => error.message,
  );
}

/** Checks the texts of all languages, with file and key in each error, and writes the types of their codes. */
async function checkTexts() {
  const { code, output } = await capture(process.execPath, [
    '--import',
    './scripts/typescript.mjs',
    'scripts/messages.ts',
  ]);
  if (code !== 0) throw new SetupError(`${output}\n\nThe texts in locales/ are invalid, see above.`);
}

/* ---- the web panel ---- */

const web = join(root, 'web');
const webDist = join(web, 'dist');
const webMark = join(webDist, '.stamp');
const WEB_INPUTS = ['src', 'package-lock.json', 'vite.config.ts', 'texts.mjs', 'login.html', 'panel.html'];

function needsWeb() {
  // An installed package has the built files only.
  if (!existsSync(join(web, 'src'))) return false;
  if (!existsSync(webMark)) return true;
  return Math.max(...WEB_INPUTS.map((name) => newest(join(web, name)))) > statSync(webMark).mtimeMs;
}

/**
 * Builds the web panel when it is missing or older than its sources. `checked`: type errors prevent the build, such as a
 * route whose shape has changed; it needs the development dependencies.
 */
export async function ensureWeb({ force = false, checked = false } = {}) {
  if (!existsSync(join(web, 'src')) || !(force || needsWeb())) return;
  await alone(async () => {
    if (!(force || needsWeb())) return;
    console.log('Building the web panel…');
    const started = new Date();
    await ensureWebPackages();
    if (checked) {
      const { code, output } = await capture(tool('tsc'), ['-p', 'web', '--noEmit', '--singleThreaded']);
      if (code !== 0) throw new SetupError(`${output}\n\nThe web panel has type errors, see above.`);
    }
    const fresh = join(web, `.dist-${process.pid}`);
    const old = `${fresh}-old`;
    try {
      for (const shell of ['login', 'panel']) {
        const args = ['build', '--mode', shell, '--outDir', join(fresh, shell)];
        const { code, output } = await capture(join(web, 'node_modules', '.bin', 'vite'), args, { cwd: web });
        if (code !== 0) throw new SetupError(`${output}\n\nThe web panel could not be built, see above.`);
      }
      const mark = join(fresh, '.stamp');
      await writeFile(mark, '');
      await utimes(mark, started, started);
      if (existsSync(webDist)) await rename(webDist, old);
      await rename(fresh, webDist);
    } finally {
      await Promise.all([fresh, old].map((path) => rm(path, { recursive: true, force: true })));
    }
  });
}

/** The packages that build and check the web panel. */
export async function ensureWebPackages() {
  if (!existsSync(join(web, 'src'))) return;
  const lock = readFileSync(join(web, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex');
  const mark = join(web, 'node_modules', '.portolan-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === hash) return;
  const env = installEnv(true);
  const { code, output } = await capture('npm', ['ci', '--ignore-scripts'], { cwd: web, env });
  if (code !== 0) throw new SetupError(`${output}\n\nThe packages of the web panel could not be installed, see above.`);
  await writeFile(mark, hash);
}

/* ---- one at a time ---- */

const busyMark = join(root, '.setup-lock');

/** Concurrent setups of one folder would delete each other's files, so the second waits for the first. */
async function alone(work) {
  for (let reported = false; ; await sleep(300)) {
    try {
      await writeFile(busyMark, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (await abandoned()) await rm(busyMark, { force: true });
    else if (!reported) {
      console.log('Waiting for another setup of this folder to finish…');
      reported = true;
    }
  }
  try {
    await work();
  } finally {
    await rm(busyMark, { force: true });
  }
}

async function abandoned() {
  try {
    const pid = Number(await readFile(busyMark, 'utf8'));
    const age = Date.now() - statSync(busyMark).mtimeMs;
    if (pid === 0) return age > 10_000;
    process.kill(pid, 0);
    return age > 30 * 60_000;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Runs the main function of a script; prints the message of a failed setup. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    const { core } = await ensureReady({ dev: true });
    console.log(core ? `Ready. Core: ${core.path}` : 'Ready, without a core.');
  });
}
