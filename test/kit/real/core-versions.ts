import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const says = (binary: string): string => {
  try {
    return /^\S+ (\S+)/.exec(execFileSync(binary, ['version'], { encoding: 'utf8', timeout: 60_000 }))?.[1] ?? '';
  } catch {
    return '';
  }
};

/**
 * The same real core under another version: the three numbers lie side by side in the executable. Throws when they
 * cannot be found.
 */
export function coreAs(binary: string, version: string): Buffer {
  const [from, to] = [says(binary), version].map((text) => Buffer.from(text.split('.').map(Number)));
  const original = readFileSync(binary);
  const folder = mkdtempSync(join(tmpdir(), 'portolan-kit-version-'));
  try {
    for (let at = original.indexOf(from ?? ''); at >= 0; at = original.indexOf(from ?? '', at + 1)) {
      const copy = Buffer.from(original);
      to?.copy(copy, at);
      const file = join(folder, String(at));
      writeFileSync(file, copy, { mode: 0o700 });
      if (says(file) === version) return copy;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  throw new Error(`the version of ${binary} cannot be changed`);
}

/** Puts an executable where the panel keeps an installed version. */
export function putCore(dataDir: string, version: string, content: Buffer | string): string {
  const folder = join(dataDir, 'core', version);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'xray');
  writeFileSync(file, content);
  chmodSync(file, 0o700);
  return file;
}

/** A program that reports this core version; `run` is the shell command that it executes. */
export const fakeCore = (version: string, run: string): string =>
  `#!/bin/sh
case "$1" in
  version) echo "Xray ${version} (Impostor)"; exit 0;;
esac
for arg in "$@"; do [ "$arg" = "-test" ] && exit 0; done
${run}
`;
