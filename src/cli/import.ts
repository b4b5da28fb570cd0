import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { corePlace } from '../app/core-binary.js';
import type { ForeignReport } from '../commands/import/plan.js';
import { gravest } from '../commands/import/report.js';
import type { Config } from '../config.js';
import type { ImportTotals } from '../events/import.js';
import { OperatorError } from '../lib/operator-error.js';
import { bytesText } from '../lib/words.js';
import type { CorePlace } from '../worker/foreign-template.js';
import { printEither } from './output.js';
import type { Common } from './reading.js';

/** Lines of findings on a terminal. */
const MOST_LINES = 200;

/** `portolan import 3x-ui FILE`: another panel's state in place of this one's, by the running panel or without one. */
export function importCommand(program: Command, config: () => Config, common: (command: Command) => Common): void {
  program
    .command('import')
    .description('move in from another panel')
    .command('3x-ui')
    .argument('<file>', 'its database, x-ui.db')
    .description('make a database of 3x-ui 2.x or 3.x the state of this data directory')
    .option('--dry-run', 'only say what would become of it')
    .option('-y, --yes', 'replace the state that is there; it is put aside in backups/')
    .action(async (file: string, options: { dryRun?: boolean; yes?: boolean }, command: Command) => {
      const { dataDir, json } = common(command);
      const path = resolve(file);
      const place = corePlace(config());
      if (options.dryRun) {
        const report = await examine(path, place);
        return printEither(json, { dryRun: true, ...report }, `${text(report)}\nNothing was changed.`);
      }
      // A backup of ours is none of this command's business, however much the next step would like it.
      await examine(path, null);
      const { restoreState } = await import('./restore.js');
      const asked = { file: path, passphrase: '', yes: options.yes === true };
      const { done, running } = await restoreState(dataDir, asked, place);
      const report = done.report as ForeignReport;
      const next = running ? 'The panel starts anew with it.' : 'Start the panel to serve it.';
      const kept = done.kept.map(({ key, why }) => `\n  ${key} stays as it is here. ${why}`).join('');
      printEither(json, { dryRun: false, ...report, kept: done.kept }, `${text(report)}\n${next}${kept}`);
    });
}

async function examine(file: string, core: CorePlace | null): Promise<ForeignReport> {
  // It brings the core with it, which takes longer to load than most commands to run.
  const { examineForeign } = await import('../worker/import-foreign.js');
  const scratch = mkdtempSync(join(tmpdir(), 'portolan-import-'));
  const requestedBy = { kind: 'system', id: 'cli', name: 'cli', ip: null } as const;
  try {
    return await examineForeign(file, scratch, { requestedBy, now: Date.now(), core });
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function text({ version, file, tables, totals, found, findings }: ForeignReport): string {
  const lines = [
    `3x-ui ${version}, ${bytesText(file.bytes)}, SHA-256 ${file.sha256}`,
    '',
    ...tables
      .filter(({ rows }) => rows > 0)
      .map(({ table, rows, changed, skipped }) => `  ${table}: ${rows} found, ${changed} changed, ${skipped} skipped`),
    '',
    ...sums(totals.before, totals.after, totals.skipped),
    '',
    ...gravest(findings, MOST_LINES).map(
      ({ table, item, outcome, reason }) => `  ${outcome === 'noted' ? 'note' : outcome}: ${table}: ${item}: ${reason}`,
    ),
  ];
  const more = found - Math.min(MOST_LINES, findings.length);
  if (more > 0) lines.push(`  and ${more} more: --dry-run --json names them all`);
  return lines.join('\n');
}

function sums(before: ImportTotals, after: ImportTotals, skipped: ImportTotals): string[] {
  const row = (name: string, found: string, taken: string, lost: string): string =>
    `  ${name}: ${found} there, ${taken} here, ${lost} skipped`;
  const bytes = (name: string, key: 'inbound' | 'client' | 'outbound'): string => {
    const sum = (totals: ImportTotals): string =>
      `${bytesText(totals[`${key}Up`])} up and ${bytesText(totals[`${key}Down`])} down`;
    return row(name, sum(before), sum(after), sum(skipped));
  };
  return [
    row('inbounds', String(before.inbounds), String(after.inbounds), String(skipped.inbounds)),
    row('clients', String(before.clients), String(after.clients), String(skipped.clients)),
    bytes('bytes of inbounds', 'inbound'),
    bytes('bytes of clients', 'client'),
    bytes('bytes of outbounds', 'outbound'),
  ];
}
