const UNRESERVED = /^[\w.~-]*$/;

/** Encodes all but the unreserved characters of RFC 3986. A space is `%20`, because most apps do not decode `+`. */
export function percentEncoded(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
