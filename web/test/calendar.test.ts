import { describe, expect, it } from 'vitest';
import { Calendar, dayOfValue, valueOfDay } from '../src/model/calendar';

const jalali = new Calendar('fa', 'persian');
const calendars = [jalali, ...['fa', 'en', 'ru', 'zh', 'ar'].map((language) => new Calendar(language, 'gregory'))];

describe('a Jalali date', () => {
  it.each([
    ['2026-11-23', '۱۴۰۵/۰۹/۰۲'],
    ['2025-03-20', '۱۴۰۳/۱۲/۳۰'],
    ['2025-03-21', '۱۴۰۴/۰۱/۰۱'],
    ['2026-03-20', '۱۴۰۴/۱۲/۲۹'],
    ['2030-03-20', '۱۴۰۸/۱۲/۳۰'],
    ['1970-01-01', '۱۳۴۸/۱۰/۱۱'],
    ['2026-11-23T14:05', '۱۴۰۵/۰۹/۰۲ ۱۴:۰۵'],
    ['2026-11-23T04:05:09', '۱۴۰۵/۰۹/۰۲ ۰۴:۰۵:۰۹'],
  ])('%s is shown and read as %s', (value, text) => {
    expect(jalali.text(value)).toBe(text);
    expect(jalali.read(text, value.slice(11))).toBe(value);
  });

  it('has a 30th of Esfand in leap years only', () => {
    const leap = Array.from({ length: 40 }, (_, n) => 1390 + n).filter((year) => jalali.dayOf(year, 12, 30));
    expect(leap).toStrictEqual([1391, 1395, 1399, 1403, 1408, 1412, 1416, 1420, 1424, 1428]);
    expect(jalali.read('1404/12/30')).toBeUndefined();
  });

  it.each(['1405/9/2', '1405-09-02', '۱۴۰۵/۹/۲', '١٤٠٥/٩/٢', ' 02/09/1405 ', '2026-11-23', '1405/09/02 23:00'])(
    'may be typed as %s',
    (text) => expect(jalali.read(text)).toBe('2026-11-23'),
  );

  it.each(['', '1405', '1405/9', '1405/13/01', '1405/07/31', '05/09/02', '1405/09/02x', '1300/01/01', 'tomorrow'])(
    'is not %j',
    (text) => expect(jalali.read(text)).toBeUndefined(),
  );
});

describe('a date', () => {
  it('is the same after it was shown and read, for each day of 150 years and in each language', () => {
    for (let day = 0; day < 55_000; day += 1) {
      const value = valueOfDay(day);
      const calendar = calendars[day % calendars.length] ?? jalali;
      expect([calendar.text(value), calendar.read(calendar.text(value))]).toStrictEqual([calendar.text(value), value]);
    }
  });

  it('has the order of its language', () => {
    const texts = ['en', 'ru', 'zh', 'ar'].map((language) => new Calendar(language, 'gregory').text('2026-11-03'));
    expect(texts).toStrictEqual(['11/03/2026', '03.11.2026', '2026/11/03', '03/11/2026']);
  });

  it('may have a time, and gets one where it has none', () => {
    const english = new Calendar('en', 'gregory');
    expect(english.read('2026-11-23', '23:59')).toBe('2026-11-23T23:59');
    expect(english.read('11/23/2026, 7:05', '23:59')).toBe('2026-11-23T07:05');
    expect(english.read('2026-11-23T14:05', '00:00')).toBe('2026-11-23T14:05');
    expect(english.read('2026-11-23 7:05:30', '00:00')).toBe('2026-11-23T07:05:30');
    expect(english.read('2026-11-23 24:00', '00:00')).toBeUndefined();
    expect(english.read('2026-11-23 07:05:60', '00:00')).toBeUndefined();
    expect(english.read('2026-02-29')).toBeUndefined();
    expect(english.read('1405/09/02')).toBeUndefined();
  });

  it('moves by months to a day that exists', () => {
    const english = new Calendar('en', 'gregory');
    const moved = (calendar: Calendar, value: string, months: number): string =>
      valueOfDay(calendar.addMonths(dayOfValue(value), months));
    expect(moved(english, '2026-01-31', 1)).toBe('2026-02-28');
    expect(moved(english, '2026-01-31', -2)).toBe('2025-11-30');
    // 31 Shahrivar 1405, 30 Mehr, 29 Esfand, 30 Esfand of a leap year.
    expect(moved(jalali, '2026-09-22', 1)).toBe('2026-10-22');
    expect(moved(jalali, '2026-09-22', 6)).toBe('2027-03-20');
    expect(moved(jalali, '2026-09-22', -18)).toBe('2025-03-20');
  });
});

describe('a month', () => {
  it('has its days under the names of the week', () => {
    const weeks = jalali.weeksOf(dayOfValue('2026-11-23'));
    expect(jalali.weekdays().map(({ long }) => long)[0]).toBe('شنبه');
    // 1 Azar 1405 is a Sunday, 30 Azar a Monday.
    expect(weeks.map((week) => week.map((day) => (day === null ? '' : jalali.dayNumber(day))).join())).toStrictEqual([
      ',۱,۲,۳,۴,۵,۶',
      '۷,۸,۹,۱۰,۱۱,۱۲,۱۳',
      '۱۴,۱۵,۱۶,۱۷,۱۸,۱۹,۲۰',
      '۲۱,۲۲,۲۳,۲۴,۲۵,۲۶,۲۷',
      '۲۸,۲۹,۳۰,,,,',
    ]);
    expect(jalali.month(dayOfValue('2026-11-23'))).toBe('آذر ۱۴۰۵');
  });

  it('has each of its days once, at any time', () => {
    for (const calendar of calendars) {
      for (let day = 20_000; day < 20_800; day += 11) {
        const days = calendar.weeksOf(day).flat();
        const own = days.filter((one) => one !== null);
        expect(own).toContain(day);
        expect(calendar.partsOf(own[0] ?? 0)[2]).toBe(1);
        expect(days.indexOf(day) % 7).toBe(calendar.weekdayOf(day));
        expect(calendar.partsOf((own.at(-1) ?? 0) + 1)[2]).toBe(1);
      }
    }
  });
});
