import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The format of a value, as far as the specification defines it. */
export type Shape =
  | 'any'
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | { readonly list: Shape }
  | { readonly members: Readonly<Record<string, Shape>> };

export interface Field {
  readonly name: string;
  readonly shape: Shape;
}

/** One endpoint of part 4. */
export interface Row {
  readonly section: string;
  readonly method: string;
  readonly path: string;
  /** The members of the body that the row names. */
  readonly body: readonly Field[];
  /** Values that a parameter of the path takes, where the row lists them. */
  readonly metrics: readonly string[];
  readonly reply: Shape;
}

const document = readFileSync(join(import.meta.dirname, '../specification.md'), 'utf8');
const sections = new Map(
  document
    .split(/^#{2,3} /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

/** The cells of every table under a heading, without header rows. */
function tablesUnder(heading: string): readonly (readonly (readonly string[])[])[] {
  const section = [...sections].find(([name]) => name.startsWith(heading))?.[1];
  if (!section) throw new Error(`The specification has no part "${heading}"`);
  const tables = section.split(/\n\s*\n/).filter((block) => block.startsWith('|'));
  return tables.map((table) => {
    const [, , ...rows] = table.trim().split('\n');
    return rows.map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  });
}

const PRIMITIVES: readonly (readonly [RegExp, Shape])[] = [
  [/^number\b/, 'number'],
  [/^string\b/, 'string'],
  [/^boolean\b/, 'boolean'],
];

/** `object {current: number, total: number} bytes`, `array of client traffic`, `string`. */
function shapeOf(text: string): Shape {
  const known = PRIMITIVES.find(([pattern]) => pattern.test(text))?.[1];
  if (known) return known;
  if (text.startsWith('list of CIDR')) return { list: 'string' };
  if (text.startsWith('array of client traffic')) return { list: resource('Client traffic') };
  const inBraces = /\{(.*)\}/.exec(text)?.[1];
  if (inBraces === undefined) throw new Error(`The type "${text}" is not understood`);
  return { members: membersOf(inBraces) };
}

/** `a: string, b, c: number`: members without a type have that of the next member with one. */
function membersOf(text: string): Record<string, Shape> {
  const parts = splitAtCommas(text).map((part) => /^(\w+)(?::\s*(.*))?$/.exec(part.trim()));
  const members: Record<string, Shape> = {};
  let waiting: string[] = [];
  for (const part of parts) {
    if (!part) throw new Error(`The members "${text}" are not understood`);
    waiting.push(part[1] ?? '');
    if (part[2] === undefined) continue;
    const shape = part[2].startsWith('array of {')
      ? { list: shapeOf(part[2]) }
      : part[2] === 'array'
        ? { list: 'any' as const }
        : shapeOf(part[2]);
    for (const name of waiting) members[name] = shape;
    waiting = [];
  }
  const ofNodes = new Map(fieldsOf('Node').map((field) => [field.name, field.shape]));
  for (const name of waiting) members[name] = ofNodes.get(name) ?? 'string';
  return members;
}

function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    if ('({'.includes(character) && character !== '') depth += 1;
    if (')}'.includes(character) && character !== '') depth -= 1;
    if (at === text.length || (depth === 0 && (character === ',' || character === ';'))) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return parts;
}

/** The fields of a resource of part 2. */
export function fieldsOf(heading: string): readonly Field[] {
  return (tablesUnder(heading)[0] ?? []).flatMap(([names = '', type = '']) => {
    const listed = /`(\w+)`/.exec(names)?.[1] ?? names;
    return listed
      .split(',')
      .map((name) => name.trim())
      .filter((name) => /^\w+$/.test(name))
      .map((name) => ({ name, shape: shapeOf(type) }));
  });
}

function resource(heading: string): Shape {
  return { members: Object.fromEntries(fieldsOf(heading).map(({ name, shape }) => [name, shape])) };
}

const sample: Shape = { members: { t: 'number', v: 'number' } };
/** The shapes that a response describes in words; the first match applies. */
const WORDS: readonly (readonly [RegExp, () => Shape])[] = [
  [/^obj = array of inbound\b/, () => ({ list: resource('Inbound') })],
  [/^obj = inbound$/, () => resource('Inbound')],
  [/^obj = client traffic$/, () => resource('Client traffic')],
  [/^obj = array of node$/, () => ({ list: resource('Node') })],
  [/^obj = node$/, () => resource('Node')],
  [/^obj = server status object/, () => resource('Server status object')],
  [/^obj = settings object/, () => 'object'],
  [/^((obj = )?array of history samples$|legacy CPU history)/, () => ({ list: sample })],
  [/^obj = array of \{/, () => ({ list: 'any' })],
  [/^obj = array of .*strings?\b/, () => ({ list: 'string' })],
  [/^obj = (boolean)$/, () => 'boolean'],
  [/^obj = (CSRF token string|UUID v4 string|Bearer token string|new token|string of log lines)/, () => 'string'],
  [/^obj = the assembled running core config$/, () => 'object'],
  [/^per-outbound up, down, total$/, () => ({ list: { members: { up: 'number', down: 'number', total: 'number' } } })],
  [/^built-in default core config template$/, () => 'object'],
  [/^same as the settings default config endpoint$/, () => 'object'],
  [
    /^(whether a newer panel release exists|test result|state of core runtime metrics|latest observatory snapshot)/,
    () => 'any',
  ],
  [/^(latest core process output)$/, () => 'string'],
  [/^defaults computed from the request host$/, () => 'object'],
  [/^(array of sources|aliases usable)/, () => 'any'],
  [/^(envelope|database file as attachment)/, () => 'any'],
  [/^$/, () => 'any'],
];

function replyOf(text: string): Shape {
  const list = /^obj = array of (\{.*\})$/.exec(text)?.[1];
  if (list) return { list: shapeOf(list.replace(/ unix seconds/, '')) };
  const object = /^obj (\{.*\})$/.exec(text)?.[1];
  if (object) return { members: membersOf(withoutNotes(object.slice(1, -1))) };
  const known = WORDS.find(([pattern]) => pattern.test(text));
  if (!known) throw new Error(`The response "${text}" is not understood`);
  return known[1]();
}

const withoutNotes = (text: string): string => text.replace(/ \([^)]*\)/g, '');

function bodyOf(text: string, others: ReadonlyMap<string, readonly Field[]>): readonly Field[] {
  const like = /body (?:same shape as|as) (\/\w+)/.exec(text)?.[1];
  if (like) return others.get(like) ?? [];
  if (/body mirrors \/all/.test(text)) return fieldsOf('Settings');
  if (/by key/.test(text)) return [{ name: 'key', shape: 'string' }];
  const forms = [...text.matchAll(/\(form ([^)]+) required\)/g)].flatMap(([, names = '']) => names.split(','));
  if (forms.length > 0) return forms.map((name) => ({ name: name.trim(), shape: 'string' }));
  const asked = /(?:body:?|\(form\)|\(multipart\))\s*(.*)$/.exec(text)?.[1];
  if (asked === undefined) return [];
  const known = new Map(fieldsOf('Inbound').map((field) => [field.name, field]));
  const members = asked.startsWith('{') ? asked.slice(1, asked.lastIndexOf('}')) : asked;
  return splitAtCommas(members).flatMap((part) => {
    const [, name = '', note = ''] = /^(\w+)(?:(?::| \(| (?=string|optional))\s*(.*))?$/.exec(part.trim()) ?? [];
    if (name === '' || / = /.test(part.replace(/\(.*\)/, '').replace(/:.*/, ''))) return [];
    if (note.startsWith('string array')) return [{ name, shape: { list: 'string' } }];
    const primitive = PRIMITIVES.find(([pattern]) => pattern.test(note))?.[1];
    return [primitive ? { name, shape: primitive } : (known.get(name) ?? { name, shape: 'string' })];
  });
}

/** Every endpoint of the panel in part 4: 4.1 to 4.8. */
export function rows(): readonly Row[] {
  const headings = [...sections.keys()].filter((name) => /^4\.[1-8] /.test(name));
  return headings.flatMap((heading) => {
    const prefix = /\(prefix (\S+)\)/.exec(heading)?.[1] ?? '';
    const bodies = new Map<string, readonly Field[]>();
    return (tablesUnder(heading)[0] ?? []).map(([method = '', path = '', request = '', response = '']) => {
      const body = bodyOf(request, bodies);
      bodies.set(path, body);
      const metrics = /metric in ([\w, ]+)/.exec(request)?.[1]?.split(', ') ?? [];
      return { section: heading, method, path: prefix + path, body, metrics, reply: replyOf(response) };
    });
  });
}

/** The names in the first column of a table of 4.9. */
export function subscriptionHeaders(): readonly string[] {
  return (tablesUnder('4.9')[1] ?? []).map(([name = '']) => name);
}

/** Paths of the subscription server. */
export const subscriptionPaths = (): readonly string[] => (tablesUnder('4.9')[0] ?? []).map(([, path = '']) => path);
