import { expect, it } from 'vitest';
import { latinNumber } from '../src/model/digits';

it.each([
  ['۱۲۳', '123'],
  ['١٢٣', '123'],
  ['۱٫۵', '1.5'],
  ['٢٬٠٤٨٫٢٥', '2048.25'],
  ['\u200f۱۰ GB', '10 GB'],
  ['1,5', '1,5'],
  ['', ''],
])('the number %s is read as %s', (typed, read) => {
  expect(latinNumber(typed)).toBe(read);
});
