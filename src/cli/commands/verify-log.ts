import type { Command } from 'commander';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import {
  faultText,
  meaningOf,
  VerifierError,
  verdictTexts,
  verifyExport,
  verifyProof,
} from '../../verifier/verification.js';
import { inEnglish, print, printEither } from '../output.js';

interface Options {
  readonly heads?: string;
  readonly key: string;
  readonly proof?: string;
}

/** `portolan verify-log`: needs no panel and no data directory. `dist/verify-log.mjs` does the same without Portolan. */
export function verifyLogCommand(program: Command, json: () => boolean, say: Say): void {
  program
    .command('verify-log')
    .argument('[events]', say(message('cli.argumentExport')))
    .description(say(message('cli.verifyLog')))
    .requiredOption('--key <file>', say(message('cli.optionPublicKey')))
    .option('--heads <file>', say(message('cli.optionHeads')))
    .option('--proof <file>', say(message('cli.optionProof')))
    .action(async (events: string | undefined, { key, heads, proof }: Options) => {
      if (proof === undefined && (heads === undefined || events === undefined))
        throw new UsageError(message('cli.verifyLogIncomplete'));
      try {
        if (proof !== undefined) return checkProof({ proof, heads: heads ?? null, key }, json(), say);
        await checkExport({ events: events ?? '', heads: heads ?? '', key }, json(), say);
      } catch (error) {
        throw error instanceof VerifierError ? new OperatorError(error.text) : error;
      }
    });
}

async function checkExport(
  files: { readonly events: string; readonly heads: string; readonly key: string },
  json: boolean,
  say: Say,
): Promise<void> {
  const verdict = await verifyExport(files.events, files.heads, files.key);
  if (json) print(JSON.stringify(inEnglish(verdict)));
  if (verdict.fault) throw new OperatorError(faultText(verdict.fault));
  if (!json) for (const text of verdictTexts(verdict)) print(say(text));
}

function checkProof(
  files: { readonly proof: string; readonly heads: string | null; readonly key: string },
  json: boolean,
  say: Say,
): void {
  const { proof, problem } = verifyProof(files.proof, files.heads, files.key);
  printEither(json, inEnglish({ kind: proof.kind, problem }), problem ? '' : say(meaningOf(proof)));
  if (problem) throw new OperatorError(message('proof.proofFails', { what: problem }));
}
