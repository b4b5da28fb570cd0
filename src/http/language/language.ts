import type { IncomingHttpHeaders } from 'node:http';
import { type Language, languageNamed } from '../../messages/language.js';

/** Maximum bytes of a header that are examined, and maximum choices in it: more than any browser sends. */
const MAX_HEADER_CHARS = 4096;
const MAX_CHOICES = 32;
const CHOICE = /^\s*([a-z]{1,8}|\*)(?:-[a-z\d]{1,8}){0,8}\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** The language of a caller: the cookie `lang`, else the preferred one in `Accept-Language`, else English. */
export function languageOf(headers: IncomingHttpHeaders): Language {
  return fromCookie(headers.cookie) ?? fromAcceptLanguage(headers['accept-language']) ?? 'en';
}

/** Values as the pages of 3x-ui set them, `fa-IR` or `zh-TW`; unsupported languages are ignored. */
function fromCookie(header = ''): Language | undefined {
  if (!header.includes('lang=')) return undefined;
  const value = /(?:^|;)\s*lang=([^;]*)/.exec(header.slice(0, MAX_HEADER_CHARS))?.[1];
  return value === undefined ? undefined : languageNamed(value.replace(/^"|"$/g, '').trim().split(/[-_]/, 1)[0]);
}

/** The language with the highest weight, the first of equals. Weight 0 = not acceptable. */
function fromAcceptLanguage(header = ''): Language | undefined {
  let best: Language | undefined;
  let highest = 0;
  for (const part of header.slice(0, MAX_HEADER_CHARS).split(',', MAX_CHOICES)) {
    const [, name, weight = '1'] = CHOICE.exec(part) ?? [];
    const language = name === '*' ? 'en' : languageNamed(name);
    if (!language || Number(weight) <= highest) continue;
    best = language;
    highest = Number(weight);
  }
  return best;
}
