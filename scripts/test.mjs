// npm test                 set up what is missing, then run every check. A check that fails does not stop the others.
// npm test -- FILES        only these test files, and all other checks
// npm run check            format, lint, types and borders: seconds, without the other tests
// npm run watch -- FOLDER  the tests of one folder, of src or test, again after each change
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCore } from './core.mjs';
import { ensureJudges } from './judges.mjs';
import { attach, capture, tool } from './process.mjs';
import { checkNode, ensureDependencies, ensureReady, ensureWebPackages, main } from './setup.mjs';

const BORDERS = 'test/architecture.test.ts';
/** What the compiler remembers from one run to the next. */
const TYPES_CACHE = 'node_modules/.cache/portolan-types.tsbuildinfo';

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

/** Each static check once, side by side. */
function staticChecks() {
  return [
    step('format', 'biome', ['check', '.']),
    step('lint', 'oxlint', []),
    step('types', 'tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', TYPES_CACHE]),
    step('web', 'tsc', ['--noEmit', '-p', 'web']),
  ];
}

/** The environment of the tests. A path that does not run is worse than none. */
function environment({ core, judges }) {
  const env = { ...process.env };
  for (const name of ['PORTOLAN_CORE_BIN', 'PORTOLAN_MIHOMO_BIN', 'PORTOLAN_SING_BOX_BIN']) delete env[name];
  return Object.assign(env, core && { PORTOLAN_CORE_BIN: core.path }, judges.found);
}

async function allTests(programs) {
  const since = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  const report = join(folder, 'report.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const code = await attach(tool('vitest'), [...args, ...files], { env: environment(programs) });
    const counts = count(await readFile(report, 'utf8').then(JSON.parse, () => undefined));
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    console.log(`${'tests'.padEnd(8)}${code === 0 ? 'ok' : 'FAILED'}  ${seconds(since)}`);
    return { ok: code === 0, ...counts };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** vitest's own counts, and one failure for each file that failed before or outside its tests. */
function count(report) {
  if (!report) return { passed: 0, failed: 0, skipped: 0 };
  const outside = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + outside.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function warn(...lines) {
  const line = '!'.repeat(78);
  console.warn([line, ...lines.map((text) => `!!  ${text}`), line].join('\n'));
}

function warnOfMissing(core, judges) {
  if (!core) {
    warn(
      'There is no Xray core on this machine: the tests against a real core are SKIPPED.',
      'A pass of this run says nothing about the proxies. Put `xray` on the PATH, or',
      'set PORTOLAN_CORE_BIN to its path, and run the tests again.',
    );
  }
  if (judges.missing.length > 0) {
    warn(
      `Without ${judges.missing.join(' and ')}: the tests that let them judge subscriptions are SKIPPED.`,
      'They are compiled where Go 1.26 and its module proxy are, unless PORTOLAN_JUDGES=off.',
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

/** With the core and the judges that are there. Tests of whole panels run what was built last. */
async function watch() {
  checkNode();
  await ensureDependencies({ dev: true });
  const programs = { core: await findCore(), judges: await ensureJudges({ build: false }) };
  warnOfMissing(programs.core, programs.judges);
  const folders = files.map((path) => path.replace(/^(\.\/)?src\//, 'test/'));
  return attach(tool('vitest'), ['watch', ...folders], { env: environment(programs) });
}

async function test() {
  const { core } = await ensureReady({ dev: true, unchecked: true });
  const judges = await ensureJudges();
  warnOfMissing(core, judges);
  const [tests, ...results] = await Promise.all([allTests({ core, judges }), ...staticChecks()]);
  warnOfMissing(core, judges);
  if (results.includes(false)) console.log('Not only tests count: a check above FAILED.');
  console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  return tests.ok && !results.includes(false) ? 0 : 1;
}

await main({ check, watch, test }[mode]);
