import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { exportLineOf } from '../../adapters/sqlite/codec.js';
import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import type { StoredLog } from '../../adapters/sqlite/stored-log.js';
import { panelState } from '../../commands/state.js';
import type { RecordedEvent } from '../../events/catalog.js';
import { stateDigest } from '../../events/log/fold.js';
import { begin, catchUp } from '../../events/log/replay.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { startFolds } from '../../projections/foldings.js';
import { digestsOf } from '../../projections/read-models.js';
import { verifyLog } from '../../store/verify.js';
import { assertOneOf, positionAt, wholeNumber } from '../option-values.js';
import { eventLine, inEnglish, masked, print, printEither } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';
import { statementCommand } from './statement.js';
import { whyCommand } from './why.js';

const PAGE = 500;
/** The largest number of events that `tail` accepts. */
const MAX_COUNT = 1_000_000_000;
/** How often `tail --follow` reads the log, in ms. */
const POLL_MS = 500;

/** `portolan events …`: reads only, beside a running panel or without one. */
export function eventCommands(program: Command, globals: () => GlobalOptions, say: Say): void {
  const events = program.command('events').description(say(message('cli.events')));

  events
    .command('tail')
    .description(say(message('cli.eventsTail')))
    .option('-n, --count <n>', say(message('cli.optionCount')), '20')
    .option('-f, --follow', say(message('cli.optionFollow')))
    .action((options: { count: string; follow?: boolean }) => {
      const { dataDir, json } = globals();
      const count = wholeNumber('--count', options.count, { min: 1, max: MAX_COUNT });
      return reading(dataDir, ({ log }) => tail(log, count, options.follow === true, json ? null : say), {
        live: true,
      });
    });

  events
    .command('show')
    .argument('<position>')
    .description(say(message('cli.eventsShow')))
    .action((at: string) => {
      const { dataDir, json } = globals();
      reading(dataDir, ({ log }) => {
        const event = eventAt(log, at);
        printEither(json, masked(event), JSON.stringify(masked(event), null, 2));
      });
    });

  whyCommand(events, globals, say);
  statementCommand(events, globals, say);

  events
    .command('export')
    .description(say(message('cli.eventsExport')))
    .option('--from <position>', say(message('cli.optionFrom')), '0')
    .action((options: { from: string }) => {
      reading(globals().dataDir, ({ log }) =>
        exportRows(log.stored, wholeNumber('--from', options.from, { min: 0, max: log.head().position })),
      );
    });

  events
    .command('verify')
    .description(say(message('cli.eventsVerify')))
    .action(() => {
      const { dataDir, json } = globals();
      reading(dataDir, ({ log, complaint }) => {
        const verdict = verifyLog(log);
        const fault = verdict.fault ? message('cli.chainBroken', verdict.fault) : (verdict.keys ?? complaint);
        printEither(
          json,
          inEnglish({ ...verdict, anchor: complaint ?? 'sound' }),
          say(message('cli.verified', { events: verdict.events, pruned: verdict.pruned })),
        );
        if (fault) throw new OperatorError(fault);
      });
    });

  events
    .command('replay')
    .description(say(message('cli.eventsReplay')))
    .option('--at <position|time>', say(message('cli.optionAt')))
    .option('--to <position|time>', say(message('cli.optionTo')))
    .action((options: { at?: string; to?: string }) => {
      const { dataDir, json } = globals();
      assertOneOf('--at', options.at, '--to', options.to);
      reading(dataDir, ({ log }) => {
        const last = positionAt(log, options.to === undefined ? '--at' : '--to', options.at ?? options.to);
        const models = startFolds();
        const state = begin(panelState);
        catchUp(log, [...Object.values(models), state], last);
        const digests = { ...digestsOf(models), state: stateDigest(panelState, state.state) };
        printEither(json, { position: last, digests }, say(message('cli.replayed', { position: last })));
        if (!json) for (const [name, value] of Object.entries(digests)) print(`${name.padEnd(12)} ${value}`);
      });
    });
}

/** Throws `UsageError` for a position that the log does not have, and `OperatorError` for an event without its payload. */
function eventAt(log: Pick<SqliteEventLog, 'head' | 'read'>, at: string): RecordedEvent {
  const head = log.head().position;
  if (head === 0) throw new OperatorError(message('cli.logEmpty'));
  const position = wholeNumber('position', at, { min: 1, max: head });
  const [event] = log.read(position - 1, 1);
  if (event?.position !== position) throw new OperatorError(message('cli.eventUnreadable', { position }));
  return event;
}

/** `say`: null = as JSON. */
async function tail(
  log: Pick<SqliteEventLog, 'head' | 'read' | 'stored'>,
  count: number,
  follow: boolean,
  say: Say | null,
): Promise<void> {
  let position = Math.max(0, log.head().position - count);
  for (;;) {
    position = log.stored.inSnapshot(() => printAfter(log, position, say));
    if (!follow) return;
    await sleep(POLL_MS);
  }
}

/** Prints the events after a position; returns the last position. */
function printAfter(log: Pick<SqliteEventLog, 'read'>, after: number, say: Say | null): number {
  let position = after;
  for (let page = log.read(position, PAGE); page.length > 0; page = log.read(position, PAGE)) {
    for (const event of page) print(say === null ? JSON.stringify(masked(event)) : eventLine(event, say));
    position = page.at(-1)?.position ?? position;
  }
  return position;
}

function exportRows(log: Pick<StoredLog, 'rows'>, from: number): void {
  let position = from;
  for (let rows = log.rows(position, PAGE); rows.length > 0; rows = log.rows(position, PAGE)) {
    for (const row of rows) {
      print(exportLineOf(row));
      position = row.position;
    }
  }
}
