/** An ISO 8601 date, with or without a time; without a zone the time is local. */
const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** A time in ms since 1970; null for a text that is not an ISO time. `Date.parse` alone accepts almost any number as a year. */
export function isoTime(text: string): number | null {
  const [, year, month, day] = ISO_TIME.exec(text) ?? [];
  const time = Date.parse(text);
  // `Date.parse` moves the 31st of a shorter month to the next one.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  return Number.isNaN(time) || !isDay ? null : time;
}
