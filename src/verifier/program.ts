import { parseArgs } from 'node:util';
import proofTexts from '../../locales/en/proof.json' with { type: 'json' };
import storageTexts from '../../locales/en/storage.json' with { type: 'json' };
import type { Text } from '../messages/message.js';
import { faultText, meaningOf, VerifierError, verdictTexts, verifyExport, verifyProof } from './verification.js';

const USAGE = `Verifies what a Portolan panel has published. Needs Node 20.19 or newer and nothing else.

  node verify-log.mjs --heads HEADS --key KEY EVENTS
      Verifies an export of the log (portolan events export) against published heads.
  node verify-log.mjs --proof PROOF --key KEY [--heads HEADS]
      Verifies a proof (portolan proof inclusion, portolan proof consistency).

  HEADS   signed heads, one JSON object a line, in the order in which they were published
  KEY     the public key of the panel: a PEM file, or its 32 bytes in base64 or hex
  EVENTS  events.jsonl, or - for the standard input
  --json  prints the result as JSON

Exit code: 0 = everything fits, 1 = something does not fit, 2 = wrong usage or an unreadable file.
`;

const areas: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  proof: proofTexts,
  storage: storageTexts,
};

/** A text in English. The whole program is one file, so it cannot read the other languages. */
function english(text: Text): string {
  if ('verbatim' in text) return text.verbatim;
  const [area = '', key = ''] = text.code.split('.');
  const params = text.params as Readonly<Record<string, unknown>>;
  return (areas[area]?.[key] ?? text.code).replaceAll(
    /\{\{(\w+)(?:, (\w+))?\}\}/g,
    (_, name: string, format?: string) => (format === 'message' ? english(params[name] as Text) : String(params[name])),
  );
}

/** Control characters of an export must not reach the terminal. */
function shown(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, '\u{fffd}');
}

interface Outcome {
  readonly code: 0 | 1;
  readonly lines: readonly string[];
  readonly result: object;
}

async function outcomeOf(options: {
  readonly heads: string | undefined;
  readonly key: string;
  readonly proof: string | undefined;
  readonly file: string;
}): Promise<Outcome> {
  const { heads, key, proof: proofFile, file } = options;
  if (proofFile !== undefined) {
    const { proof, problem } = verifyProof(proofFile, heads ?? null, key);
    const text = problem ?? meaningOf(proof);
    const lines = [problem ? `The proof does not hold: ${english(text)}.` : `OK: ${english(text)}.`];
    return { code: problem ? 1 : 0, lines, result: { ok: problem === null, problem: problem && english(problem) } };
  }
  const verdict = await verifyExport(file, heads ?? '', key);
  const { fault, ...figures } = verdict;
  const result = { ok: fault === null, ...figures, fault: fault && { ...fault, what: english(fault.what) } };
  if (fault) return { code: 1, lines: [english(faultText(fault))], result };
  return { code: 0, lines: verdictTexts(verdict).map((text) => `OK: ${english(text)}.`), result };
}

/** Runs the program. Resolves to its exit code. */
export async function verifierProgram(argv: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { heads: text, key: text, proof: text, json: flag, help: flag },
      allowPositionals: true,
    });
    const { heads, key, proof, json, help } = values;
    const [file = '', ...more] = positionals;
    const isComplete =
      key !== undefined &&
      more.length === 0 &&
      (proof === undefined ? heads !== undefined && file !== '' : file === '');
    if (help || !isComplete) {
      process[help ? 'stdout' : 'stderr'].write(USAGE);
      return help ? 0 : 2;
    }
    const { code, lines, result } = await outcomeOf({ heads, key, proof, file });
    const output = json ? [JSON.stringify(result)] : lines.map(shown);
    process.stdout.write(`${output.join('\n')}\n`);
    return code;
  } catch (error) {
    const what =
      error instanceof VerifierError ? english(error.text) : error instanceof Error ? error.message : String(error);
    process.stderr.write(`${shown(what)}\n`);
    return 2;
  }
}
