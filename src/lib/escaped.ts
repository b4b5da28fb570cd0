/** A text in which the matches of `hidden` are escaped as in JSON, by UTF-16 unit. */
export function escaped(text: string, hidden: RegExp): string {
  return text.replace(hidden, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}

/** An untrusted name in quotation marks, cut to 64 characters, without control or direction characters. */
export function quoted(name: string): string {
  return escaped(JSON.stringify(name.slice(0, 64)), /[\p{Cc}\p{Cf}\u2028\u2029]/gu);
}
