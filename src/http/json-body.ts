/** Levels of nesting in a body: code that comes after reads it recursively. */
const DEEPEST = 64;
export const MOST_FIELDS = 1000;

/** Why a body cannot be read; the message is for the caller. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

/** Where a text of JSON could write half a character, of which different readers make different texts. */
const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;
const HALF = /\p{Surrogate}/u;

/** JSON in UTF-8, not nested too deeply, whose texts are whole. */
export function readJson(bytes: Buffer): unknown {
  const text = utf8(bytes);
  if (tooDeep(text)) throw new BodyError(`The body is nested deeper than ${DEEPEST} levels`);
  try {
    // A member of this name would be an own property here, and the prototype of whatever it is copied to.
    if (!/__proto__|\\u00[57]/i.test(text) && !ESCAPED_HALF.test(text)) return JSON.parse(text) as unknown;
    return JSON.parse(text, (name, value: unknown) => {
      if (HALF.test(name) || (typeof value === 'string' && HALF.test(value)))
        throw new BodyError('The body holds text that is not valid Unicode');
      return name === '__proto__' ? undefined : value;
    }) as unknown;
  } catch (error) {
    if (error instanceof BodyError) throw error;
    throw new BodyError('The body is not valid JSON');
  }
}

/** Fields of a form; one that occurs several times, or whose name ends in `[]`, is a list. */
export function readFields(fields: Iterable<readonly [string, string]>): Record<string, string | string[]> {
  const read = Object.create(null) as Record<string, string | string[]>;
  let count = 0;
  for (const [written, value] of fields) {
    count += 1;
    if (count > MOST_FIELDS) throw new BodyError(`The form has more than ${MOST_FIELDS} fields`);
    if (HALF.test(written) || HALF.test(value)) throw new BodyError('The body holds text that is not valid Unicode');
    const list = written.endsWith('[]');
    const name = list ? written.slice(0, -2) : written;
    if (name === '__proto__') continue;
    const known = read[name];
    if (known === undefined) read[name] = list ? [value] : value;
    else if (typeof known === 'string') read[name] = [known, value];
    else known.push(value);
  }
  return read;
}

/** A form as a browser sends it by default. */
export function readForm(bytes: Buffer): Record<string, string | string[]> {
  const text = utf8(bytes);
  let ampersands = 0;
  for (let at = text.indexOf('&'); at >= 0 && ampersands <= MOST_FIELDS; at = text.indexOf('&', at + 1))
    ampersands += 1;
  if (ampersands >= MOST_FIELDS) throw new BodyError(`The form has more than ${MOST_FIELDS} fields`);
  return readFields(new URLSearchParams(text));
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BodyError('The body is not valid UTF-8');
  }
}

/** Counts brackets outside of strings, without parsing: the parser itself takes any depth, what follows does not. */
function tooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}

/** Where the string that begins at `start` ends. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && backslashesBefore(text, end) % 2 === 1) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text.charCodeAt(at - count - 1) === 0x5c) count += 1;
  return count;
}
