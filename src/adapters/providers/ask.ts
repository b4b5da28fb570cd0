import { ProviderError } from '../../commands/ports/providers.js';
import { type Web, WebError, type WebRequest } from '../../commands/ports/web.js';
import { isObject, textOf } from '../../lib/json.js';
import { message, type Text, verbatim } from '../../messages/message.js';

/** Timeout of a request, in ms, and the largest answer, in bytes. */
const TIMEOUT_MS = 15_000;
const MAX_REPLY_BYTES = 10 * 1024 * 1024;

/** A provider's answer: JSON, as text and parsed. Rejects with `ProviderError`. */
export async function ask(web: Web, url: string, request: WebRequest): Promise<{ text: string; json: unknown }> {
  try {
    const { status, body } = await web.request(url, { timeoutMs: TIMEOUT_MS, limit: MAX_REPLY_BYTES, ...request });
    const text = body.toString('utf8');
    const json = parsed(text);
    if (status < 200 || status > 299)
      throw new ProviderError(providerMessage(json) ?? message('network.providerStatus', { status }));
    if (json === undefined) throw new ProviderError(message('network.providerNotJson'));
    return { text, json };
  } catch (error) {
    throw error instanceof WebError ? new ProviderError(error.text, { cause: error }) : error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first error that the provider names: `{errors: [{code, message}]}`. Null when it names none. */
export function providerMessage(answer: unknown): Text | null {
  const errors = isObject(answer) ? answer['errors'] : undefined;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  if (!isObject(first)) return null;
  const words = `${String(first['code'] ?? '')} ${textOf(first['message'])}`.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim();
  return words === '' ? null : verbatim(words.slice(0, 200));
}

/** A text member somewhere in an answer. Throws `ProviderError` where it is missing. */
export function textAt(answer: unknown, ...path: readonly string[]): string {
  let value = answer;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new ProviderError(message('network.providerFieldMissing', { field: path.join('.') }));
}
