/** A day in the browser's time zone, as a date input has it: 2026-03-31. `at`: ms since 1970. */
export function localDate(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}
