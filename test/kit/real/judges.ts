import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endOfOutput, startChild } from './children.js';
import { coreBinary } from './core-process.js';

/** Programs of others that read a form of a subscription. */
export type Judge = 'xray' | 'mihomo' | 'sing-box';

const BINARIES: Readonly<Record<Judge, () => string | undefined>> = {
  xray: coreBinary,
  mihomo: () => process.env['PORTOLAN_MIHOMO_BIN'] || undefined,
  'sing-box': () => process.env['PORTOLAN_SING_BOX_BIN'] || undefined,
};

/** The arguments that make each read a file, and end. */
const CHECK: Readonly<Record<Judge, (file: string, folder: string) => string[]>> = {
  xray: (file) => ['run', '-test', '-c', file],
  mihomo: (file, folder) => ['-t', '-d', folder, '-f', file],
  'sing-box': (file, folder) => ['check', '-D', folder, '-c', file],
};

const FILES: Readonly<Record<Judge, string>> = {
  xray: 'config.json',
  mihomo: 'config.yaml',
  'sing-box': 'config.json',
};

/** The path of a judge; throws where there is none. */
export function judgeBinary(judge: Judge): string {
  const binary = BINARIES[judge]();
  if (binary === undefined) throw new Error(`no ${judge}`);
  return binary;
}

/** For `describe.skipIf`: true when one of these judges is missing, and then it says so where nobody can miss it. */
export function withoutJudges(suite: string, ...judges: Judge[]): boolean {
  const missing = judges.filter((judge) => BINARIES[judge]() === undefined);
  if (missing.length === 0) return false;
  const line = '!'.repeat(78);
  // oxlint-disable-next-line no-console -- a skipped suite must be seen
  console.warn(
    `\n${line}\n!! SKIPPED: ${suite}\n!! There is no ${missing.join(', no ')}: run \`npm test\`, which gets them.\n${line}\n`,
  );
  return true;
}

/** A folder with the text in a file, as the judge wants it named. */
export function judged(judge: Judge, text: string): { folder: string; file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), `portolan-kit-${judge}-`));
  const file = join(folder, FILES[judge]);
  writeFileSync(file, text, { mode: 0o600 });
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** What a judge has against a configuration: its last words; empty when it would run with it. */
export async function complaintOf(judge: Judge, text: string, timeoutMs = 180_000): Promise<string> {
  const { folder, file, remove } = judged(judge, text);
  try {
    const child = startChild(judgeBinary(judge), CHECK[judge](file, folder), { cwd: folder });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const { code, signal } = await child.exited;
    clearTimeout(timer);
    return code === 0 ? '' : endOfOutput(child) || `it ended with ${code ?? signal}`;
  } finally {
    remove();
  }
}
