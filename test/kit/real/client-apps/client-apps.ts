import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOfOutput, startChild } from '../children.js';
import { coreBinary } from '../core-process.js';

/** Third-party programs that read a subscription format. */
export type ClientApp = 'xray' | 'mihomo' | 'sing-box';

const BINARIES: Readonly<Record<ClientApp, () => string | undefined>> = {
  xray: coreBinary,
  mihomo: () => process.env['PORTOLAN_MIHOMO_BIN'] || undefined,
  'sing-box': () => process.env['PORTOLAN_SING_BOX_BIN'] || undefined,
};

/** The arguments with which each program checks a file and exits. */
const CHECK: Readonly<Record<ClientApp, (file: string, folder: string) => string[]>> = {
  xray: (file) => ['run', '-test', '-c', file],
  mihomo: (file, folder) => ['-t', '-d', folder, '-f', file],
  'sing-box': (file, folder) => ['check', '-D', folder, '-c', file],
};

const FILES: Readonly<Record<ClientApp, string>> = {
  xray: 'config.json',
  mihomo: 'config.yaml',
  'sing-box': 'config.json',
};

/** The path of the program; throws when it is not installed. */
export function clientAppBinary(app: ClientApp): string {
  const binary = BINARIES[app]();
  if (binary === undefined) throw new Error(`no ${app}`);
  return binary;
}

/** For `describe.skipIf`: true, with a visible notice, when one of these programs is missing. */
export function withoutClientApps(suite: string, ...apps: ClientApp[]): boolean {
  const missing = apps.filter((app) => BINARIES[app]() === undefined);
  if (missing.length === 0) return false;
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(
    `\n${line}\n!! SKIPPED: ${suite}\n!! Not installed: ${missing.join(', ')}. Run \`npm test\`, which installs them.\n${line}\n`,
  );
  return true;
}

/** Writes the text to a file with the name that the program expects, in a new folder. */
export function inFolder(app: ClientApp, text: string): { folder: string; file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), `portolan-kit-${app}-`));
  const file = join(folder, FILES[app]);
  writeFileSync(file, text, { mode: 0o600 });
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The end of the program's error output for a configuration; empty when the program accepts it. */
export async function errorsOf(app: ClientApp, text: string, timeoutMs = 180_000): Promise<string> {
  const { folder, file, remove } = inFolder(app, text);
  try {
    const child = startChild(clientAppBinary(app), CHECK[app](file, folder), { cwd: folder });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const { code, signal } = await child.exited;
    clearTimeout(timer);
    return code === 0 ? '' : endOfOutput(child) || `it ended with ${code ?? signal}`;
  } finally {
    remove();
  }
}
