import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generate, generatedFile, LocaleError } from '../../scripts/messages.js';

const english = readdirSync('locales/en').map((name) => {
  const texts = JSON.parse(readFileSync(join('locales/en', name), 'utf8')) as Record<string, string>;
  return [name.slice(0, -'.json'.length), texts] as const;
});

describe('the texts of the languages', () => {
  it('are complete, with the same parameters, and the types are those of the texts', () => {
    expect(readFileSync(generatedFile, 'utf8'), 'run npm run messages').toBe(generate('locales'));
  });

  it('are all used', () => {
    const source = sources('src').join('\n');
    const codes = english.flatMap(([area, texts]) =>
      Object.keys(texts).map((key) =>
        area === 'rejections' ? key : `${area}.${key.replace(/_(zero|one|two|few|many|other)$/, '')}`,
      ),
    );
    expect([...new Set(codes)].filter((code) => !source.includes(`'${code}'`))).toStrictEqual([]);
  });
});

describe('a broken file', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portolan-locales-'));
    cpSync('locales', folder, { recursive: true });
    for (const language of ['en', 'fa', 'ru', 'zh', 'ar']) {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      write(language, Object.fromEntries(forms.map((form) => [`days_${form}`, '{{count}} x'])));
    }
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(language: string, texts: unknown): void {
    const text = typeof texts === 'string' ? texts : JSON.stringify(texts, null, 2);
    writeFileSync(join(folder, language, 'sample.json'), text);
  }

  function problems(): readonly string[] {
    try {
      generate(folder);
      return [];
    } catch (error) {
      if (error instanceof LocaleError) return error.problems;
      throw error;
    }
  }

  it('is none when nothing is wrong', () => {
    expect(problems()).toStrictEqual([]);
    expect(generate(folder)).toContain("'sample.days': { readonly count: number };");
  });

  it.each<[what: string, english: unknown, russian: unknown, expected: string[]]>([
    ['broken JSON', { a: 'x' }, '{"a": ', ['locales/ru/sample.json: is not valid JSON: …']],
    ['a list', { a: 'x' }, ['x'], ['locales/ru/sample.json: is not an object of keys and texts', '…']],
    ['a key that is missing', { a: 'x', b: 'y' }, { a: 'x' }, ['locales/ru/sample.json: b: is missing']],
    [
      'a key that English lacks',
      { a: 'x' },
      { a: 'x', b: 'y' },
      ['locales/ru/sample.json: b: is not a key of locales/en'],
    ],
    [
      'a key that occurs twice',
      { a: 'x' },
      '{\n  "a": "x",\n  "a": "y"\n}',
      ['locales/ru/sample.json: a: occurs twice'],
    ],
    ...[1, null, ['x'], { b: 'x' }, true].map((value): [string, unknown, unknown, string[]] => [
      `a value that is not a string, such as ${JSON.stringify(value)},`,
      { a: 'x' },
      { a: value },
      ['locales/ru/sample.json: a: is not a string', 'locales/ru/sample.json: a: is missing'],
    ]),
    [
      'an empty text',
      { a: 'x' },
      { a: '' },
      ['locales/ru/sample.json: a: is empty', 'locales/ru/sample.json: a: is missing'],
    ],
    [
      'a text of blanks',
      { a: 'x' },
      { a: ' \n' },
      ['locales/ru/sample.json: a: is empty', 'locales/ru/sample.json: a: is missing'],
    ],
    ['a placeholder that is missing', { a: '{{x}}' }, { a: 'x' }, ['locales/ru/sample.json: a: {{x}} is missing']],
    [
      'another placeholder',
      { a: 'x' },
      { a: '{{y}}' },
      ['locales/ru/sample.json: a: {{y}} is not in the English text'],
    ],
    [
      'another format',
      { a: '{{x, bytes}}' },
      { a: '{{x, time}}' },
      ['locales/ru/sample.json: a: {{x, bytes}} is missing'],
    ],
    [
      'a broken placeholder',
      { a: '{{x}}' },
      { a: '{{x}} {{x' },
      ['locales/ru/sample.json: a: has a broken placeholder'],
    ],
    [
      'a plural form that is missing',
      { a_one: '1', a_other: '{{count}}' },
      { a_one: '1', a_other: '{{count}}' },
      ['locales/ru/sample.json: a_few: is missing', 'locales/ru/sample.json: a_many: is missing'],
    ],
  ])('with %s is named', (_what, inEnglish, inRussian, expected) => {
    for (const language of ['fa', 'zh', 'ar']) {
      const isPlural = JSON.stringify(inEnglish).includes('a_other');
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      write(language, isPlural ? Object.fromEntries(forms.map((form) => [`a_${form}`, '{{count}}'])) : inEnglish);
    }
    write('en', inEnglish);
    write('ru', inRussian);
    const found = problems().map((line) => line.replace(/(is not valid JSON: ).*/, '$1…'));
    if (expected.includes('…')) expect(found).toContain(expected[0]);
    else expect(found).toStrictEqual(expected);
  });

  it('in English is named: its format, its key, its plural forms', () => {
    for (const language of ['en', 'fa', 'ru', 'zh', 'ar']) write(language, { 'Bad-key': '{{x, sizes}}', b_other: '1' });
    expect(problems().filter((line) => line.includes('/en/'))).toStrictEqual([
      'locales/en/sample.json: Bad-key: is not a valid key',
      'locales/en/sample.json: b_one: is missing',
      'locales/en/sample.json: Bad-key: {{x, sizes}} has an unknown format',
    ]);
  });

  it.each(['why', 'reason', 'problem', 'problems', 'detail', 'what', 'rule'])(
    'with a text that any string could be is named: {{%s}} has no format, or one for values',
    (place) => {
      for (const language of ['en', 'fa', 'ru', 'zh', 'ar'])
        write(language, { a: `{{${place}}}`, b: `{{${place}, number}}`, c: `{{${place}, message}}` });
      const told = 'carries a text: add the format message or quoted';
      expect(problems().filter((line) => line.includes('/en/'))).toStrictEqual([
        `locales/en/sample.json: a: {{${place}}} ${told}`,
        `locales/en/sample.json: b: {{${place}, number}} ${told}`,
      ]);
    },
  );

  it.each(['۳ روز', '٣ أيام', '３天'])('with digits that parameters do not have is named: %s', (text) => {
    for (const language of ['en', 'fa', 'ru', 'zh', 'ar']) write(language, { a: language === 'fa' ? text : '3 days' });
    expect(problems()).toStrictEqual(['locales/fa/sample.json: a: has digits other than 0 to 9']);
  });

  it('that is missing is named', () => {
    rmSync(join(folder, 'zh/sample.json'));
    expect(problems()).toStrictEqual(['locales/zh/sample.json: is missing']);
  });
});

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.includes('.generated.'))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
}
