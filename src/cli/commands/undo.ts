import type { Command } from 'commander';
import { operate } from '../../control/control.js';
import type { undoAsOperator } from '../../control/undo.js';
import { message, verbatim } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { wholeNumber } from '../option-values.js';
import { inEnglish, print } from '../output.js';
import type { GlobalOptions } from '../reading.js';

/** An undo may have to read the log and to wait for the counters of nodes. */
const TIMEOUT_MS = 120_000;

/** `portolan undo POSITION`: undoes the command that an event belongs to, as far as it can be. */
export function undoCommand(program: Command, globals: () => GlobalOptions, say: Say): void {
  program
    .command('undo')
    .argument('<position>')
    .description(say(message('cli.undo')))
    .option('--dry-run', say(message('cli.optionDryRunUndo')))
    .action(async (at: string, { dryRun = false }: { readonly dryRun?: boolean }) => {
      const { dataDir, json } = globals();
      const position = wholeNumber('position', at, { min: 1, max: Number.MAX_SAFE_INTEGER });
      const done = (await operate(dataDir, 'undo', { position, dryRun }, TIMEOUT_MS)) as Awaited<
        ReturnType<typeof undoAsOperator>
      >;
      if (json) return print(JSON.stringify(inEnglish(done)));
      const { from, to, events, disconnected, reconnected, obstacles } = done;
      if (events.length === 0) print(say(message('undo.nothingLeft')));
      else print(say(message(dryRun ? 'cli.undoWould' : 'cli.undoDone', { from, to })));
      for (const { stream, what } of events) print(`  ${stream}: ${say(what)}`);
      for (const email of disconnected) print(`  ${say(message('cli.undoDisconnected', { email }))}`);
      for (const email of reconnected) print(`  ${say(message('cli.undoReconnected', { email }))}`);
      for (const { document, name, field, why } of obstacles) {
        const what = verbatim([name || document, field].filter(Boolean).join(', '));
        print(`  ${say(message('cli.undoObstacle', { what, why }))}`);
      }
    });
}
