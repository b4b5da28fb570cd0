// npm run messages: checks the texts in `locales/` and generates the types of their codes and parameters.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { languages } from '../src/messages/language.js';

const root = resolve(import.meta.dirname, '..');
export const generatedFile = 'src/messages/codes.generated.ts';

/** The TypeScript type of a parameter by its format: `{{size, bytes}}`. Without a format the value is shown unchanged. */
const FORMATS: Readonly<Record<string, string>> = {
  '': 'string | number',
  number: 'number',
  bytes: 'number',
  byteCount: 'number',
  time: 'number',
  utc: 'number',
  duration: 'number',
  quoted: 'string | number',
  list: 'readonly (string | number)[]',
  message: 'Text',
  messages: 'readonly Text[]',
  lines: 'readonly Text[]',
};
/** These types and the parameters refer to each other, so they are generated into one file. */
const TYPES = `
/** \`area.key\` of a text in \`locales/\`; the code of a rejection has no area and is in upper case. */
export type MessageCode = keyof MessageParams;

/** A text for people: its code and its parameters. A plain object, so that events and answers can contain it. */
export interface Message<C extends MessageCode = MessageCode> {
  readonly code: C;
  readonly params: MessageParams[C];
}

/** Output of another program, not translated: an error of the core, the reply of a server, an errno. */
export interface Verbatim {
  readonly verbatim: string;
}

export type Text = Message | Verbatim;

type None = Readonly<Record<never, never>>;
`;
/**
 * Names of parameters that carry a whole text. A plain parameter would accept an English sentence, so these need a format:
 * `message` for a message or `verbatim`, `quoted` for words of another program.
 */
const SENTENCE =
  /^(?:why|reason|cause|problem|detail|error|fault|what|rule|effect|remedy|whys|remedies|(?:reason|cause|problem|detail|error|fault|rule|effect)s)$/;
const CARRIERS: ReadonlySet<string> = new Set(['message', 'messages', 'lines', 'quoted']);
/** `client_one`, `client_other`: forms of one message, chosen by `count`. */
const FORM = /^([a-z]\w*)_(zero|one|two|few|many|other)$/;
/** Rejections have upper-case codes without an area. */
const KEYS: Readonly<Record<string, RegExp>> = { rejections: /^[A-Z][A-Z0-9_]*$/ };
const KEY = /^[a-z][a-zA-Z0-9]*$/;
const PLACE = /\{\{(\w+)(?:, (\w+))?\}\}/g;

/** The texts of a language: area → key → text. */
type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** All problems of the texts, one line each, with file and key. */
export class LocaleError extends Error {
  override readonly name = 'LocaleError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The generated module for the texts in this folder. Throws `LocaleError`. */
export function generate(folder: string): string {
  const problems: string[] = [];
  const english = read(folder, 'en', problems);
  const types = Object.entries(english).flatMap(([area, texts]) => {
    const file = `locales/en/${area}.json`;
    for (const key of Object.keys(texts)) {
      const name = FORM.exec(key)?.[1] ?? key;
      if (!(KEYS[area] ?? KEY).test(name)) problems.push(`${file}: ${key}: is not a valid key`);
    }
    problems.push(...formProblems(file, 'en', texts, new Set(Object.keys(texts).map(nameOf))));
    return [...messagesOf(texts)].map(([name, forms]) => {
      const places = placesOf(file, name, Object.values(forms), problems);
      if (forms['other'] !== undefined && !/\{\{count\b/.test(Object.values(forms).join()))
        places.set('count', 'number');
      return typeLine(area === 'rejections' ? name : `${area}.${name}`, places);
    });
  });
  for (const language of languages) {
    if (language !== 'en') problems.push(...compared(folder, language, english));
  }
  if (problems.length > 0) throw new LocaleError(problems);
  return [
    '// Written by `npm run messages` from locales/en. Do not edit.',
    TYPES,
    '/** The files of each language. */',
    `export const areas = [${Object.keys(english).map(quoted).join(', ')}] as const;`,
    '',
    '/** What stands in each message, by its code. */',
    'export interface MessageParams {',
    ...types,
    '}',
    '',
  ].join('\n');
}

const quoted = (text: string): string => `'${text}'`;

function typeLine(code: string, places: ReadonlyMap<string, string>): string {
  const members = [...places].map(([name, format]) => {
    const type = name === 'count' ? 'number' : (FORMATS[format] ?? 'never');
    return `readonly ${name}: ${type}`;
  });
  return `  '${code}': ${members.length === 0 ? 'None' : `{ ${members.join('; ')} }`};`;
}

function read(folder: string, language: string, problems: string[]): Texts {
  const files = readdirSync(join(folder, language)).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    files
      .sort()
      .map((name) => [
        name.slice(0, -'.json'.length),
        readArea(join(folder, language, name), `locales/${language}/${name}`, problems),
      ]),
  );
}

function readArea(path: string, file: string, problems: string[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  const source = readFileSync(path, 'utf8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch (error) {
    problems.push(`${file}: is not valid JSON: ${error instanceof Error ? error.message : error}`);
    return texts;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    problems.push(`${file}: is not an object of keys and texts`);
    return texts;
  }
  for (const [key, text] of Object.entries(parsed)) {
    if (typeof text !== 'string') problems.push(`${file}: ${key}: is not a string`);
    else if (text.trim() === '') problems.push(`${file}: ${key}: is empty`);
    else texts[key] = text;
  }
  // `JSON.parse` silently uses the last of several members with the same name.
  const written = [...source.matchAll(/^ {2}("(?:[^"\\]|\\.)*"):/gm)].map(([, key = '']) => JSON.parse(key) as string);
  for (const key of new Set(written.filter((one, at) => written.indexOf(one) !== at)))
    problems.push(`${file}: ${key}: occurs twice`);
  return texts;
}

const nameOf = (key: string): string => FORM.exec(key)?.[1] ?? key;

/** The plural forms of each message: `other` and the rest, or one form under the empty name. */
function messagesOf(texts: Readonly<Record<string, string>>): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const messages = new Map<string, Record<string, string>>();
  for (const [key, text] of Object.entries(texts)) {
    const [, name = key, form = ''] = FORM.exec(key) ?? [];
    messages.set(name, { ...messages.get(name), [form]: text });
  }
  return messages;
}

/** The parameters of all forms of a message, with their formats. */
function placesOf(file: string, key: string, forms: readonly string[], problems: string[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const text of forms) {
    for (const [, name = '', format = ''] of text.matchAll(PLACE)) {
      if (!Object.hasOwn(FORMATS, format))
        problems.push(`${file}: ${key}: {{${name}, ${format}}} has an unknown format`);
      else if (SENTENCE.test(name) && !CARRIERS.has(format))
        problems.push(`${file}: ${key}: ${written(name, format)} carries a text: add the format message or quoted`);
      const other = places.get(name);
      if (other !== undefined && other !== format) problems.push(`${file}: ${key}: {{${name}}} has two formats`);
      places.set(name, format);
    }
    if (/(?![0-9])\p{Nd}/u.test(text)) problems.push(`${file}: ${key}: has digits other than 0 to 9`);
    if (/\{\{|\}\}|\$t\(/.test(text.replaceAll(PLACE, ''))) problems.push(`${file}: ${key}: has a broken placeholder`);
  }
  return places;
}

/** Checks that each plural message has exactly the plural forms of its language. `names`: the expected messages. */
function formProblems(
  file: string,
  language: string,
  texts: Readonly<Record<string, string>>,
  names: ReadonlySet<string>,
): readonly string[] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  return [...messagesOf(texts)].flatMap(([name, forms]) => {
    if (!names.has(name) || forms[''] !== undefined) return [];
    const missing = pluralCategories.filter((form) => forms[form] === undefined);
    const foreign = Object.keys(forms).filter((form) => !pluralCategories.some((one) => one === form));
    return [
      ...missing.map((form) => `${file}: ${name}_${form}: is missing`),
      ...foreign.map((form) => `${file}: ${name}_${form}: is not a plural form of this language`),
    ];
  });
}

/** Checks that a language has the same keys and placeholders as English. */
function compared(folder: string, language: string, english: Texts): readonly string[] {
  const problems: string[] = [];
  const texts = read(folder, language, problems);
  for (const area of Object.keys(texts))
    if (!Object.hasOwn(english, area)) problems.push(`locales/${language}/${area}.json: has no file in locales/en`);
  for (const [area, own] of Object.entries(english)) {
    const file = `locales/${language}/${area}.json`;
    const there = texts[area];
    if (there === undefined) problems.push(`${file}: is missing`);
    else if (!problems.some((line) => line.startsWith(`${file}: is not`)))
      problems.push(...areaProblems(file, language, own, there));
  }
  return problems;
}

function areaProblems(
  file: string,
  language: string,
  english: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>>,
): readonly string[] {
  const problems: string[] = [];
  const expected = messagesOf(english);
  const found = messagesOf(texts);
  for (const name of found.keys())
    if (!expected.has(name)) problems.push(`${file}: ${name}: is not a key of locales/en`);
  for (const [name, forms] of expected) {
    const own = found.get(name);
    if (own === undefined || (own[''] === undefined) !== (forms[''] === undefined)) {
      problems.push(`${file}: ${name}: is missing`);
      continue;
    }
    const wanted = placesOf(file, name, Object.values(forms), []);
    const there = placesOf(file, name, Object.values(own), problems);
    for (const [place, format] of wanted)
      if (there.get(place) !== format) problems.push(`${file}: ${name}: ${written(place, format)} is missing`);
    for (const [place, format] of there)
      if (!wanted.has(place)) problems.push(`${file}: ${name}: ${written(place, format)} is not in the English text`);
  }
  return [...problems, ...formProblems(file, language, texts, new Set(expected.keys()))];
}

const written = (place: string, format: string): string => (format === '' ? `{{${place}}}` : `{{${place}, ${format}}}`);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const path = join(root, generatedFile);
    const text = generate(join(root, 'locales'));
    // An unchanged file keeps its modification time, by which the build detects changes.
    if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  } catch (error) {
    if (!(error instanceof LocaleError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
