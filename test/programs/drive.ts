import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The output of a driver for one call: its result or its error. */
export interface Step {
  readonly op: string;
  readonly value?: unknown;
  readonly error?: string;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** Runs a driver to its end and reads its lines; throws with the end of its output if it fails. */
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

/** The rejected calls, each with its message. */
export const refusals = (told: readonly Step[]): Readonly<Record<string, string>> =>
  Object.fromEntries(told.flatMap(({ op, error }) => (error === undefined ? [] : [[op, error]])));

/** The result of the last call of a method. */
export const valueOf = (told: readonly Step[], op: string): unknown => told.findLast((one) => one.op === op)?.value;
