import { describe, expect, it, vi } from 'vitest';
import { makeFormat } from '../src/ui/display/format';

// The client wants a document.
vi.mock('../src/api/client', () => ({ api: {}, ApiError: Error }));

const plain = (text: string): string => text.replaceAll(/[\u2068\u2069]/g, '').replaceAll(/[\u00a0\u202f]/g, ' ');

describe('a size', () => {
  const { bytes, rate } = makeFormat('en', 'gregory');

  it.each([
    [0, '0 B'],
    [227.3, '227 B'],
    [1023, '1,020 B'],
    [1024, '1 kB'],
    [1600, '1.56 kB'],
    [1024 ** 3 * 12.345, '12.3 GB'],
    [1024 ** 6, '1,020 PB'],
  ])('of %d bytes is %s', (value, text) => expect([value, plain(bytes(value))]).toStrictEqual([value, text]));

  it('in a second has the same units', () => {
    expect([0, 0.4, 227.3, 2048, 1024 ** 2].map((value) => plain(rate(value)))).toStrictEqual([
      ...['0 B/s', '0.4 B/s', '227 B/s', '2 kB/s', '1 MB/s'],
    ]);
  });
});

describe('every figure', () => {
  it.each(['fa', 'ar', 'zh', 'ru', 'en'])('has the digits of %s', (language) => {
    const format = makeFormat(language, language === 'fa' ? 'persian' : 'gregory');
    const own = new Intl.NumberFormat(language, { useGrouping: false }).format(1_234_567_890);
    const at = Date.UTC(2026, 10, 23, 12);
    const figures = [
      ...[format.number(1234.5, 1), format.percent(0.5), format.bytes(227), format.bytes(5000), format.rate(5000)],
      ...[format.date(at), format.day(at), format.dateTime(at), format.time(at)],
      ...[format.duration(200_000), format.duration(4000), format.calendar().text('2026-11-23')],
    ];
    for (const figure of figures) {
      expect(figure).toMatch(/\p{Nd}/u);
      expect(figure.match(/\p{Nd}/gu)?.filter((digit) => !own.includes(digit))).toStrictEqual([]);
    }
  });
});
