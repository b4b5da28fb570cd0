import type { Command } from 'commander';
import { UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { isComplete, type VerifiedFiles, VerifierError, verify } from '../../verifier/verification.js';
import { inEnglish, print } from '../output.js';

/**
 * `portolan verify-log`: needs no panel and no data directory. `dist/verify-log.mjs` prints the same in English without
 * Portolan. `failed` is called when something does not fit: that is a result, not an error, and the exit code is 1.
 */
export function verifyLogCommand(program: Command, json: () => boolean, say: Say, failed: () => void): void {
  program
    .command('verify-log')
    .argument('[events]', say(message('cli.argumentExport')))
    .description(say(message('cli.verifyLog')))
    .requiredOption('--key <file>', say(message('cli.optionPublicKey')))
    .option('--heads <file>', say(message('cli.optionHeads')))
    .option('--proof <file>', say(message('cli.optionProof')))
    .action(async (events: string | undefined, options: Omit<VerifiedFiles, 'events'>) => {
      const files = { ...options, events };
      if (!isComplete(files)) throw new UsageError(message('cli.verifyLogIncomplete'));
      try {
        const { ok, texts, result } = await verify(files);
        print(json() ? JSON.stringify(inEnglish(result)) : texts.map(say).join('\n'));
        if (!ok) failed();
      } catch (error) {
        throw error instanceof VerifierError ? new UsageError(error.text) : error;
      }
    });
}
