import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { panelState } from '../../commands/state.js';
import type { RecordedEvent } from '../../events/catalog.js';
import { type CapsuleHeader, capsuleLine, type Digests, readCapsule } from '../../events/log/capsule-file.js';
import { type Fold, stateDigest } from '../../events/log/fold.js';
import { advance, begin } from '../../events/log/replay.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { capsuleEvents, eventsOf, subjectsOf, type Topic } from '../../projections/capsule/capsule.js';
import { startFolds } from '../../projections/foldings.js';
import { version } from '../../version.js';
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
        const topic = topicOf(options, head);
        const last = 'around' in topic ? Math.min(head, topic.around + EVENTS_AFTER) : head;
        const all = () => eventsOf(log, last);
        const subjects = subjectsOf(all, topic);
        if (!('around' in topic) && subjects.inbounds.size === 0) {
          throw new OperatorError(message('cli.clientUnknown', { client: options.client ?? '' }));
        }
        const events = [...capsuleEvents(all, subjects)];
        const header: CapsuleHeader = {
          ...{ capsule: 1, panel: version, position: last, events: events.length },
          ...{ clients: [...subjects.clients], inbounds: [...subjects.inbounds], digests: replayed(events) },
        };
        print(JSON.stringify(header));
        for (const event of events) print(capsuleLine(event));
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

/** The events after the position that a capsule around it includes. */
const EVENTS_AFTER = 50;

const RESULTS = { same: 'capsule.same', different: 'capsule.modelDiffers', changed: 'capsule.modelChanged' } as const;

/** Throws `UsageError` unless exactly one topic is given. `head`: the last position of the log. */
function topicOf({ around, client }: { readonly around?: string; readonly client?: string }, head: number): Topic {
  if ((around === undefined) === (client === undefined)) throw new UsageError(message('capsule.topicMissing'));
  if (around !== undefined) return { around: wholeNumber('--around', around, { min: 1, max: head }) };
  const name = client ?? '';
  const number = numberIn(name);
  return number === null ? { email: name } : { client: number };
}

/** The digest of each read model and of the write state after these events. Throws `FoldFailure`, which names the event. */
export function replayed(events: readonly RecordedEvent[]): Digests {
  const folds = [...Object.values(startFolds()), begin(panelState)];
  for (const folding of folds) advance(folding, events);
  return Object.fromEntries(
    folds.map(({ fold, state }) => [
      fold.name,
      { version: fold.version, digest: stateDigest(fold as Fold<unknown>, state) },
    ]),
  );
}

/** `changed`: this version of the panel has another version of the read model, so its digests cannot be compared. */
function compared(expected: Digests, found: Digests) {
  return Object.entries(expected).map(([model, { version: folded, digest }]) => {
    const now = found[model];
    if (now?.version !== folded) return { model, result: 'changed' as const };
    return { model, result: now.digest === digest ? ('same' as const) : ('different' as const) };
  });
}
