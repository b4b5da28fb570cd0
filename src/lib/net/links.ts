/** What a link may begin with that end users are shown. */
export const linkSchemes: readonly string[] = ['https', 'http', 'tg', 'mailto'];
/** Links by which the text of an admin sets a client app up; only such an app reads them. */
export const appSchemes: readonly string[] = [...linkSchemes, 'happ', 'incy', 'streisand', 'v2raytun'];

/** Browsers take these out of an address, or take them for something else. */
const NOT_IN_ADDRESSES = /[\p{Cc}\p{Cf}\p{Z}\\]/u;
const SCHEME = /^([a-z][a-z\d+.-]*):/i;

/** Whether a text is an address that begins with one of the schemes and leads somewhere. */
export function isLink(text: string, schemes = linkSchemes): boolean {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme) || NOT_IN_ADDRESSES.test(text)) return false;
  if (scheme === 'mailto') return /^mailto:[^/]/i.test(text);
  if (!/^[^:]+:\/\/[^/]/.test(text) || !URL.canParse(text)) return false;
  return !/^https?$/.test(scheme) || new URL(text).hostname !== '';
}

/** The address if end users may be shown it, else an empty text. */
export function safeLink(text: string): string {
  return isLink(text) ? text : '';
}

/** Schemes by which a browser runs or shows a text as a page of its own. A `data:` with a comma behind it is one. */
// Each repetition is bounded, so that a long text costs no more than its length.
const RUNS = /(?:java|vb)script:(?=\S)|data:[^\s,]{0,100},/i;
const ANY_LINK = /([a-z][a-z\d+.-]{0,40}):\/\//gi;
/** An address without a scheme, as browsers and apps make links of it. */
const SCHEMELESS = /(?:^|[\s"'(<])\/\/[\w-]+(?:\.[\w-]+)+/;

/** Whether a text for people names no address but those with one of the schemes. */
export function isSafeText(text: string, schemes = linkSchemes): boolean {
  const joined = text.replace(/[\p{Cc}\p{Cf}]/gu, '');
  if (RUNS.test(joined) || SCHEMELESS.test(text)) return false;
  return [...joined.matchAll(ANY_LINK)].every(([, scheme = '']) => schemes.includes(scheme.toLowerCase()));
}

/** The text if end users may be shown it, else an empty text. */
export function safeText(text: string, schemes = linkSchemes): string {
  return isSafeText(text, schemes) ? text : '';
}
