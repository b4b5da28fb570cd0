/** The target of a measurement; the first one that is given counts. */
export interface Target {
  readonly most?: number;
  readonly least?: number;
  /** Measured divided by the reference. */
  readonly ratioMost?: number;
  readonly ratioLeast?: number;
}

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly measured: number;
  readonly unit: string;
  /** In the same unit, measured in the same run. */
  readonly reference?: number;
  readonly target: Target;
  /** How it was measured, and reference values of other programs. */
  readonly note?: string;
}

export interface BenchContext {
  /** Smaller sizes: for a quick look, not for comparisons. */
  readonly quick: boolean;
}
export type Bench = (context: BenchContext) => Promise<readonly Row[]>;

export interface Evaluated extends Row {
  readonly ratio: number | null;
  readonly ok: boolean;
  readonly wanted: string;
}

export function evaluated(row: Row): Evaluated {
  const { measured, reference, target, unit } = row;
  const ratio = reference === undefined || reference === 0 ? null : measured / reference;
  const { most, least, ratioMost, ratioLeast } = target;
  if (most !== undefined) return { ...row, ratio, ok: measured <= most, wanted: `≤ ${most} ${unit}` };
  if (least !== undefined) return { ...row, ratio, ok: measured >= least, wanted: `≥ ${least} ${unit}` };
  if (ratioMost !== undefined)
    return { ...row, ratio, ok: (ratio ?? Infinity) <= ratioMost, wanted: `≤ ${ratioMost} ×` };
  return { ...row, ratio, ok: (ratio ?? 0) >= (ratioLeast ?? 0), wanted: `≥ ${ratioLeast ?? 0} ×` };
}

/** A number with three significant digits, without exponents. */
export function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toFixed(digits);
}

export function table(rows: readonly Evaluated[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${shown(row.measured)} ${row.unit}`,
    row.reference === undefined ? '' : `${shown(row.reference)} ${row.unit}`,
    row.ratio === null ? '' : `${shown(row.ratio)} ×`,
    row.wanted,
    row.ok ? 'ok' : 'MISS',
    row.note ?? '',
  ]);
  const all = [['benchmark', 'measured', 'reference', 'ratio', 'target', '', 'note'], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  return all
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
