/** Persian and Arabic digits as 0 to 9. */
export const latinDigits = (text: string): string =>
  text.replaceAll(/[\u06f0-\u06f9\u0660-\u0669]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf));

/** A number as it is typed or pasted in Persian or Arabic, with the digits and the decimal point of English. */
export const latinNumber = (text: string): string =>
  latinDigits(text)
    .replaceAll('\u066b', '.')
    .replaceAll(/[\u066c\u200e\u200f\u2066-\u2069]/g, '');
