import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { dataDirectory } from '../adapters/data-directory/data-directory.js';
import type { BackupStatus } from '../commands/ports/backups.js';
import type { Config } from '../config.js';
import { begin, catchUp } from '../events/log/replay.js';
import { OperatorError } from '../lib/operator-error.js';
import { timeText } from '../lib/words.js';
import { backups } from '../projections/backups.js';
import { coreState } from '../projections/core/core-state.js';
import { inbounds } from '../projections/inbounds.js';
import { nodes } from '../projections/node/nodes.js';
import { settings } from '../projections/settings.js';
import { backupStatus } from '../store/backup-status.js';
import { verifyLog } from '../store/verify.js';
import type { Finding } from './finding.js';
import { printEither } from './output.js';
import { type Common, openToRead } from './reading.js';
import { examineClock } from './rights.js';

/** `portolan doctor`: says what is wrong with a data directory, and puts a lost tail right when told to. */
export function doctorCommand(program: Command, config: () => Config, common: (command: Command) => Common): void {
  program
    .command('doctor')
    .description('look for what is wrong')
    .option('--accept-loss', 'go on with a log whose end, or whose head.json, is missing; the panel must be stopped')
    .option('--keep-sound', 'go on with the part of a damaged log that can be read; the panel must be stopped')
    .action(async (options: { acceptLoss?: boolean; keepSound?: boolean }, command: Command) => {
      const { dataDir, json } = common(command);
      if (options.acceptLoss) return (await import('./repair.js')).acceptLoss(dataDir, json);
      if (options.keepSound) return (await import('./repair.js')).keepSound(dataDir, json);
      const findings = await examine(config());
      const bad = findings.filter(({ ok, note }) => !ok && !note);
      for (const finding of findings) printEither(json, finding, line(finding));
      if (bad.length > 0) throw new OperatorError(`${bad.length} of ${findings.length} checks failed`);
    });
}

/** `NOTE` is for the operator to know; only what is `BAD` makes the command fail. */
function line({ what, ok, detail, note }: Finding): string {
  return `${ok ? 'ok  ' : note ? 'NOTE' : 'BAD '} ${what}: ${detail}`;
}

async function examine(config: Config): Promise<readonly Finding[]> {
  const directory = dataDirectory(config.DATA_DIR);
  if (!existsSync(directory.database)) return [{ what: 'log', ok: false, detail: `there is no ${directory.database}` }];
  const { log, complaint } = openToRead(config.DATA_DIR);
  try {
    const { fault, events, keys } = verifyLog(log);
    const known = begin(settings);
    const kept = begin(backups);
    const ports = begin(inbounds);
    const core = begin(coreState);
    const register = begin(nodes);
    // A log with a fault may not even fold.
    if (fault === null) catchUp(log, [known, kept, ports, core, register]);
    const [last] = fault === null ? log.read(log.head().position - 1, 1) : [];
    return [
      {
        what: 'chain',
        ok: fault === null,
        detail: fault ? `position ${fault.position}: ${fault.what}` : `${events} events are sound`,
      },
      { what: 'keys', ok: keys === null, detail: keys ?? 'each is one that this panel made' },
      { what: 'anchor', ok: complaint === null, detail: complaint ?? 'it agrees with the log' },
      examineClock(last?.meta.at ?? 0, Date.now()),
      lastBackup(backupStatus(kept.state, known.state.values, Date.now())),
      ...(await (await import('./examination.js')).examineMachine(config, directory, known.state.values)),
      ...(fault === null
        ? await (await import('./examine-inbounds.js')).examineInbounds(
            ports.state,
            core.state,
            register.state.documents,
          )
        : []),
    ];
  } finally {
    log.close();
  }
}

/** A late one is the operator's to see to, and no fault of the data. */
function lastBackup({ last, lastGood, next, late }: BackupStatus): Finding {
  const what = 'backups';
  const failed = last === null || last.why === null ? '' : `; the last attempt failed: ${last.why}`;
  if (lastGood !== null) {
    const detail = `the last good one is ${lastGood.name}, of ${timeText(lastGood.at)}${failed}`;
    return late || failed !== '' ? { what, ok: false, note: true, detail } : { what, ok: true, detail };
  }
  if (next === null) return { what, ok: false, note: true, detail: 'timed backups are off (setting backupKeep)' };
  return { what, ok: failed === '', note: true, detail: `there is none yet${failed}` };
}
