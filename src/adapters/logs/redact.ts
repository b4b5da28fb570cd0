const HIDDEN = '…';
/** A literal that is shorter would blot out ordinary words. */
const SHORTEST = 8;

/** Credentials that have a shape of their own, wherever they stand in a text. No shape takes longer than the text is long. */
const shapes: readonly (readonly [RegExp, string])[] = [
  // Of a chat bot, also in the path of its API.
  [/\b(?:bot)?\d{5,20}:[\w-]{20,}/g, HIDDEN],
  [/\b(Bearer|Basic)(\s|%20)[\w.~+/=-]{12,}/gi, `$1 ${HIDDEN}`],
  [/\b(vmess|ssr):\/\/[\w+/=-]+/gi, `$1://${HIDDEN}`],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"'\\]+@/gi, `$1${HIDDEN}@`],
  [/(3x-ui=)[^;\s"\\]+/g, `$1${HIDDEN}`],
  [/([?&][\w-]{0,30}(?:token|secret|passw(?:or)?d|key|code|auth|sign)[\w-]{0,30}=)[^&\s"\\#]+/gi, `$1${HIDDEN}`],
];

/** Hides what looks like a credential, and the secrets themselves. Safe on a line of JSON: no quote is touched. */
export function redact(line: string, secrets: Iterable<string> = []): string {
  let text = line;
  for (const [shape, instead] of shapes) text = text.replace(shape, instead);
  for (const secret of secrets) {
    if (secret.length < SHORTEST) continue;
    const spelled = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, spelled, String(new URLSearchParams({ '': secret })).slice(1)]))
      text = text.replaceAll(form, HIDDEN);
  }
  return text;
}
