import { expect, it } from 'vitest';
import { latinNumber, pastedNumber } from '../src/model/digits';

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

it.each([
  ['en', '1,000', '1000'],
  ['en', '1,5', '1.5'],
  ['en', '1.5', '1.5'],
  ['en', '1.000', '1.000'],
  ['en', '12,345,678.9', '12345678.9'],
  ['en', '1.234.567,5', '1234567.5'],
  ['en', '1.234,5', '1234.5'],
  ['en', "1'000", '1000'],
  ['en', ' 10 000 ', '10000'],
  ['en', '10\u202f000,25', '10000.25'],
  ['en', '1,0000', '1.0000'],
  ['en', '10 GB', '10 GB'],
  ['en', '-1,000', '-1000'],
  ['ru', '1,500', '1.500'],
  ['ru', '1,500,000', '1500000'],
  ['fa', '۱٬۰۰۰', '1000'],
  ['fa', '۱٫۵', '1.5'],
  ['fa', '۱,۰۰۰', '1000'],
  ['ar', '٢٬٠٤٨٫٢٥', '2048.25'],
  ['zh', '', ''],
])('in %s, the pasted number %s is read as %s', (language, pasted, read) => {
  expect(pastedNumber(pasted, language)).toBe(read);
});
