import { JsonError, parseJson } from '../../lib/parse-json.js';
import { MessageError } from '../../messages/error.js';
import { message, type Text } from '../../messages/message.js';

export const MAX_FIELDS = 1000;

/** Why a body cannot be read, as an error for the caller. */
export class BodyError extends MessageError {
  override readonly name = 'BodyError';
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(text: Text, status = 400) {
    super(text);
    this.status = status;
  }
}

/** Where JSON can contain a lone surrogate, which parsers decode differently. */
const ESCAPED_HALF = /\\u[dD][89a-fA-F]/;
const HALF = /\p{Surrogate}/u;
const NOT_UNICODE = message('BODY_NOT_UNICODE');

/** Parses JSON in UTF-8 without lone surrogates; see `parseJson` for other restrictions. */
export function readJson(bytes: Buffer): unknown {
  const text = utf8(bytes);
  try {
    const value = parseJson(text);
    if (ESCAPED_HALF.test(text)) rejectLoneSurrogates(value);
    return value;
  } catch (error) {
    if (error instanceof JsonError) throw new BodyError(message('BODY_JSON_INVALID', { why: error.text }));
    throw error;
  }
}

/** `value` is not nested deeper than the parser allows. */
function rejectLoneSurrogates(value: unknown): void {
  if (typeof value === 'string' && HALF.test(value)) throw new BodyError(NOT_UNICODE);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (HALF.test(name)) throw new BodyError(NOT_UNICODE);
    rejectLoneSurrogates(member);
  }
}

/** Fields of a form; one that occurs several times, or whose name ends in `[]`, is a list. */
export function readFields(fields: Iterable<readonly [string, string]>): Record<string, string | string[]> {
  const read = Object.create(null) as Record<string, string | string[]>;
  let count = 0;
  for (const [written, value] of fields) {
    count += 1;
    if (count > MAX_FIELDS) throw new BodyError(message('FORM_TOO_MANY_FIELDS', { limit: MAX_FIELDS }));
    if (HALF.test(written) || HALF.test(value)) throw new BodyError(NOT_UNICODE);
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
  for (let at = text.indexOf('&'); at >= 0 && ampersands <= MAX_FIELDS; at = text.indexOf('&', at + 1)) ampersands += 1;
  if (ampersands >= MAX_FIELDS) throw new BodyError(message('FORM_TOO_MANY_FIELDS', { limit: MAX_FIELDS }));
  return readFields(new URLSearchParams(text));
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BodyError(message('BODY_NOT_UTF8'));
  }
}
