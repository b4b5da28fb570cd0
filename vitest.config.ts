import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const exclude = ['**/node_modules/**', '**/dist/**', '**/.dist-*/**', 'data/**', 'test/.tmp/**'];

/** Files that mostly wait, for real cores and their time-outs. Begun last, one of them would go on alone. */
const WAITING = [
  '/test/adapters/core/',
  '/test/launcher/',
  ...['faults', 'crash', 'ip-limit', 'programs', 'backup'].map(endToEnd),
];

function endToEnd(name: string): string {
  return `/test/e2e/${name}.`;
}

/** What waits longest comes first; the others as vitest would have them. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waits = ({ moduleId }: TestSpecification): boolean => WAITING.some((part) => moduleId.includes(part));
    return (await super.sort(files)).sort((a, b) => Number(waits(b)) - Number(waits(a)));
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, 'test/e2e/**'],
          // Loading the sources anew for each file costs as much as the tests: a file puts back whatever it changed.
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Whole panels and real cores: they mostly wait, so that two files at a time share the processor well enough.
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
