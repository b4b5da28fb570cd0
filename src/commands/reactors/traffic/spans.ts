const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * The quarters of the UTC day, other than whole hours, at which a day starts in some time zone: zones with an offset of half
 * an hour (Iran, India, Afghanistan, Myanmar, Sri Lanka, Newfoundland, the Marquesas, Adelaide, Lord Howe) or three quarters
 * (Nepal, Eucla, Chatham), in summer and in winter. Every whole hour is midnight in some zone.
 */
const MIDNIGHTS: readonly number[] = [
  ...[2.5, 3.5, 9.5, 13.5, 14.5, 17.5, 18.5, 19.5, 20.5],
  ...[10.25, 11.25, 15.25, 18.25],
].map((hour) => hour * 4);

/**
 * The start of the span that contains a time, in ms. No span crosses a midnight of any time zone, so a sum within one span
 * belongs to exactly one day, whatever zone is set later.
 */
export function spanStart(at: number): number {
  const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  for (let start = Math.floor(at / QUARTER_MS) * QUARTER_MS; start > hour; start -= QUARTER_MS)
    if (MIDNIGHTS.includes((start - day) / QUARTER_MS)) return start;
  return hour;
}
