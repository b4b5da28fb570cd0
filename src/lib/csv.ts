import { shownText } from './words.js';

/** A line of a CSV file (RFC 4180, UTF-8), with its end. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** Places where a formula could start, whatever separator a spreadsheet uses. Tabs are escaped, so they are not separators. */
const PARTS = /(^|[,;|])(?=[\s"']*[=+\-@\uff0b\uff0d\uff1d\uff20])/g;

/**
 * A cell. Text that a spreadsheet would read as a formula, at the beginning of the cell or of a part of it, gets an apostrophe
 * in front, which makes it plain text. Numbers stay as they are.
 */
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = shownText(value).replace(PARTS, "$1'");
  return /[",;|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
