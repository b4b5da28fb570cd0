import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Rejection } from '../../src/commands/rejection.js';
import { secretKeys, secretsTable, settingKeys, settingsTable } from '../../src/events/settings/settings.js';
import { languageOf } from '../../src/http/language/language.js';
import { tables } from '../../src/http/panel/contract/index.js';
import type { Route } from '../../src/http/panel/contract/route.js';
import { problemsOf } from '../../src/http/panel/mount.js';
import { textOfIssue } from '../../src/messages/issue.js';
import type { Language } from '../../src/messages/language.js';
import { message, type Text, verbatim } from '../../src/messages/message.js';
import { render, reportMissingTexts } from '../../src/messages/render.js';

const inLanguage = ({ text }: Rejection, language: Language): string => render(text, language);

describe('the language of a caller', () => {
  it.each([
    ['en-US', 'en'],
    ['fa-IR', 'fa'],
    ['ru-RU', 'ru'],
    ['zh-CN', 'zh'],
    ['zh-TW', 'zh'],
    ['zh-Hant-HK', 'zh'],
    ['ar-EG', 'ar'],
    ['AR', 'ar'],
    ['"fa_IR"', 'fa'],
  ])('by the cookie %s is %s', (value, language) => {
    expect(languageOf({ cookie: `3x-ui=abc; lang=${value}; other=1`, 'accept-language': 'ru' })).toBe(language);
  });

  it.each([
    ['fa', 'fa'],
    ['de, ru;q=0.8, en;q=0.9', 'en'],
    ['de-DE,de;q=0.9,zh-TW;q=0.4,ar;q=0.7', 'ar'],
    ['ru;q=0.5, fa;q=0.5', 'ru'],
    ['fa;q=0, ru;q=0.001', 'ru'],
    ['*', 'en'],
    ['de, *;q=0.5, fa;q=0.9', 'fa'],
    ['', 'en'],
    ['de', 'en'],
  ])('by Accept-Language %s is %s', (header, language) => {
    expect(languageOf({ 'accept-language': header })).toBe(language);
    expect(languageOf({ 'accept-language': header, cookie: 'lang=vi-VN' })).toBe(language);
  });

  it.each([
    [',,,;;q=,fa;q=2,ru;q=-1,ar;q=1.5,zh;q=0.0001'],
    [`${'x'.repeat(100_000)},fa`],
    [`${'a,'.repeat(50_000)}fa`],
    ['fa;q=0.9.9'],
    ['__proto__, constructor;q=0.5'],
  ])('is English for a hostile header (%#)', (header) => {
    expect(languageOf({ 'accept-language': header })).toBe('en');
    expect(languageOf({ cookie: `lang=${header.replaceAll(/[;]/g, '')}` })).toBe('en');
  });

  it('does not match the end of another cookie name', () => {
    expect(languageOf({ cookie: 'mylang=fa; slang=ru' })).toBe('en');
  });
});

describe('a rendered text', () => {
  it('has its parameters inserted, and never treats a parameter as a template', () => {
    const rejection = new Rejection('CLIENT_NOT_IN_INBOUND', { client: '{inbound}', inbound: 7 });
    expect(inLanguage(rejection, 'ru')).toBe('Во входящем подключении 7 нет клиента {inbound}');
    expect(inLanguage(rejection, 'en')).toBe(rejection.message);
  });

  it('has a nested reason translated, and keeps the text of the core', () => {
    const taken = new Rejection('PORT_TAKEN', { port: 443, by: message('inbound.name', { tag: 'in-443' }) });
    expect(inLanguage(taken, 'zh')).toBe('端口已存在：443 已被入站 in-443占用');
    const refused = new Rejection('CORE_REFUSED', { why: verbatim('infra/conf: unknown cipher') });
    expect(inLanguage(refused, 'ru')).toBe('Ядро не принимает эту конфигурацию: infra/conf: unknown cipher');
  });

  it('has every reason of a list translated, and the text after a file name', () => {
    const problem = (file: string, why: Text) => message('geo.fileProblem', { file, why });
    const why = [problem('geoip.dat', message('geo.fileEmpty')), problem('geosite.dat', verbatim('EX'))];
    expect(inLanguage(new Rejection('GEO_FAILED', { why }), 'ru')).toBe('geoip.dat: геофайл пуст\r\ngeosite.dat: EX');
  });

  it('exists for every problem of the settings', () => {
    const problems = [
      { key: 'webPort', why: message('input.notBetween', { min: 1, max: 65_535 }) },
      { key: 'subPort', why: message('input.notWholeNumber') },
    ];
    expect(inLanguage(new Rejection('SETTING_INVALID', { problems }), 'ru')).toBe(
      'Настройка webPort: должно быть от 1 до 65535; Настройка subPort: должно быть целым числом',
    );
  });

  it('isolates names in right-to-left text', () => {
    const text = inLanguage(new Rejection('CLIENT_NOT_FOUND', { client: 'ann@example.com' }), 'fa');
    expect(text).toBe('کاربر \u2068ann@example.com\u2069 وجود ندارد');
  });

  it('keeps the text of other programs', () => {
    for (const text of ['Some words', 'constructor', '__proto__', 'x'.repeat(100_000)])
      expect(render(verbatim(text), 'fa')).toBe(text);
  });
});

/** Values that are wrong for one schema or another. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  {},
  [],
  ['x'],
  true,
  -1,
  1.5,
  1e12,
  'x',
  '\u0000',
  'x'.repeat(100_000),
  '/../',
  '/ä',
  'ftp://x',
  'http://a:b@c/',
  '{',
  '{}',
  '[]',
  '💥',
  '10.0.0.1/8',
];

describe('the settings', () => {
  it('have their own text for every invalid value, except one of another type', () => {
    const schemas = [...settingKeys.map((key) => settingsTable[key]), ...secretKeys.map((key) => secretsTable[key])];
    const issues = schemas.flatMap((schema) => WRONG.flatMap((value) => schema.safeParse(value).error?.issues ?? []));
    const ofZod = issues.filter(({ message: text }) => !text.startsWith('\u0000'));
    expect([...new Set(ofZod.map(({ code }) => code))]).toEqual(['invalid_type']);
    expect(new Set(ofZod.map((issue) => render(textOfIssue(issue), 'en')))).toEqual(
      new Set(['must be a string', 'must be true or false']),
    );
  });
});

/** The values of `WRONG`, alone and as each member of the input. */
function wrongInputs(schema: z.ZodType): readonly unknown[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return [...WRONG, ...Object.keys(properties).flatMap((name) => WRONG.map((value) => ({ [name]: value })))];
}

const routes = Object.values(tables).flatMap((table) => Object.values(table) as Route[]);
const inputs = routes.flatMap(({ method, path, params, query, body }) =>
  Object.entries({ params, query, body }).map(([part, schema]) => [`${method} ${path} ${part}`, schema] as const),
);

describe('every invalid input of a route', () => {
  it.each(inputs)('%s: is described by the catalogue', (_, schema) => {
    const missing: string[] = [];
    reportMissingTexts((code) => missing.push(code));
    onTestFinished(() => reportMissingTexts(() => undefined));
    for (const value of wrongInputs(schema)) {
      const { error } = schema.safeParse(value);
      for (const problem of error ? problemsOf(error) : []) {
        expect(JSON.stringify(problem)).not.toContain('"verbatim"');
        // Names of members and values that are allowed stay as they are.
        expect(render(problem, 'fa')).toMatch(/[\u0600-\u06ff]/);
      }
    }
    expect(missing).toEqual([]);
  });
});
