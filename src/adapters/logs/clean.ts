/** Characters that affect a terminal or a text field: control characters, Unicode line ends, changes of text direction. */
const ACTING = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\p{Cs}]/gu;

/** A line that is safe to show: active characters are escaped, and long lines are cut. */
export function cleanLine(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return cut.replace(ACTING, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}
