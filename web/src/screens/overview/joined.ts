/** What a chart shows of the past, in seconds. */
export const LONGEST_S = 6 * 3600;

/** The metrics at one moment; `at` in seconds since 1970. */
export interface LivePoint {
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

type History = readonly { readonly t: number; readonly v: number }[];

/**
 * The histories of some metrics, which have the same times, continued by the live points that are newer. Nothing is older
 * than six hours.
 */
export function joined(metrics: readonly string[], histories: readonly History[], points: readonly LivePoint[]) {
  const [first = []] = histories;
  const end = first.at(-1)?.t ?? 0;
  const fresh = points.filter(({ at }) => at > end);
  const oldest = (fresh.at(-1)?.at ?? end) - LONGEST_S;
  const skipped = first.findIndex(({ t }) => t >= oldest);
  const from = skipped < 0 ? first.length : skipped;
  return {
    times: [...first.slice(from).map(({ t }) => t), ...fresh.map(({ at }) => at)],
    values: metrics.map((metric, index) => [
      ...(histories[index] ?? []).slice(from, first.length).map(({ v }) => v),
      ...fresh.map(({ values }) => values[metric] ?? 0),
    ]),
  };
}
