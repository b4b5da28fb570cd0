// npm test                 set up what is missing, then run every check. A check that fails does not stop the others.
// npm test -- FILES        only these test files, and all other checks
// npm run check            format, lint, types and borders: seconds, without the other tests
// npm run watch -- FOLDER  the tests of one folder, of src or test, again after each change
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureClientApps } from './client-apps.mjs';
import { findCore } from './core.mjs';
import { ensureNats, findNats } from './nats.mjs';
import { attach, capture, tool } from './process.mjs';
import { checkNode, ensureDependencies, ensureReady, ensureWebPackages, main } from './setup.mjs';

const BORDERS = 'test/architecture.test.ts';
/** More files than this do not fail by chance. */
const MAX_REPEATED_FILES = 3;
/** State of the incremental type checks. */
const cacheOf = (name) => `node_modules/.cache/portolan-${name}.tsbuildinfo`;

const mode = /^--(check|watch)$/.exec(process.argv[2])?.[1] ?? 'test';
const files = process.argv.slice(mode === 'test' ? 2 : 3);

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function step(name, command, args) {
  const since = performance.now();
  const { code, output } = await capture(tool(command), args);
  console.log(`${name.padEnd(8)}${code === 0 ? 'ok' : 'FAILED'}  ${seconds(since)}`);
  if (code !== 0) console.log(`${output}\n`);
  return code === 0;
}

/** Each static check once, side by side: on one thread each, because other checks and tests use the other processors. */
function staticChecks() {
  const types = (cache) => ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', cacheOf(cache)];
  return [
    step('format', 'biome', ['check', '.']),
    step('lint', 'oxlint', []),
    step('types', 'tsc', types('types')),
    step('web', 'tsc', ['-p', 'web', ...types('web-types')]),
  ];
}

/** The environment of the tests: only paths of programs that run. */
function environment({ core, clientApps, nats }) {
  const env = { ...process.env };
  for (const name of ['PORTOLAN_CORE_BIN', 'PORTOLAN_MIHOMO_BIN', 'PORTOLAN_SING_BOX_BIN', 'PORTOLAN_NATS_BIN'])
    delete env[name];
  const paths = {
    ...clientApps.found,
    ...(core && { PORTOLAN_CORE_BIN: core.path }),
    ...(nats && { PORTOLAN_NATS_BIN: nats }),
  };
  return Object.assign(env, paths);
}

/** One run of vitest: its exit code, and the results of its files. These are empty if vitest could not start. */
async function runVitest(args, env) {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await attach(tool('vitest'), ['run', ...reporters, ...args], { env });
    const report = await readFile(file, 'utf8').then(JSON.parse, () => undefined);
    return { code, results: report?.testResults ?? [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The failed tests of a file; the file itself if it failed before or outside its tests. */
function failuresOf({ name, status, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
  return failed.length === 0 && status === 'failed' ? [name] : failed;
}

/**
 * All tests. If a few files fail, these run again, alone: real cores, browsers and sockets meet conditions that no test
 * controls. What passes only then is reported as unstable, by name.
 */
async function allTests(programs) {
  const since = performance.now();
  const env = environment(programs);
  let { code, results } = await runVitest(files, env);
  const failed = results.filter((file) => failuresOf(file).length > 0);
  let unstable = [];
  if (failed.length > 0 && failed.length <= MAX_REPEATED_FILES) {
    const again = failed.map(({ name }) => name);
    console.log(`Running again, alone: ${again.join(', ')}`);
    const second = await runVitest([...again, '--maxWorkers=1'], env);
    if (second.results.length === failed.length) {
      code = second.code;
      const failures = new Set(second.results.flatMap(failuresOf));
      unstable = failed.flatMap(failuresOf).filter((name) => !failures.has(name));
      results = [...results.filter((file) => !failed.includes(file)), ...second.results];
    }
  }
  const counts = count(results);
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  console.log(`${'tests'.padEnd(8)}${code === 0 ? 'ok' : 'FAILED'}  ${seconds(since)}`);
  return { ok: code === 0, unstable, ...counts };
}

function count(results) {
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failures = tests.filter(({ status }) => status === 'failed').length;
  return {
    passed,
    failed: results.flatMap(failuresOf).length,
    skipped: tests.length - passed - failures,
  };
}

function warn(...lines) {
  const line = '!'.repeat(78);
  console.warn([line, ...lines.map((text) => `!!  ${text}`), line].join('\n'));
}

function warnOfMissing({ core, clientApps, nats }) {
  if (!core) {
    warn(
      'Xray was not found: the tests with a real core are SKIPPED, so this run does not test the proxies.',
      'Put `xray` on the PATH or set PORTOLAN_CORE_BIN to its path, then run the tests again.',
    );
  }
  if (clientApps.missing.length > 0) {
    warn(
      `${clientApps.missing.join(' and ')} not found: the tests that load subscriptions into them are SKIPPED.`,
      'They are compiled if Go 1.26 and its module proxy are available, unless PORTOLAN_CLIENT_APPS=off.',
    );
  }
  if (!nats) {
    warn(
      'The NATS server was not found: the tests of a cluster are SKIPPED.',
      'It is compiled if Go 1.26 and its module proxy are available; PORTOLAN_NATS_BIN names an existing program.',
    );
  }
}

async function check() {
  checkNode();
  await ensureDependencies({ dev: true });
  await ensureWebPackages();
  const results = await Promise.all([...staticChecks(), step('borders', 'vitest', ['run', BORDERS])]);
  return results.includes(false) ? 1 : 0;
}

/** Uses the core and the client apps that are already installed. Tests of whole panels run the last build. */
async function watch() {
  checkNode();
  await ensureDependencies({ dev: true });
  const clientApps = await ensureClientApps({ build: false });
  const programs = { core: await findCore(), clientApps, nats: await findNats() };
  warnOfMissing(programs);
  const folders = files.map((path) => path.replace(/^(\.\/)?src\//, 'test/'));
  return attach(tool('vitest'), ['watch', ...folders], { env: environment(programs) });
}

async function test() {
  const { core } = await ensureReady({ dev: true, unchecked: true });
  const programs = { core, clientApps: await ensureClientApps(), nats: await ensureNats() };
  warnOfMissing(programs);
  const [tests, ...results] = await Promise.all([allTests(programs), ...staticChecks()]);
  warnOfMissing(programs);
  if (tests.unstable.length > 0)
    warn(
      'UNSTABLE: failed, and passed when repeated alone. Each is a defect of the test or of the product:',
      ...tests.unstable,
    );
  if (results.includes(false)) console.log('A check other than the tests FAILED; see above.');
  console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  return tests.ok && !results.includes(false) ? 0 : 1;
}

await main({ check, watch, test }[mode]);
