import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Digests, readCapsule } from '../../events/log/capsule-file.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import type { Topic } from '../../projections/capsule/capsule.js';
import { version } from '../../version.js';
import { replayed, writeCapsule } from '../../worker/capsule.js';
import { numberIn } from '../clients-named.js';
import { wholeNumber } from '../option-values.js';
import { print, printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

/** `portolan capsule` and `portolan replay-capsule`: a part of the log, without names and secrets, for a bug report. */
export function capsuleCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  program
    .command('capsule')
    .description(say(message('capsule.about')))
    .option('--around <position>', say(message('capsule.optionAround')))
    .option('--client <client>', say(message('cli.argumentClient')))
    .action((options: { readonly around?: string; readonly client?: string }) => {
      reading(globals().dataDir, ({ log }) => {
        const head = log.head().position;
        const lines: string[] = [];
        const header = writeCapsule(log, topicOf(options, head), { panel: version, head }, (line) => lines.push(line));
        if (!header) throw new OperatorError(message('cli.clientUnknown', { client: options.client ?? '' }));
        print(JSON.stringify(header));
        for (const line of lines) print(line.trimEnd());
      });
    });

  program
    .command('replay-capsule')
    .argument('<file>', say(message('capsule.argumentFile')))
    .description(say(message('capsule.aboutReplay')))
    .action((file: string) => {
      const { header, events } = readCapsule(readFileSync(file, 'utf8'));
      const models = compared(header.digests, replayed(events));
      const { panel, position } = header;
      const counts = { events: events.length, position, panel };
      const lines = models.map(({ model, result }) => `  ${model.padEnd(14)} ${say(message(RESULTS[result]))}`);
      const shown = [say(message('capsule.replayed', counts)), ...lines];
      printEither(globals().json, { ...counts, models }, shown.join('\n'));
      const different = models.filter(({ result }) => result === 'different').map(({ model }) => model);
      if (different.length > 0) throw new OperatorError(message('capsule.different', { models: different.join(', ') }));
    });
}

const RESULTS = { same: 'capsule.same', different: 'capsule.modelDiffers', changed: 'capsule.modelChanged' } as const;

/** Throws `UsageError` unless exactly one topic is given. `head`: the last position of the log. */
function topicOf({ around, client }: { readonly around?: string; readonly client?: string }, head: number): Topic {
  if ((around === undefined) === (client === undefined)) throw new UsageError(message('capsule.topicMissing'));
  if (around !== undefined) return { around: wholeNumber('--around', around, { min: 1, max: head }) };
  const name = client ?? '';
  const number = numberIn(name);
  return number === null ? { email: name } : { client: number };
}

/** `changed`: this version of the panel has another version of the read model, so its digests cannot be compared. */
function compared(expected: Digests, found: Digests) {
  return Object.entries(expected).map(([model, { version: folded, digest }]) => {
    const now = found[model];
    if (now?.version !== folded) return { model, result: 'changed' as const };
    return { model, result: now.digest === digest ? ('same' as const) : ('different' as const) };
  });
}
