import type { Command } from 'commander';
import { type DataDirectory, existingDataDirectory } from '../../adapters/data-directory/data-directory.js';
import type { BackupStatus } from '../../commands/ports/backups.js';
import type { Config } from '../../config.js';
import { begin, catchUp } from '../../events/log/replay.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { timeText } from '../../lib/words.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { coreState } from '../../projections/core/core-state.js';
import { backups } from '../../projections/models/backups.js';
import { inbounds } from '../../projections/models/inbounds.js';
import { proofs } from '../../projections/models/proofs.js';
import { settings } from '../../projections/models/settings.js';
import { nodes } from '../../projections/node/nodes.js';
import { backupStatus } from '../../store/backup-status.js';
import { verifyLog } from '../../store/verify.js';
import { examineHeads } from '../examination/examine-heads.js';
import { bad, type Finding, good, line, note } from '../examination/finding.js';
import { examineClock } from '../examination/rights.js';
import { inEnglish, printEither } from '../output.js';
import { type GlobalOptions, openToRead } from '../reading.js';

/** `portolan doctor`: checks a data directory and its machine; with an option, repairs a log that lost its end or is damaged. */
export function doctorCommand(program: Command, config: () => Config, globals: () => GlobalOptions, say: Say): void {
  program
    .command('doctor')
    .description(say(message('cli.doctor')))
    .option('--accept-loss', say(message('cli.optionAcceptLoss')))
    .option('--keep-readable', say(message('cli.optionKeepReadable')))
    .action(async (options: { acceptLoss?: boolean; keepReadable?: boolean }) => {
      const { dataDir, json } = globals();
      if (options.acceptLoss) return (await import('../repair.js')).acceptLoss(dataDir, json, say);
      if (options.keepReadable) return (await import('../repair.js')).keepReadable(dataDir, json, say);
      const findings = await examine(config());
      const failed = findings.filter((finding) => !finding.ok && !finding.note).length;
      for (const finding of findings) printEither(json, inEnglish(finding), line(finding, say));
      if (failed > 0) throw new OperatorError(message('cli.checksFailed', { failed, total: findings.length }));
    });
}

async function examine(config: Config): Promise<readonly Finding[]> {
  let directory: DataDirectory;
  try {
    directory = existingDataDirectory(config.DATA_DIR);
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    return [bad(message('cli.checkLog'), error.text)];
  }
  const { log, complaint } = openToRead(config.DATA_DIR);
  try {
    const { fault, events, keys } = verifyLog(log);
    const knownSettings = begin(settings);
    const knownBackups = begin(backups);
    const knownInbounds = begin(inbounds);
    const core = begin(coreState);
    const knownNodes = begin(nodes);
    const knownProofs = begin(proofs);
    // A log with an error cannot be replayed.
    if (fault === null) catchUp(log, [knownSettings, knownBackups, knownInbounds, core, knownNodes, knownProofs]);
    const [last] = fault === null ? log.read(log.head().position - 1, 1) : [];
    return [
      fault
        ? bad(message('cli.checkChain'), message('cli.chainFault', fault))
        : good(message('cli.checkChain'), message('cli.chainIntact', { events })),
      keys === null ? good(message('cli.checkKeys'), message('cli.keysSound')) : bad(message('cli.checkKeys'), keys),
      complaint === null
        ? good(message('cli.checkAnchor'), message('cli.anchorSound'))
        : bad(message('cli.checkAnchor'), complaint),
      examineClock(last?.meta.at ?? 0, Date.now()),
      lastBackup(backupStatus(knownBackups.state, knownSettings.state.values, Date.now())),
      ...examineHeads(knownProofs.state, knownSettings.state.values),
      ...(await (
        await import('../examination/examination.js')
      ).examineMachine(config, directory, knownSettings.state.values)),
      ...(fault === null
        ? await (await import('../examination/examine-inbounds.js')).examineInbounds(
            knownInbounds.state,
            core.state,
            knownNodes.state.documents,
          )
        : []),
      ...(fault === null
        ? await (await import('../examination/examine-cluster.js')).examineCluster(config, { log })
        : []),
    ];
  } finally {
    log.close();
  }
}

/** A missing or late backup is for the operator to know, and not an error in the data. */
function lastBackup({ last, lastGood, next, late }: BackupStatus): Finding {
  const what = message('cli.checkBackups');
  const why = last?.why ?? null;
  if (lastGood !== null) {
    const known = { name: lastGood.name, at: timeText(lastGood.at) };
    const detail = why === null ? message('cli.backupGood', known) : message('cli.backupGoodFailed', { ...known, why });
    return late || why !== null ? note(what, detail) : good(what, detail);
  }
  if (next === null) return note(what, message('cli.backupOff'));
  if (why !== null) return note(what, message('cli.backupNoneFailed', { why }));
  return { ...good(what, message('cli.backupNone')), note: true };
}
