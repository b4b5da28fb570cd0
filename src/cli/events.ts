import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { idText, storedData } from '../adapters/sqlite/codec.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { panelState } from '../commands/state.js';
import { stateDigest } from '../events/log/fold.js';
import { begin, catchUp } from '../events/log/replay.js';
import { OperatorError } from '../lib/operator-error.js';
import { message } from '../messages/message.js';
import type { Say } from '../messages/terminal.js';
import { beginAll } from '../projections/foldings.js';
import { digestsOf } from '../projections/read-models.js';
import { verifyLog } from '../store/verify.js';
import { eventLine, inEnglish, masked, print, printEither } from './output.js';
import { type Common, reading } from './reading.js';
import { statementCommand } from './statement.js';
import { whyCommand } from './why.js';

const PAGE = 500;
/** How often `tail --follow` looks, in ms. */
const LOOK_MS = 500;

/** `portolan events …`: reads only, beside a running panel or without one. */
export function eventCommands(program: Command, common: (command: Command) => Common, say: Say): void {
  const events = program.command('events').description(say(message('cli.events')));

  events
    .command('tail')
    .description(say(message('cli.eventsTail')))
    .option('-n, --count <n>', say(message('cli.optionCount')), '20')
    .option('-f, --follow', say(message('cli.optionFollow')))
    .action((options: { count: string; follow?: boolean }, command: Command) => {
      const { dataDir, json } = common(command);
      return reading(dataDir, ({ log }) => tail(log, positive(options.count), options.follow === true, json), {
        live: true,
      });
    });

  events
    .command('show')
    .argument('<position>')
    .description(say(message('cli.eventsShow')))
    .action((at: string, _options: object, command: Command) => {
      const { dataDir, json } = common(command);
      reading(dataDir, ({ log }) => {
        const [event] = log.read(positive(at) - 1, 1);
        if (event?.position !== positive(at)) throw new OperatorError(message('cli.eventUnreadable', { position: at }));
        printEither(json, masked(event), JSON.stringify(masked(event), null, 2));
      });
    });

  whyCommand(events, common, say);
  statementCommand(events, common, say);

  events
    .command('export')
    .description(say(message('cli.eventsExport')))
    .option('--from <position>', say(message('cli.optionFrom')), '0')
    .action((options: { from: string }, command: Command) => {
      reading(common(command).dataDir, ({ log }) => exportRows(log, Number(options.from)));
    });

  events
    .command('verify')
    .description(say(message('cli.eventsVerify')))
    .action((_options: object, command: Command) => {
      const { dataDir, json } = common(command);
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
    .action((options: { at?: string; to?: string }, command: Command) => {
      const { dataDir, json } = common(command);
      reading(dataDir, ({ log }) => {
        const last = placeOf(log, options.at ?? options.to);
        const models = beginAll();
        const state = begin(panelState);
        catchUp(log, [...Object.values(models), state], last);
        const digests = { ...digestsOf(models), state: stateDigest(panelState, state.state) };
        printEither(json, { position: last, digests }, say(message('cli.replayed', { position: last })));
        if (!json) for (const [name, value] of Object.entries(digests)) print(`${name.padEnd(12)} ${value}`);
      });
    });
}

function positive(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new OperatorError(message('cli.numberInvalid', { value: text }));
  return Number(text);
}

function placeOf(log: SqliteEventLog, at: string | undefined): number {
  const head = log.head().position;
  if (at === undefined) return head;
  if (/^\d+$/.test(at)) return Math.min(Number(at), head);
  const time = Date.parse(at);
  if (Number.isNaN(time)) throw new OperatorError(message('cli.placeInvalid', { value: at }));
  return log.positionAt(time);
}

async function tail(log: SqliteEventLog, count: number, follow: boolean, json: boolean): Promise<void> {
  let position = Math.max(0, log.head().position - count);
  for (;;) {
    position = log.inSnapshot(() => printed(log, position, json));
    if (!follow) return;
    await sleep(LOOK_MS);
  }
}

/** Prints the events after a position; returns the last position. */
function printed(log: SqliteEventLog, after: number, json: boolean): number {
  let position = after;
  for (let page = log.read(position, PAGE); page.length > 0; page = log.read(position, PAGE)) {
    for (const event of page) printEither(json, masked(event), eventLine(event));
    position = page.at(-1)?.position ?? position;
  }
  return position;
}

function exportRows(log: SqliteEventLog, from: number): void {
  let position = from;
  for (let rows = log.rows(position, PAGE); rows.length > 0; rows = log.rows(position, PAGE)) {
    for (const row of rows) {
      const { stream, version, type, schema, at } = row;
      const data = storedData(row);
      const hashes = { payloadHash: row.payload_hash.toString('hex'), hash: row.hash.toString('hex') };
      print(
        JSON.stringify({
          position: row.position,
          id: idText(row.id),
          stream,
          version,
          type,
          schema,
          at,
          meta: JSON.parse(row.meta),
          data,
          ...hashes,
        }),
      );
      position = row.position;
    }
  }
}
