/** Schemes of links that end users may see. */
export const linkSchemes: readonly string[] = ['https', 'http', 'tg', 'mailto'];
/** Schemes of links that set up a client app; only such an app reads them. */
export const appSchemes: readonly string[] = [...linkSchemes, 'happ', 'incy', 'streisand', 'v2raytun'];

/** Browsers remove these characters from an address or interpret them differently. */
const NOT_IN_ADDRESSES = /[\p{Cc}\p{Cf}\p{Z}\\]/u;
const SCHEME = /^([a-z][a-z\d+.-]*):/i;

/** Whether a text is an address with one of the schemes and a host. */
export function isLink(text: string, schemes = linkSchemes): boolean {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme) || NOT_IN_ADDRESSES.test(text)) return false;
  if (scheme === 'mailto') return /^mailto:[^/]/i.test(text);
  if (!/^[^:]+:\/\/[^/]/.test(text) || !URL.canParse(text)) return false;
  return !/^https?$/.test(scheme) || new URL(text).hostname !== '';
}

/** The addresses of a list, separated by commas or spaces. An address may contain a comma itself. */
export function addressesIn(list: string): readonly string[] {
  return list === '' ? [] : list.split(/[\s,]+(?=https?:\/\/)/i);
}

/** The address if end users may see it, otherwise an empty string. */
export function safeLink(text: string): string {
  return isLink(text) ? text : '';
}

/** Schemes with which a browser runs or shows a text as a page, including `data:` followed by a comma. */
// Each repetition is bounded, so the time is linear in the length of the text.
const RUNS = /(?:java|vb)script:(?=\S)|data:[^\s,]{0,100},/i;
const ANY_LINK = /([a-z][a-z\d+.-]{0,40}):\/\//gi;
/** An address without a scheme, of which browsers and apps make a link. */
const SCHEMELESS = /(?:^|[\s"'(<])\/\/[\w-]+(?:\.[\w-]+)+/;

/** Whether all addresses in a text have one of the schemes. */
export function isSafeText(text: string, schemes = linkSchemes): boolean {
  const joined = text.replace(/[\p{Cc}\p{Cf}]/gu, '');
  if (RUNS.test(joined) || SCHEMELESS.test(text)) return false;
  return [...joined.matchAll(ANY_LINK)].every(([, scheme = '']) => schemes.includes(scheme.toLowerCase()));
}

/** The text if end users may see it, otherwise an empty string. */
export function safeText(text: string, schemes = linkSchemes): string {
  return isSafeText(text, schemes) ? text : '';
}
