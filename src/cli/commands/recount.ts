import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { operate } from '../../control/control.js';
import { MAX_CHANGES, type RecountDone, rulesInFile } from '../../control/recount.js';
import type { Client } from '../../events/client/client-document.js';
import type { InboundId } from '../../events/ids.js';
import type { RecountRule } from '../../events/traffic/traffic.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { zoneNamed } from '../../lib/time/calendar.js';
import { Days } from '../../lib/time/days.js';
import { atOnce } from '../../lib/time/slices.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { eventsOf } from '../../projections/capsule/capsule.js';
import { LogReadModels, type ReadModels } from '../../projections/read-models.js';
import { bytesOf, type RecountChange, recountChanges } from '../../projections/recount/changes.js';
import { recount } from '../../projections/recount/recount.js';
import type { Journal } from '../../store/journal.js';
import { wholeNumber } from '../option-values.js';
import { print } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

/** The counters of nodes may have to be read first. */
const TIMEOUT_MS = 120_000;

interface Options {
  readonly rule: string;
  readonly client?: string;
  readonly inbound?: string;
  readonly all?: boolean;
  readonly apply?: boolean;
}

interface Found {
  readonly rules: readonly RecountRule[];
  readonly position: number;
  readonly changes: readonly RecountChange[];
  readonly unchecked: number;
}

/** `portolan recount`: what the clients would have used under other rules, and on request their counters set to that. */
export function recountCommand(program: Command, globals: () => GlobalOptions, say: Say): void {
  program
    .command('recount')
    .description(say(message('recount.about')))
    .requiredOption('--rule <file>', say(message('recount.optionRule')))
    .option('--client <email>', say(message('recount.optionClient')))
    .option('--inbound <number>', say(message('recount.optionInbound')))
    .option('--all', say(message('recount.optionAll')))
    .option('--apply', say(message('recount.optionApply')))
    .action(async (options: Options) => {
      const { dataDir, json } = globals();
      const found = reading(dataDir, (journal) => recounted(journal, options));
      const { rules, position, changes, unchecked } = found;
      if (!json) print(table(found, say));
      const done = { adjusted: 0, depleted: 0, reactivated: 0 };
      for (let at = 0; options.apply === true && at < changes.length; at += MAX_CHANGES) {
        const some = changes
          .slice(at, at + MAX_CHANGES)
          .map(({ client, counted, recounted: due }) => ({ client, counted, recounted: due }));
        const data = { rules, position, changes: some };
        const part = (await operate(dataDir, 'traffic.recount', data, TIMEOUT_MS)) as RecountDone;
        done.adjusted += part.adjusted;
        done.depleted += part.depleted;
        done.reactivated += part.reactivated;
      }
      if (json) print(JSON.stringify({ position, unchecked, changes, applied: options.apply === true ? done : null }));
      else if (options.apply === true) print(say(message('recount.applied', done)));
      else if (changes.length > 0) print(say(message('recount.notApplied')));
    });
}

function recounted({ log, snapshots }: Journal, options: Options): Found {
  const read = new LogReadModels(log, snapshots);
  const clients = clientsOf(read, options);
  const days = new Days(zoneNamed(read.settings.current().timeLocation));
  const rules = rulesInFile(readFileSync(options.rule, 'utf8'), read.nodes.all(), days);
  const { counted, recounted: due, unchecked } = recount(eventsOf(log), rules, log.rolledTo);
  const changes = atOnce(
    recountChanges(
      read,
      clients,
      (client) => counted.get(client),
      (client) => due.get(client),
    ),
  );
  return { rules, position: log.head().position, unchecked, changes };
}

/** The clients that the options choose. Throws `UsageError` unless exactly one option is given. */
function clientsOf(read: ReadModels, { client, inbound, all }: Options): Iterable<Client> {
  if ([client, inbound, all].filter((option) => option !== undefined).length !== 1)
    throw new UsageError(message('recount.scopeMissing'));
  if (client !== undefined) {
    const [named] = read.clients.byEmail(client);
    if (!named) throw new OperatorError(message('cli.clientUnknown', { client }));
    return [named];
  }
  if (inbound === undefined) return read.clients.all();
  const id = wholeNumber('--inbound', inbound, { min: 1, max: Number.MAX_SAFE_INTEGER }) as InboundId;
  if (!read.inbounds.get(id)) throw new OperatorError(message('INBOUND_NOT_FOUND', { inbound: id }));
  return read.clients.ofInbound(id);
}

function table({ changes, unchecked }: Found, say: Say): string {
  const exactly = (bytes: number): string => bytes.toLocaleString('en-US');
  const lines = changes.map(({ email, counted, recounted: due }) => {
    const difference = bytesOf(due) - bytesOf(counted);
    const bytes = { before: exactly(bytesOf(counted)), after: exactly(bytesOf(due)) };
    const signed = `${difference > 0 ? '+' : ''}${exactly(difference)}`;
    return `  ${say(message('recount.line', { email, ...bytes, difference: signed }))}`;
  });
  const head = say(message('recount.found', { clients: changes.length }));
  const note = unchecked > 0 ? [say(message('recount.unchecked', { sums: unchecked }))] : [];
  return [head, ...lines, ...note].join('\n');
}
