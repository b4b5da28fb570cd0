import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Rejection, reject } from '../../src/commands/rejection.js';
import { MessageError, textOf } from '../../src/messages/error.js';
import {
  byteCountText,
  bytesText,
  durationText,
  momentText,
  numberText,
  quotedText,
  timeText,
  utcText,
} from '../../src/messages/formats.js';
import { type Language, languages } from '../../src/messages/language.js';
import { isText, message, type Text, verbatim } from '../../src/messages/message.js';
import type * as renderer from '../../src/messages/render.js';
import { render, reportMissingTexts } from '../../src/messages/render.js';
import { rendered } from '../../src/messages/rendered.js';

describe('a message', () => {
  it('is rendered in each language', () => {
    const text = message('CLIENT_NOT_FOUND', { client: 'ann' });
    expect(render(text, 'en')).toBe('Client ann not found');
    expect(render(text, 'ru')).toBe('Клиента ann нет');
    expect(render(text, 'fa')).toBe('کاربر \u2068ann\u2069 وجود ندارد');
  });

  it.each(['{{email}}', '{{inbound}}', '$t(NO_CLIENTS)', '&<>"\'/', '{{- inbound}}', '$&', '$1'])(
    'shows the value %s as it is',
    (client) => {
      const text = message('CLIENT_NOT_IN_INBOUND', { client, inbound: 7 });
      expect(render(text, 'en')).toBe(`Client ${client} not found in inbound 7`);
    },
  );

  it('renders the messages inside it, and shows the words of others as they are', () => {
    const inner = message('settings.invalid', { key: 'webPort', why: verbatim('EX: {{why}}') });
    expect(render(message('CORE_FAILED', { why: inner }), 'ru')).toBe(
      'Операция в ядре не удалась: Настройка webPort: EX: {{why}}',
    );
  });

  it('joins lists', () => {
    const problems = [
      { key: 'webPort', why: verbatim('a') },
      { key: 'subPort', why: verbatim('b') },
    ];
    expect(reject('SETTING_INVALID', { problems }).message).toBe('Setting webPort: a; Setting subPort: b');
    expect(reject('METRIC_INVALID', { value: 'x', known: ['cpu', 'mem'] }).message).toContain('cpu, mem');
    expect(render(reject('METRIC_INVALID', { value: 'x', known: ['cpu', 'mem'] }).text, 'zh')).toContain('cpu、mem');
    expect(render(reject('METRIC_INVALID', { value: 'x', known: ['1', '2'] }).text, 'ar')).toContain('1، 2');
    const clauses = message('SETTING_INVALID', { problems: [verbatim('1'), verbatim('2')] });
    expect((['en', 'ru', 'zh', 'fa'] as const).map((language) => render(clauses, language))).toStrictEqual([
      '1; 2',
      '1; 2',
      '1；2',
      '1؛ 2',
    ]);
    expect(reject('GEO_FAILED', { why: [verbatim('a'), verbatim('b')] }).message).toBe('a\r\nb');
  });

  it('ends where messages are nested without end', () => {
    let text: Text = verbatim('deep');
    for (let level = 0; level < 100; level += 1) text = message('CORE_FAILED', { why: text });
    expect(render(text, 'en')).toMatch(/…$/);
  });

  it('survives JSON', () => {
    const text = message('CORE_FAILED', { why: verbatim('x') });
    const read: unknown = JSON.parse(JSON.stringify(text));
    expect(isText(read) && render(read, 'en')).toBe(render(text, 'en'));
    for (const wrong of [null, 'x', {}, { code: 1 }, { code: 'x' }, { verbatim: 1 }, { code: 'x', params: [] }])
      expect(isText(wrong)).toBe(false);
  });
});

describe('a text that is missing', () => {
  afterEach(() => reportMissingTexts(() => undefined));

  it('is reported once; a code of another version is shown itself', () => {
    const missing: string[] = [];
    reportMissingTexts((code, language) => missing.push(`${language} ${code}`));
    // As it is read from a log that a newer release wrote.
    const unknown = JSON.parse('{"code":"client.ofTheFuture","params":{"client":"x"}}') as Text;
    expect([render(unknown, 'fa'), render(unknown, 'fa'), render(unknown, 'en')]).toStrictEqual([
      'client.ofTheFuture',
      'client.ofTheFuture',
      'client.ofTheFuture',
    ]);
    expect(missing).toStrictEqual(['fa client.ofTheFuture', 'en client.ofTheFuture']);
  });
});

describe('a file of texts that is missing or broken', () => {
  type Render = Pick<typeof renderer, 'render' | 'reportMissingTexts'>;
  const root = resolve(import.meta.dirname, '../..');
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A copy of the renderer, with texts of its own. */
  function copy(): Promise<Render> {
    return import(join(folder, 'src/messages/render.ts')) as Promise<Render>;
  }

  function plant(): void {
    folder = mkdtempSync(join(tmpdir(), 'portolan-texts-'));
    for (const name of ['package.json', 'tsconfig.json', 'locales', 'src/installation', 'src/messages'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  }

  it('is replaced by English and reported once', async () => {
    plant();
    rmSync(join(folder, 'locales/ru/rejections.json'));
    writeFileSync(join(folder, 'locales/fa/settings.json'), '{ "invalid": ');
    const missing: string[] = [];
    const copied = await copy();
    copied.reportMissingTexts((code, language) => missing.push(`${language} ${code}`));
    const notFound = message('CLIENT_NOT_FOUND', { client: 'ann' });
    const setting = message('settings.invalid', { key: 'webPort', why: verbatim('EX') });
    expect(copied.render(notFound, 'ru')).toBe('Client ann not found');
    expect(copied.render(message('GEO_BUSY'), 'ru')).toBe(render(message('GEO_BUSY'), 'en'));
    expect(copied.render(setting, 'ru')).toBe(render(setting, 'ru'));
    expect(copied.render(setting, 'fa')).toMatch(/^Setting /);
    expect(copied.render(notFound, 'fa')).toBe(render(notFound, 'fa'));
    expect(missing).toStrictEqual(['ru ru/rejections.json', 'fa fa/settings.json']);
  });

  it.each([1, null, '', ' \n', ['x'], { other: 'x' }, true])('is missing where its value is %j', async (value) => {
    plant();
    const file = join(folder, 'locales/ru/settings.json');
    const texts: unknown = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...Object(texts), invalid: value }));
    const missing: string[] = [];
    const copied = await copy();
    copied.reportMissingTexts((code, language) => missing.push(`${language} ${code}`));
    const setting = message('settings.invalid', { key: 'webPort', why: message('settings.unknown') });
    for (const _ of [1, 2]) expect(copied.render(setting, 'ru')).toMatch(/^Setting webPort: .*[а-я]/);
    expect(missing).toStrictEqual(['ru settings.invalid']);
  });

  it.each(['[]', '7', 'null', '"x"'])('is replaced by English where the file is %s', async (content) => {
    plant();
    writeFileSync(join(folder, 'locales/ru/settings.json'), content);
    const missing: string[] = [];
    const copied = await copy();
    copied.reportMissingTexts((code, language) => missing.push(`${language} ${code}`));
    for (const code of ['settings.unknown', 'settings.unknown'] as const)
      expect(copied.render(message(code), 'ru')).toBe(render(message(code), 'en'));
    expect(missing).toStrictEqual(['ru ru/settings.json']);
  });

  it('stops the start with the name of a broken English file', async () => {
    plant();
    writeFileSync(join(folder, 'locales/en/settings.json'), '{ "invalid": ');
    await expect(copy()).rejects.toThrow(
      /^locales\/en\/settings\.json cannot be read: .*\. Install this version again$/,
    );
  });

  it('stops the start when it is an English one', async () => {
    plant();
    rmSync(join(folder, 'locales/en/settings.json'));
    await expect(copy()).rejects.toThrow('locales/en/settings.json cannot be read: ');
  });
});

describe('a parameter without a usable value', () => {
  afterEach(() => reportMissingTexts(() => undefined));

  it.each([
    ['CLIENT_NOT_FOUND', 'client', undefined, 'Client ? not found'],
    ['CLIENT_NOT_FOUND', 'client', { name: 'ann' }, 'Client ? not found'],
    ['CORE_FAILED', 'why', {}, /\?$/],
    ['input.notOneOf', 'known', ['cpu', {}], /cpu, \?/],
  ])('of %s is shown as ? and reported once (%s)', (code, name, value, shown) => {
    const missing: string[] = [];
    reportMissingTexts((missed, language) => missing.push(`${language} ${missed}`));
    // Stored by another version: the types of this one do not hold.
    const language = value === undefined ? 'en' : 'zh';
    const text: unknown = { code, params: { [name]: value } };
    if (!isText(text)) throw new Error('not a text');
    render(text, language);
    render(text, language);
    expect(render(text, 'en')).toMatch(shown);
    expect(missing.filter((entry) => entry.startsWith(language))).toHaveLength(1);
    expect(missing[0]).toContain(`${code} {{${name}`);
  });
});

describe('values', () => {
  it('are formatted by their type', () => {
    expect(bytesText(1_610_612_736, 'en')).toBe('1.5 GB');
    expect(durationText(15_000, 'en')).toBe('15 seconds');
    expect(durationText(90_000, 'en')).toBe('90 seconds');
    expect(durationText(7_200_000, 'en')).toBe('2 hours');
    expect(durationText(1500, 'en')).toBe('1.5 seconds');
    expect(durationText(60_000, 'en')).toBe('1 minute');
    expect(durationText(7 * 86_400_000, 'en')).toBe('7 days');
    expect(durationText(86_400_000 + 1_800_000, 'en')).toBe('1 day 30 minutes');
    expect(durationText(90_061_000, 'en')).toBe('1 day 1 hour 1 minute 1 second');
    expect(byteCountText(1200, 'en')).toBe('1,200 bytes');
    expect(utcText(1000)).toBe('1970-01-01 00:00:01Z');
    expect(timeText(0, 'Asia/Tehran')).toBe('1970-01-01 03:30');
    expect(quotedText('a"\u0000', 'en')).toBe(String.raw`"a\"\u0000"`);
    expect(quotedText('a"b', 'ru')).toBe('«a"b»');
    expect(quotedText('ab', 'fa')).toBe('«\u2068ab\u2069»');
  });

  it.each(languages)('have the digits of %s', (language) => {
    const own = new Intl.NumberFormat(language, { useGrouping: false }).format(1_234_567_890);
    const shown = [
      numberText(1_234_567.5, language),
      bytesText(1_610_612_736, language),
      byteCountText(1200, language),
      durationText(90_000, language),
      durationText(277_200_000, language),
      timeText(0, 'Asia/Tehran', language),
      utcText(1000, language),
      momentText(0, 'Asia/Tehran', language),
      render(message('bot.online', { count: 12 }), language),
    ];
    for (const text of shown) {
      expect(text).toMatch(/\p{Nd}/u);
      expect(text.match(/\p{Nd}/gu)?.filter((digit) => !own.includes(digit))).toStrictEqual([]);
    }
  });

  it('have the Jalali calendar in Persian, and all digits where no page is read', () => {
    const at = Date.UTC(2025, 2, 20, 20, 25, 9);
    expect(timeText(at, 'Asia/Tehran', 'fa')).toBe('۱۴۰۳/۱۲/۳۰ ۲۳:۵۵');
    expect(utcText(at, 'fa')).toBe('۱۴۰۳/۱۲/۳۰ ۲۰:۲۵:۰۹Z');
    const until = message('why.expiresAt', { at });
    const left = message('why.capLeft', { left: 1_610_612_736, cap: 2 * 1024 ** 3 });
    expect([render(until, 'en'), render(left, 'en')]).toStrictEqual([
      'until 2025-03-20 20:25:09Z',
      '1,610,612,736 bytes left of 2,147,483,648 bytes',
    ]);
    const onPage = (text: Text, language: Language): string =>
      render(text, language, 'Asia/Tehran', true)
        .replaceAll(/[\u2068\u2069]/g, '')
        .replaceAll('\u202f', ' ');
    expect([onPage(until, 'en'), onPage(left, 'en')]).toStrictEqual([
      'until Mar 20, 2025, 11:55 PM',
      '1.5 GB left of 2 GB',
    ]);
    expect(onPage(until, 'fa')).toContain('۳۰ اسفند ۱۴۰۳، ۲۳:۵۵');
    expect(onPage(left, 'fa')).toContain('۱٫۵ GB');
  });

  it('of another type are shown as unknown', () => {
    for (const show of [byteCountText, bytesText, durationText, utcText]) expect(show('x', 'en')).toBe('?');
    expect(timeText(Number.MAX_VALUE, 'UTC')).toBe('?');
  });
});

describe('texts in other values', () => {
  it('are replaced by strings, and everything else stays', () => {
    const text = message('CLIENT_NOT_FOUND', { client: 'ann' });
    const value = { rule: text, also: [text, verbatim('EX')], since: null, at: 7, name: 'x' };
    expect(rendered(value, (one) => render(one, 'ru'))).toStrictEqual({
      ...{ rule: 'Клиента ann нет', also: ['Клиента ann нет', 'EX'], since: null, at: 7, name: 'x' },
    });
  });
});

describe('errors and rejections', () => {
  it('carry their text, and its English as message', () => {
    const text = message('GEO_BUSY');
    const error = new MessageError(text);
    expect(error.message).toBe(render(text, 'en'));
    expect(textOf(error)).toBe(text);
    expect(textOf(new Error('EX'))).toStrictEqual(verbatim('EX'));
    expect(new Rejection('GEO_BUSY', {}).text).toStrictEqual(text);
  });
});
