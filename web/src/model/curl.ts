/** A POST as a form would send it. `url` is complete, with parameters and query. */
export interface FormRequest {
  readonly url: URL;
  /** The same, if the path contains a secret that has to be masked. */
  readonly maskedUrl?: URL;
  /** JSON, or the parts of an upload. */
  readonly body?: unknown;
}

/** What replaces a secret. */
export const MASK = '***';

const SECRET_NAME =
  /pass(word|phrase)?$|token$|secret|private_?key|pre_?shared|psk$|seed|^(auth|license|decryption|key|uuid|subid|code|twofactorcode)$|proxy$/i;
/** Values of these members that are choices. */
const CHOICES: ReadonlySet<string> = new Set(['', 'none', 'noauth', 'password', 'auto']);
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A body without its secrets: passwords, tokens, keys, and the ids that clients connect with. JSON in a text too. */
export function masked(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return maskedText(value, name);
  if (Array.isArray(value)) return value.map((one) => masked(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, masked(member, key)]));
}

function maskedText(text: string, name: string): string {
  if (SECRET_NAME.test(name) && !CHOICES.has(text)) return MASK;
  if (name === 'id' && UUID.test(text)) return MASK;
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.stringify(masked(JSON.parse(text)));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** JSON in which invisible characters are escaped: a mark of direction would reorder the rest of the command on the screen. */
const visible = (json: string): string =>
  json.replace(/[\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    [...Array(found.length).keys()]
      .map((index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );

function bodyArguments(body: unknown, hasSecrets: boolean): readonly string[] {
  if (body === undefined) return [];
  if (body instanceof FormData)
    return [...body].map(([name, part]) => {
      const text = typeof part === 'string' ? (hasSecrets ? part : maskedText(part, name)) : `@${part.name}`;
      return `-F ${quoted(`${name}=${text}`)}`;
    });
  const json = visible(JSON.stringify(hasSecrets ? body : masked(body), null, 2));
  return [`-H 'Content-Type: application/json'`, `--data-raw ${quoted(json)}`];
}

/**
 * The command that sends a request. The session never appears: routes below `panel/api` take an API token, the others take
 * a session, and both are variables of the shell.
 */
export function curlOf({ url, maskedUrl = url, body }: FormRequest, hasSecrets: boolean): string {
  const access = url.pathname.includes('/panel/api/')
    ? [`-H "Authorization: Bearer $TOKEN"`]
    : [`-H "Cookie: $SESSION_COOKIE"`, `-H "X-CSRF-Token: $CSRF_TOKEN"`];
  return [
    `curl -X POST ${quoted((hasSecrets ? url : maskedUrl).href)}`,
    ...access,
    ...bodyArguments(body, hasSecrets),
  ].join(' \\\n  ');
}
