import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a driver told about one call: its result, or what it was refused with. */
export interface Step {
  readonly op: string;
  readonly value?: unknown;
  readonly error?: string;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** Runs a driver to its end and reads its lines; throws with its last words when it breaks down. */
export async function drive(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly Step[]> {
  const options = { env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await run(command, [...args], options);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{"op":'))
    .map((line) => JSON.parse(line) as Step);
}

/** The calls that were refused, each with its words. */
export const refusals = (told: readonly Step[]): Readonly<Record<string, string>> =>
  Object.fromEntries(told.flatMap(({ op, error }) => (error === undefined ? [] : [[op, error]])));

/** The result of the last call of a method. */
export const valueOf = (told: readonly Step[], op: string): unknown => told.findLast((one) => one.op === op)?.value;
