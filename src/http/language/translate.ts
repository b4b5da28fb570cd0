import { z } from 'zod';
import type { Rejection } from '../../commands/rejection.js';
import { textOfIssue } from '../../messages/issue.js';
import { directionOf, type Language } from '../../messages/language.js';
import type { Text } from '../../messages/message.js';
import { render, translateSentencesWith } from '../../messages/render.js';
import { ar } from './ar.js';
import type { Catalogue } from './catalogue.js';
import { fa } from './fa.js';
import { fill, Pattern } from './pattern.js';
import { ru } from './ru.js';
import { zh } from './zh.js';

type Foreign = Exclude<Language, 'en'>;
export const catalogues: Readonly<Record<Foreign, Catalogue>> = { fa, ru, zh, ar };

const { fa: zodFa, ru: zodRu, zhCN: zodZh, ar: zodAr } = z.locales;
const zodWords = { fa: zodFa, ru: zodRu, zh: zodZh, ar: zodAr };

/** The details that are sentences of ours. Others are names and numbers, whatever they look like. */
const PROSE: ReadonlySet<string> = new Set(['why', 'by', 'reason']);
/** A sentence in a sentence in a sentence. */
const DEEPEST = 3;
/** Longer texts are the words of others. */
const LONGEST = 4000;

/** A sentence of ours in the language of the caller. */
export function translated(text: Text | string, language: Language): string {
  return render(text, language);
}

translateSentencesWith((text, language) => (language === 'en' ? text : foreign(text, language, DEEPEST)));

/** A refusal in the language of the caller. */
export function explained({ text }: Rejection, language: Language): string {
  return render(text, language);
}

/** What is wrong with `value`, which `schema` has refused, with zod's own words in the language of the caller. */
export function issuesOf(
  schema: z.ZodType,
  value: unknown,
  refused: z.ZodError,
  language: Language,
): readonly z.core.$ZodIssue[] {
  const issues = language === 'en' ? refused.issues : inLanguage(schema, value, refused, language);
  return issues.map((issue) => ({ ...issue, message: translated(textOfIssue(issue.message), language) }));
}

/** The same issues, with zod's own words in another language. */
function inLanguage(
  schema: z.ZodType,
  value: unknown,
  refused: z.ZodError,
  language: Foreign,
): readonly z.core.$ZodIssue[] {
  return schema.safeParse(value, { error: zodWords[language]().localeError }).error?.issues ?? refused.issues;
}

function foreign(text: string, language: Foreign, depth: number): string {
  if (depth === 0 || text === '' || text.length > LONGEST) return text;
  const { sentences } = catalogues[language];
  const exact = Object.hasOwn(sentences, text) ? sentences[text] : undefined;
  if (exact !== undefined) return exact;
  for (const { pattern, sentence } of patternsOf(language)) {
    const details = pattern.match(text);
    if (details) return fill(sentence, (name) => detail(name, details.get(name) ?? '', language, depth - 1));
  }
  return text;
}

function detail(name: string, text: string, language: Foreign, depth: number): string {
  const told = PROSE.has(name) ? foreign(text, language, depth) : text;
  // Set apart, so that a name or an address does not tear the order of a line that runs from right to left.
  return directionOf(language) === 'rtl' && /[A-Za-z]/.test(told) ? `\u2068${told}\u2069` : told;
}

interface Told {
  readonly pattern: Pattern;
  readonly sentence: string;
}

const patterns = new Map<Foreign, readonly Told[]>();

/** The sentences with details, those first that say most. Made when somebody first speaks the language. */
function patternsOf(language: Foreign): readonly Told[] {
  const known = patterns.get(language);
  if (known) return known;
  const made = Object.entries(catalogues[language].sentences)
    .filter(([key]) => key.includes('{'))
    .map(([key, sentence]) => ({ pattern: new Pattern(key), sentence }))
    .sort((a, b) => b.pattern.weight - a.pattern.weight);
  patterns.set(language, made);
  return made;
}
