// npm test: set up what is missing, then every check. All of them run, whatever an earlier one said.
//   npm test -- FILES        only these test files (the other checks run all the same)
//   npm run check            without the tests that run whole panels and real cores
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCore } from './core.mjs';
import { ensureJudges } from './judges.mjs';
import { attach, capture, tool } from './process.mjs';
import { checkNode, ensureDependencies, ensureReady, main } from './setup.mjs';

const quick = process.argv[2] === '--check';
const files = process.argv.slice(quick ? 3 : 2);

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function step(name, command, args) {
  const since = performance.now();
  const { code, output } = await capture(tool(command), args);
  console.log(`${name.padEnd(8)}${code === 0 ? 'ok' : 'FAILED'}  ${seconds(since)}`);
  if (code !== 0) console.log(`${output}\n`);
  return code === 0;
}

async function unitTests(core, judges) {
  const since = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  const report = join(folder, 'report.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  if (quick) args.push('--project', 'unit');
  const env = { ...process.env };
  // A path that does not run is worse than none.
  for (const name of ['PORTOLAN_CORE_BIN', 'PORTOLAN_MIHOMO_BIN', 'PORTOLAN_SING_BOX_BIN']) delete env[name];
  Object.assign(env, core && { PORTOLAN_CORE_BIN: core.path }, judges.found);
  try {
    const code = await attach(tool('vitest'), [...args, ...files], { env });
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

async function ready() {
  // Whoever is in a hurry takes the judges that are there.
  if (!quick) return { ...(await ensureReady({ dev: true })), judges: await ensureJudges() };
  checkNode();
  await ensureDependencies({ dev: true });
  return { core: await findCore(), judges: await ensureJudges({ build: false }) };
}

await main(async () => {
  const { core, judges } = await ready();
  warnOfMissing(core, judges);
  const results = [
    await step('format', 'biome', ['check', '.']),
    await step('lint', 'oxlint', []),
    await step('types', 'tsc', ['--noEmit']),
  ];
  const tests = await unitTests(core, judges);
  warnOfMissing(core, judges);
  if (results.includes(false)) console.log('Not only tests count: a check above FAILED.');
  console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  return tests.ok && !results.includes(false) ? 0 : 1;
});
