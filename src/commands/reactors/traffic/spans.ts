const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Quarters of an hour of the UTC day, within the hour, at which a day begins in some zone: those that are half an hour off
 * (Iran, India, Afghanistan, Myanmar, Sri Lanka, Newfoundland, the Marquesas, Adelaide, Lord Howe) and three quarters
 * (Nepal, Eucla, Chatham), in summer and in winter. Whole hours are midnight somewhere anyway.
 */
const MIDNIGHTS: readonly number[] = [
  ...[2.5, 3.5, 9.5, 13.5, 14.5, 17.5, 18.5, 19.5, 20.5],
  ...[10.25, 11.25, 15.25, 18.25],
].map((hour) => hour * 4);

/**
 * When the span begins that a time is in, ms: what is summed up within one can be booked on a day by the clocks of any zone,
 * exactly, and whichever zone is set later.
 */
export function spanStart(at: number): number {
  const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  for (let start = Math.floor(at / QUARTER_MS) * QUARTER_MS; start > hour; start -= QUARTER_MS)
    if (MIDNIGHTS.includes((start - day) / QUARTER_MS)) return start;
  return hour;
}
