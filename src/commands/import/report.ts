import type { ImportedTable, ImportFinding, ImportTotals } from '../../events/import.js';
import type { Depletion } from '../../events/inbound/inbound.js';

export const noTotals: ImportTotals = {
  inbounds: 0,
  clients: 0,
  inboundUp: 0,
  inboundDown: 0,
  clientUp: 0,
  clientDown: 0,
  outboundUp: 0,
  outboundDown: 0,
};

/** Sums that stay numbers which JSON carries exactly, however absurd a file is. */
export function plus(totals: ImportTotals, more: Partial<ImportTotals>): ImportTotals {
  const sums = Object.entries(more).map(([key, value]) => [
    key,
    Math.min(Number.MAX_SAFE_INTEGER, totals[key as keyof ImportTotals] + value),
  ]);
  return { ...totals, ...Object.fromEntries(sums) };
}

/** Takes notes of what is otherwise than it was, one by one, and what bytes and rows go with that. */
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

  changed(table: string, item: string, why: string): void {
    this.findings.push({ table, item, outcome: 'changed', reason: why });
  }

  dropped(table: string, item: string, why: string): void {
    this.findings.push({ table, item, outcome: 'skipped', reason: why });
  }

  /** Nothing is otherwise, and yet somebody should know. */
  noted(table: string, item: string, why: string): void {
    this.findings.push({ table, item, outcome: 'noted', reason: why });
  }

  tables(): ImportedTable[] {
    const count = (table: string, what: ImportFinding['outcome']): number =>
      new Set(
        this.findings.filter((finding) => finding.table === table && finding.outcome === what).map(({ item }) => item),
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

/** As many findings as there is room for: the gravest, in the order in which they were found. */
export function gravest(findings: readonly ImportFinding[], most: number): readonly ImportFinding[] {
  if (findings.length <= most) return findings;
  const ranked = SEVERITY.flatMap((what) => findings.filter((finding) => finding.outcome === what));
  const kept = new Set(ranked.slice(0, most));
  return findings.filter((finding) => kept.has(finding));
}

/** Why 3x-ui had switched a client or an inbound off, and what lets it in again, as a sentence. */
export function switchedOff(depletion: Depletion): string {
  return depletion.reason === 'cap'
    ? '3x-ui had switched it off because its cap was used up: a reset or a larger cap lets it in again'
    : `3x-ui had switched it off because it had expired on ${isoDay(depletion.expiresAt)}: a later expiry lets it in again`;
}

/** `2026-03-01`, in UTC. */
const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Characters of a foreign name in a sentence. */
const SHOWN = 80;

/** A foreign name, cut and without control characters. */
export function shown(name: string): string {
  return name.replace(/\p{Cc}|\p{Surrogate}/gu, '\ufffd').slice(0, SHOWN);
}
