/** A text with what `hidden` finds as JSON writes it: by its UTF-16 units. */
export function escaped(text: string, hidden: RegExp): string {
  return text.replace(hidden, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
}

/** A stranger's name in quotation marks, cut to 64 characters: nothing in it acts, or turns the line around. */
export function quoted(name: string): string {
  return escaped(JSON.stringify(name.slice(0, 64)), /[\p{Cc}\p{Cf}\u2028\u2029]/gu);
}
