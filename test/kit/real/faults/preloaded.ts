import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A library that is loaded before a program (LD_PRELOAD), in a folder of its own. */
export interface Preloaded {
  readonly library: string;
  readonly folder: string;
  remove(): void;
}

/** Compiles a library from a C file beside this one. Null where there is no C compiler. */
export function preloaded(name: string): Preloaded | null {
  const folder = mkdtempSync(join(tmpdir(), `portolan-${name}-`));
  const library = join(folder, `${name}.so`);
  const remove = (): void => rmSync(folder, { recursive: true });
  try {
    const source = join(import.meta.dirname, `${name}.c`);
    execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'pipe' });
  } catch {
    if (!existsSync(library)) {
      remove();
      return null;
    }
  }
  return { library, folder, remove };
}
