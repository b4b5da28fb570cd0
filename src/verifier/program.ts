import { parseArgs } from 'node:util';
import proofTexts from '../../locales/en/proof.json' with { type: 'json' };
import storageTexts from '../../locales/en/storage.json' with { type: 'json' };
import type { Text } from '../messages/message.js';
import { isComplete, VerifierError, verify } from './verification.js';

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
  const value = (name: string, format?: string): string => {
    if (format === 'message') return english(params[name] as Text);
    return format === 'quoted' ? JSON.stringify(params[name]) : String(params[name]);
  };
  const texts = areas[area] ?? {};
  const pattern = texts[key] ?? texts[params['count'] === 1 ? `${key}_one` : `${key}_other`] ?? text.code;
  return pattern.replaceAll(/\{\{(\w+)(?:, (\w+))?\}\}/g, (_, name: string, format?: string) => value(name, format));
}

/** Control characters of an export must not reach the terminal. */
function shown(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, '\u{fffd}');
}

/** The result for programs: each text in it as an English sentence. */
function inEnglish(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('verbatim' in value || 'code' in value) return english(value as Text);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inEnglish(member)]));
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
    const [events, ...more] = positionals;
    if (help || key === undefined || more.length > 0 || !isComplete({ key, heads, events, proof })) {
      process[help ? 'stdout' : 'stderr'].write(USAGE);
      return help ? 0 : 2;
    }
    const { ok, texts, result } = await verify({ key, heads, events, proof });
    const lines = json ? [JSON.stringify(inEnglish(result))] : texts.map((text) => shown(english(text)));
    process.stdout.write(`${lines.join('\n')}\n`);
    return ok ? 0 : 1;
  } catch (error) {
    const what =
      error instanceof VerifierError ? english(error.text) : error instanceof Error ? error.message : String(error);
    process.stderr.write(`${shown(what)}\n`);
    return 2;
  }
}
