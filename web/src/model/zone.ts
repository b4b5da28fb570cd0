export interface Zones {
  readonly own: string;
  readonly panel: string;
}

/** `now` in ms since 1970. Zones whose clocks agree over the year, such as aliases, are one. */
export function otherZone(own: string, panel: string | undefined, now: number): Zones | null {
  if (panel === undefined || panel === own) return null;
  const isSame = [0, 3, 6, 9].every((months) => {
    const at = now + months * MONTH_MS;
    return offsetAt(own, at) === offsetAt(panel, at);
  });
  return isSame ? null : { own, panel };
}

const MONTH_MS = 2_629_800_000;

/** For example `GMT+03:30`. */
function offsetAt(timeZone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
