import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-headless-shell', 'google-chrome'];
export const chromiumFlags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
];

/** The browser of this machine. Null without one; then prints a notice that `test` is skipped. */
export function chromiumFor(test: string): string | null {
  const places = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = places.find((file) => isExecutable(file)) ?? null;
  if (found === null) {
    process.stderr.write(`\n!! Chromium is not installed: ${test} is SKIPPED. Debian: apt install chromium.\n\n`);
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
