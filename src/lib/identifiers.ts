/**
 * Characters that are invisible in a name or change the direction of the text around it: control and format characters
 * (including zero-width and bidirectional ones), default-ignorable characters, spaces other than U+0020, and the empty
 * braille pattern.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;

/** The first character of an identifier that is invisible or changes the text direction, as `U+200B`; null when there is none. */
export function hiddenIn(text: string): string | null {
  const code = HIDDEN.exec(text)?.[0].codePointAt(0);
  return code === undefined ? null : pointOf(code);
}

function pointOf(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Letters written from right to left, and letters written from left to right. */
const LEFTWARD =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const RIGHTWARD =
  /(?![\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}])\p{L}/u;

/**
 * As `hiddenIn`, and also the first right-to-left letter in a text that has left-to-right letters too: such a text is shown
 * in another order than it is stored, so two names can look the same.
 */
export function unclearIn(text: string): string | null {
  const leftward = RIGHTWARD.test(text) ? LEFTWARD.exec(text)?.[0].codePointAt(0) : undefined;
  return hiddenIn(text) ?? (leftward === undefined ? null : pointOf(leftward));
}

/** The normal form in which identifiers are stored (Unicode NFC). */
export const composed = (text: string): string => text.normalize('NFC');

/** Whether two names are equal after normalization. */
export const sameName = (a: string, b: string): boolean => a === b || composed(a) === composed(b);

/** The requested name in its normal form; the stored one if they are equal, since others may refer to it. */
export function keptName(asked: string, stored: string): string {
  return sameName(asked, stored) ? stored : composed(asked);
}

/** Letters of Cyrillic, Greek, Armenian and Latin that look like another Latin letter or a digit, in lower case. */
const LOOKS = pairs(
  'аaвbсcԁdеeєeғfһhнhіiїiӏlјjкkӄkмmпnоoрpԛqгrѕsтtуyүyѵvԝwшwхxьb',
  'αaβbςcεeηnιiκkνvοoσoρpτtυuχxγyωw',
  'օoսuհhոnցgզqյjքp',
  'ıiȷjłløođdħhŧtɑaɡgʀrþp0o1l|l',
);
/** Greek capitals that resemble other letters than their lower-case forms do. */
const CAPITALS = pairs('ΗHΜMΝNΥYΡPΧXΒBΙI');

function pairs(...lists: readonly string[]): ReadonlyMap<string, string> {
  const table = new Map<string, string>();
  for (const list of lists) for (let i = 0; i + 1 < list.length; i += 2) table.set(list[i] ?? '', list[i + 1] ?? '');
  return table;
}

/** A skeleton of a name without case, accents and scripts (after UTS 39, with a table for the names of admins). */
function skeleton(text: string): string {
  const capitals = [...text.normalize('NFKD')].map((letter) => CAPITALS.get(letter) ?? letter).join('');
  const letters = capitals.toLowerCase().replace(/[\p{M}\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '');
  return [...letters]
    .map((letter) => LOOKS.get(letter) ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

/** Whether two names look alike. A capital I also looks like a small l. */
export function looksLike(a: string, b: string): boolean {
  const shapes = (text: string): readonly string[] => [skeleton(text), skeleton(text.replaceAll('I', 'l'))];
  const others = new Set(shapes(b));
  return shapes(a).some((shape) => others.has(shape));
}
