const UNRESERVED = /^[\w.~-]*$/;

/** RFC 3986: all but the unreserved characters. A space is `%20`, because most apps keep a `+` as it stands. */
export function percentEncoded(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
