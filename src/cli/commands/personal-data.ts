import type { Command } from 'commander';
import { operate } from '../../control/control.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { dayNamed } from '../../lib/time/days.js';
import { timeText } from '../../lib/words.js';
import { message, type Text } from '../../messages/message.js';
import { rendered } from '../../messages/rendered.js';
import type { Say } from '../../messages/terminal.js';
import { type Certificate, certificateLines, certificateOf } from '../../projections/personal-data/certificate.js';
import { exportLines } from '../../projections/personal-data/export-text.js';
import { personalDataOf } from '../../projections/personal-data/personal-data.js';
import { LogReadModels } from '../../projections/read-models.js';
import { eventsOfClient } from '../../projections/why/history.js';
import type { Journal } from '../../store/journal.js';
import { wholeNumber } from '../option-values.js';
import { inEnglish, print, printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';
import { clientsOf, statementOfAll } from './statement.js';

const DAY_MS = 86_400_000;
const ID = { min: 1, max: Number.MAX_SAFE_INTEGER };

/** `portolan personal-data …`: requests of people about their data, and legal holds, whether the panel runs or not. */
export function personalDataCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const command = program.command('personal-data').description(say(message('cli.personalData')));
  requestCommands(command, globals, say);
  holdCommands(command, globals, say);
}

const clientsNamed = (dataDir: string, name: string): readonly number[] =>
  reading(dataDir, ({ log, snapshots }) => clientsOf(log, new LogReadModels(log, snapshots), name));

/** The same with all that were deleted with the email and are not erased yet, unless one is given by its number. */
const clientsToErase = (dataDir: string, name: string): readonly number[] =>
  reading(dataDir, ({ log, snapshots }) => {
    const read = new LogReadModels(log, snapshots);
    const deleted = read.clients.deleted(name).map(({ number }) => number);
    const current = read.clients.byEmail(name).map(({ number }) => number);
    return deleted.length > 0 ? [...current, ...deleted] : clientsOf(log, read, name);
  });

function requestCommands(command: Command, globals: () => GlobalOptions, say: Say): void {
  const printLines = (lines: readonly Text[]): void => print(rendered(lines, say).join('\n'));

  command
    .command('export')
    .argument('<client>', say(message('cli.argumentClient')))
    .option('--mask', say(message('cli.optionMask')))
    .description(say(message('cli.personalExport')))
    .action(async (name: string, { mask = false }: { readonly mask?: boolean }) => {
      const { dataDir, json } = globals();
      const { clients, head, data } = reading(dataDir, (journal) => exportOf(journal, name, mask));
      await operate(dataDir, 'personal-data.exported', { clients, masked: mask, position: head.position });
      if (json) print(JSON.stringify({ ...head, ...inEnglish(data) }));
      else printLines(exportLines(head, data));
    });

  command
    .command('erase')
    .argument('<client>', say(message('cli.argumentClient')))
    .option('--reason <text>', say(message('cli.optionReason')), '')
    .option('--yes', say(message('cli.optionYes')))
    .description(say(message('cli.personalErase')))
    .action(async (name: string, { reason, yes }: { readonly reason: string; readonly yes?: boolean }) => {
      const { dataDir, json } = globals();
      const clients = clientsToErase(dataDir, name);
      const numbers = clients.map((client) => `#${client}`);
      if (yes !== true) throw new UsageError(message('cli.eraseWould', { clients: numbers }));
      const { position } = (await operate(dataDir, 'personal-data.erase', { clients, reason })) as { position: number };
      const certificate = certificateAt(dataDir, position);
      if (json) print(JSON.stringify(inEnglish(certificate)));
      else printLines(certificateLines(certificate));
    });

  command
    .command('certificates')
    .argument('[position]')
    .description(say(message('cli.personalCertificate')))
    .action((position?: string) => {
      const { dataDir, json } = globals();
      const all =
        position === undefined
          ? reading(dataDir, ({ log }) => {
              const events = log.search.earlier('personal-data', Number.MAX_SAFE_INTEGER, ['PersonalDataErased']);
              return [...events].flatMap((event) => certificateOf(log, event) ?? []);
            })
          : [certificateAt(dataDir, wholeNumber('position', position, ID))];
      for (const certificate of all) {
        const { at, clients } = certificate;
        const line = { position: certificate.position, at, clients: clients.map((client) => `#${client}`) };
        if (json) print(JSON.stringify(inEnglish(certificate)));
        else if (position === undefined) print(say(message('cli.certificateLine', line)));
        else printLines(certificateLines(certificate));
      }
    });
}

function exportOf(journal: Journal, name: string, masked: boolean) {
  const { log, snapshots } = journal;
  const read = new LogReadModels(log, snapshots);
  const clients = clientsOf(log, read, name);
  const now = Date.now();
  const first = Math.min(
    now,
    ...clients.flatMap((client) => log.readStream(`client-${client}`, 0, 1)[0]?.meta.at ?? []),
  );
  const statement = statementOfAll(journal, read, clients, first, now);
  const histories = new Map(clients.map((client) => [client, eventsOfClient(log, client)]));
  const data = personalDataOf(read, histories, { mask: masked, now, statement });
  const email = data.accounts[0]?.identity.email ?? name;
  const head = { email, madeAt: now, position: log.head().position, generation: log.generation, masked };
  return { clients, head, data };
}

/** Throws `OperatorError` when there is none. */
function certificateAt(dataDir: string, position: number): Certificate {
  const certificate = reading(dataDir, ({ log }) => certificateOf(log, log.at(position)));
  if (certificate) return certificate;
  throw new OperatorError({ code: 'CERTIFICATE_NOT_FOUND', params: { position } });
}

interface HoldOptions {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

function holdCommands(command: Command, globals: () => GlobalOptions, say: Say): void {
  command
    .command('holds')
    .description(say(message('cli.personalHolds')))
    .action(() => {
      const { dataDir, json } = globals();
      const holds = reading(dataDir, ({ log, snapshots }) => new LogReadModels(log, snapshots).records.legalHolds());
      for (const hold of holds.values()) {
        const { id, placedAt, by, clients, from, to, reason } = hold;
        const day = (at: number): string => (at === 0 ? '…' : timeText(at));
        const what = clients.length > 0 ? clients.map((client) => `#${client}`).join(',') : `${day(from)} – ${day(to)}`;
        printEither(json, hold, `${id}  ${timeText(placedAt)}  ${by}  ${what}  ${reason}`);
      }
    });

  command
    .command('hold')
    .argument('[client]', say(message('cli.argumentClient')))
    .option('--from <day>', say(message('cli.optionHoldFrom')), '')
    .option('--to <day>', say(message('cli.optionHoldTo')), '')
    .requiredOption('--reason <text>', say(message('cli.optionReason')))
    .description(say(message('cli.personalHold')))
    .action(async (name: string | undefined, { from, to, reason }: HoldOptions) => {
      const { dataDir, json } = globals();
      const clients = name === undefined ? [] : clientsNamed(dataDir, name);
      const period = { from: beginOf('from', from), to: to === '' ? 0 : beginOf('to', to) + DAY_MS - 1 };
      const placed = await operate(dataDir, 'personal-data.hold', { clients, ...period, reason });
      const { hold } = placed as { hold: number };
      printEither(json, placed, say(message('cli.holdPlaced', { hold })));
    });

  command
    .command('release')
    .argument('<hold>')
    .option('--reason <text>', say(message('cli.optionReason')), '')
    .description(say(message('cli.personalRelease')))
    .action(async (text: string, { reason }: { readonly reason: string }) => {
      const { dataDir, json } = globals();
      const hold = wholeNumber('hold', text, ID);
      await operate(dataDir, 'personal-data.release', { hold, reason });
      printEither(json, { hold }, say(message('cli.holdReleased', { hold })));
    });
}

/** The first moment of a day in UTC, ms since 1970; 0 for an empty text. */
function beginOf(field: string, text: string): number {
  if (text === '') return 0;
  const day = dayNamed(text);
  if (day === null) throw new UsageError({ code: 'DAY_UNKNOWN', params: { field, value: text.slice(0, 100) } });
  return day * DAY_MS;
}
