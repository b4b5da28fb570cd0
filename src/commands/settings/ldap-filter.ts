/** A comparison in parentheses; a value has no parenthesis or lone backslash of its own, they are written as `\28`. */
const COMPARISON = /\((?:[\w-]+[~<>]?=|[\w-]*(?::[\w.-]+)+:=|[\w-]+:=)(?:[^()\\\0]|\\[\da-f]{2})*\)/gi;
/** `\0` stands for a filter that was read already. */
const TOGETHER = /\((?:[&|]\0+|!\0)\)/g;

/** Whether a text is a search filter of a directory (RFC 4515), such as `(&(objectClass=person)(mail=*))`. */
export function isLdapFilter(text: string): boolean {
  if (text.includes('\0')) return false;
  let rest = (text.startsWith('(') ? text : `(${text})`).replaceAll(COMPARISON, '\0');
  for (let before = ''; rest !== before; ) {
    before = rest;
    rest = rest.replaceAll(TOGETHER, '\0');
  }
  return rest === '\0';
}
