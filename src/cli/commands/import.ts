import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { corePlace } from '../../app/core-binary.js';
import type { ImportReport } from '../../commands/import/plan.js';
import { mostSevere } from '../../commands/import/report.js';
import type { Config } from '../../config.js';
import type { ImportTotals } from '../../events/import.js';
import { failureText } from '../../lib/errors/failure-text.js';
import { OperatorError } from '../../lib/errors/operator-error.js';
import { bytesText } from '../../lib/words.js';
import { message, type Text, verbatim } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import type { CorePlace } from '../../worker/xui-template.js';
import { inEnglish, printEither } from '../output.js';
import type { GlobalOptions } from '../reading.js';

/** The most findings that are shown on a terminal. */
const MAX_LINES = 200;

/** `portolan import 3x-ui FILE`: imports another panel's state, through the running panel or without one. */
export function importCommand(program: Command, config: () => Config, globals: () => GlobalOptions, say: Say): void {
  program
    .command('import')
    .description(say(message('cli.import')))
    .command('3x-ui')
    .argument('<file>', say(message('cli.argumentDatabase')))
    .description(say(message('cli.import3xui')))
    .option('--dry-run', say(message('cli.optionDryRun')))
    .option('-y, --yes', say(message('cli.optionYes')))
    .action(async (file: string, options: { dryRun?: boolean; yes?: boolean }) => {
      const { dataDir, json } = globals();
      const path = resolve(file);
      const place = corePlace(config());
      if (options.dryRun) {
        const report = await examine(path, place);
        return printEither(
          json,
          inEnglish({ dryRun: true, ...report }),
          `${text(report, say)}\n${say(message('cli.nothingChanged'))}`,
        );
      }
      // The next step would also accept a backup of this panel, which is no input of this command.
      await examine(path, null);
      const { keptTexts, restoreState } = await import('./restore.js');
      const request = { file: path, passphrase: '', yes: options.yes === true };
      const { done, running } = await restoreState(dataDir, request, place);
      const report = done.report as ImportReport;
      const next = say(message(running ? 'cli.nextRunning' : 'cli.nextStart'));
      printEither(
        json,
        inEnglish({ dryRun: false, ...report, kept: done.kept }),
        `${text(report, say)}\n${next}${keptTexts(done, say)}`,
      );
    });
}

async function examine(file: string, core: CorePlace | null): Promise<ImportReport> {
  // Imported here because it loads the core, which takes longer than most commands run.
  const { examineXui } = await import('../../worker/import-xui.js');
  const scratch = mkdtempSync(join(tmpdir(), 'portolan-import-'));
  const requestedBy = { kind: 'system', id: 'cli', name: 'cli', ip: null } as const;
  try {
    return await examineXui(file, scratch, { requestedBy, now: Date.now(), core });
  } catch (error) {
    const { withFile } = await import('./restore.js');
    throw new OperatorError(withFile(file, failureText(error)), { cause: error });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function text({ version, file, tables, totals, found, findings }: ImportReport, say: Say): string {
  const more = found - Math.min(MAX_LINES, findings.length);
  const codes = { noted: 'cli.importNoted', changed: 'cli.importChanged', skipped: 'cli.importSkipped' } as const;
  return [
    `3x-ui ${version}, ${bytesText(file.bytes)}, SHA-256 ${file.sha256}`,
    '',
    ...tables.filter(({ rows }) => rows > 0).map((table) => `  ${say(message('cli.importTable', table))}`),
    '',
    ...sums(totals.before, totals.after, totals.skipped).map((sum) => `  ${say(sum)}`),
    '',
    ...mostSevere(findings, MAX_LINES).map((finding) => `  ${say(message(codes[finding.outcome], finding))}`),
    ...(more > 0 ? [`  ${say(message('cli.importMore', { more }))}`] : []),
  ].join('\n');
}

function sums(before: ImportTotals, after: ImportTotals, skipped: ImportTotals): readonly Text[] {
  const row = (name: Text, show: (totals: ImportTotals) => Text): Text =>
    message('cli.importSum', { name, found: show(before), taken: show(after), lost: show(skipped) });
  const bytes = (name: Text, key: 'inbound' | 'client' | 'outbound'): Text =>
    row(name, (totals) =>
      message('cli.importBytes', { up: bytesText(totals[`${key}Up`]), down: bytesText(totals[`${key}Down`]) }),
    );
  return [
    row(message('cli.importInbounds'), ({ inbounds }) => verbatim(String(inbounds))),
    row(message('cli.importClients'), ({ clients }) => verbatim(String(clients))),
    bytes(message('cli.importInboundBytes'), 'inbound'),
    bytes(message('cli.importClientBytes'), 'client'),
    bytes(message('cli.importOutboundBytes'), 'outbound'),
  ];
}
