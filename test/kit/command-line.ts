import { vi } from 'vitest';
import { run } from '../../src/cli/program.js';

/** Runs a command line in this process, and returns its exit code and what it wrote. */
export async function commandLine(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  serve = async (): Promise<number> => 0,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const written = { out: '', err: '' };
  const spies = (['out', 'err'] as const).map((name) =>
    vi.spyOn(name === 'out' ? process.stdout : process.stderr, 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    const code = await run(['node', 'portolan', ...args], { PATH: '', ...env }, serve);
    return { code, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
