const HIDDEN = '…';
/** Shorter secrets are not redacted, because they would match ordinary words. */
const MIN_SECRET_CHARS = 8;

/** Credentials that are recognizable by their form, anywhere in a text. The patterns run in linear time. */
const shapes: readonly (readonly [RegExp, string])[] = [
  // The token of a chat bot, also in the URL of its API.
  [/\b(?:bot)?\d{5,20}:[\w-]{20,}/g, HIDDEN],
  [/\b(Bearer|Basic)(\s|%20)[\w.~+/=-]{12,}/gi, `$1 ${HIDDEN}`],
  [/\b(vmess|ssr):\/\/[\w+/=-]+/gi, `$1://${HIDDEN}`],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"'\\]+@/gi, `$1${HIDDEN}@`],
  [/(3x-ui=)[^;\s"\\]+/g, `$1${HIDDEN}`],
  [/([?&][\w-]{0,30}(?:token|secret|passw(?:or)?d|key|code|auth|sign)[\w-]{0,30}=)[^&\s"\\#]+/gi, `$1${HIDDEN}`],
];

/** Redacts everything that looks like a credential, and the given secrets. Safe for JSON lines: quotes are not changed. */
export function redact(line: string, secrets: Iterable<string> = []): string {
  let text = line;
  for (const [shape, instead] of shapes) text = text.replace(shape, instead);
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_CHARS) continue;
    const spelled = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, spelled, String(new URLSearchParams({ '': secret })).slice(1)]))
      text = text.replaceAll(form, HIDDEN);
  }
  return text;
}
