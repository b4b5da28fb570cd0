import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest test files, the slowest first: if one of them started last, it would run alone at the end. Only the duration of
 * a run depends on this list. Most of these files wait for real cores and use little processor time.
 */
const SLOWEST_FIRST = [
  'disk programs rounds machines web/clients web/accessibility web/dialogs followers versions first-start kill live crash faults soak',
  'failover join web/roles backup history follower steering forwarding damage',
  'damaged-files nodes web/core disconnect web/languages web/hostile idempotency web/account fleet ip-limit request-flood',
  'web/panel web/inbounds web/settings web/overview base-headers web/nodes web/client-list web/geo kit reseller lifecycle',
  'web/core-versions load failing-inbounds stalled-panel restart undo nats terms simultaneous-clients blocked-addresses import',
  'web/backups cli guides replay protocols web/audit limits account-names web/setup web/keyboard admin kinds web/reconnect',
  'web/proxy tls status fuzz',
]
  .join(' ')
  .split(' ');

/** Folders of tests that wait for real programs. */
const WAITING = /\/test\/(e2e|cluster)\//;

function rank({ moduleId }: TestSpecification): number {
  const name = basename(moduleId, '.test.ts');
  const at = SLOWEST_FIRST.indexOf(moduleId.includes('/test/e2e/web/') ? `web/${name}` : name);
  if (at >= 0) return at;
  return WAITING.test(moduleId) ? SLOWEST_FIRST.length : SLOWEST_FIRST.length + 1;
}

/** The longest files first, then all others that wait for real programs. Short tests without programs fill the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'web/test/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.dist-*/**', 'data/**', 'test/.tmp/**'],
    pool: 'forks',
    // Loading the sources again for each file costs as much as the tests: a file restores whatever it changes.
    isolate: false,
    // The workers keep all processors busy, so parallel garbage collection only adds work; a larger young generation needs
    // fewer collections.
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=64'],
    // Tests of real cores mostly wait, so two workers for each processor keep it busy. More of them slow each other down.
    maxWorkers: Math.min(8, 2 * availableParallelism()),
    // These limits only stop a test that hangs. A test waits for a condition, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    sequence: { sequencer: LongestFirst },
  },
});
