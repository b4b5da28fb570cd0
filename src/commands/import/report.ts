import type { ImportedTable, ImportFinding, ImportTotals } from '../../events/import.js';
import type { Depletion } from '../../events/inbound/inbound.js';
import { dayText } from '../../lib/time/days.js';
import { message, type Text } from '../../messages/message.js';

const DAY_MS = 86_400_000;

const noTotals: ImportTotals = {
  inbounds: 0,
  clients: 0,
  inboundUp: 0,
  inboundDown: 0,
  clientUp: 0,
  clientDown: 0,
  outboundUp: 0,
  outboundDown: 0,
};

/** Adds totals. The sums are limited to integers that JSON carries exactly. */
function plus(totals: ImportTotals, more: Partial<ImportTotals>): ImportTotals {
  const sums = Object.entries(more).map(([key, value]) => [
    key,
    Math.min(Number.MAX_SAFE_INTEGER, totals[key as keyof ImportTotals] + value),
  ]);
  return { ...totals, ...Object.fromEntries(sums) };
}

/** Collects the findings of an import, with the rows and bytes of each table. */
export class Notes {
  readonly findings: ImportFinding[] = [];
  before: ImportTotals = noTotals;
  after: ImportTotals = noTotals;
  skipped: ImportTotals = noTotals;
  readonly #rows = new Map<string, number>();

  constructor(read: readonly ImportFinding[]) {
    this.findings.push(...read);
  }

  rows(table: string, count: number): void {
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + count);
  }

  found(more: Partial<ImportTotals>): void {
    this.before = plus(this.before, more);
  }

  took(more: Partial<ImportTotals>): void {
    this.after = plus(this.after, more);
  }

  lost(more: Partial<ImportTotals>): void {
    this.skipped = plus(this.skipped, more);
  }

  changed(table: string, item: Text, reason: Text): void {
    this.findings.push({ table, item, outcome: 'changed', reason });
  }

  dropped(table: string, item: Text, reason: Text): void {
    this.findings.push({ table, item, outcome: 'skipped', reason });
  }

  /** Nothing was changed, but the admin should know. */
  noted(table: string, item: Text, reason: Text): void {
    this.findings.push({ table, item, outcome: 'noted', reason });
  }

  tables(): ImportedTable[] {
    const count = (table: string, what: ImportFinding['outcome']): number =>
      new Set(
        this.findings
          .filter((finding) => finding.table === table && finding.outcome === what)
          .map(({ item }) => JSON.stringify(item)),
      ).size;
    return [...this.#rows].map(([table, rows]) => ({
      table,
      rows,
      changed: count(table, 'changed'),
      skipped: count(table, 'skipped'),
    }));
  }
}

const SEVERITY: readonly ImportFinding['outcome'][] = ['skipped', 'changed', 'noted'];

/** The most severe findings, `most` at most, in the order in which they were found. */
export function mostSevere(findings: readonly ImportFinding[], most: number): readonly ImportFinding[] {
  if (findings.length <= most) return findings;
  const ranked = SEVERITY.flatMap((what) => findings.filter((finding) => finding.outcome === what));
  const kept = new Set(ranked.slice(0, most));
  return findings.filter((finding) => kept.has(finding));
}

/** Why 3x-ui had disabled a client or an inbound, and what enables it again. */
export function disabledThere(depletion: Depletion): Text {
  return depletion.reason === 'cap'
    ? message('import.usedUpThere')
    : message('import.expiredThere', { day: dayText(Math.floor(depletion.expiresAt / DAY_MS)) });
}

/** Characters of an imported name in a message. */
const MAX_SHOWN_CHARS = 80;

/** An imported name, shortened and without control characters. */
export function shown(name: string): string {
  return name.replace(/\p{Cc}|\p{Surrogate}/gu, '\ufffd').slice(0, MAX_SHOWN_CHARS);
}
