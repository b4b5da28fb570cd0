/** Persian and Arabic digits as 0 to 9. */
export const latinDigits = (text: string): string =>
  text.replaceAll(/[\u06f0-\u06f9\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));

/** A number as it is typed or pasted in Persian or Arabic, with the digits and the decimal point of English. */
export const latinNumber = (text: string): string =>
  latinDigits(text)
    .replaceAll('\u066b', '.')
    .replaceAll(/[\u066c\u200e\u200f\u2066-\u2069]/g, '');

/** A group of thousands, as in `1,000`, `12 345 678` or `1'000.5`. */
const GROUPED = /^-?\d{1,3}(?:(?<mark>[,.'’ ])\d{3})(?:\k<mark>\d{3})*(?!\d)/;

/**
 * A pasted number with the decimal point of English and without marks between thousands. What can be both, such as
 * `1,000`, is read as the language writes it; `1.000` always has a decimal point, as it has where it is typed.
 */
export function pastedNumber(pasted: string, language: string): string {
  const text = latinNumber(pasted)
    .trim()
    .replaceAll(/[\u00a0\u2009\u202f]/g, ' ');
  const grouped = GROUPED.exec(text);
  const mark = grouped?.groups?.['mark'] ?? '';
  if (grouped && isGroup(mark, grouped[0], text, language)) {
    const [number] = grouped;
    return number.replaceAll(mark, '') + text.slice(number.length).replace(',', '.');
  }
  return text.replace(',', '.');
}

function isGroup(mark: string, number: string, text: string, language: string): boolean {
  const isRepeated = number.split(mark).length > 2;
  const hasDecimals = /^[,.]\d/.test(text.slice(number.length));
  if (mark === '.') return isRepeated || hasDecimals;
  return mark !== ',' || isRepeated || hasDecimals || decimalMark(language) !== ',';
}

const decimalMark = (language: string): string =>
  new Intl.NumberFormat(language).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';
