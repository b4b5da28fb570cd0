import { secretsAt, type Webhook } from '../../../events/webhook/webhook-document.js';
import { message, type Text } from '../../../messages/message.js';
import { type Web, WebError } from '../../ports/web.js';
import { signedHeaders } from './signature.js';

/** The timeout of a request, in ms. */
const TIMEOUT_MS = 15_000;
/** Statuses in 4xx that a change of the receiver or a pause can solve: the same event is sent again. */
const TEMPORARY: ReadonlySet<number> = new Set([401, 403, 404, 407, 408, 409, 421, 423, 425, 429]);
const GONE = 410;
/** The longest `Retry-After` that is honoured, in ms. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What is sent: the id that stays the same for each attempt, and the body. */
export interface Delivery {
  readonly id: string;
  readonly body: string;
}

/** `rejected`: a retry of this event cannot succeed. `retryAfterMs`: as the receiver asks; 0 = it does not say. */
export type Outcome = { readonly status: number | null } & (
  | { readonly result: 'accepted' }
  | { readonly result: 'gone' | 'rejected' | 'failed'; readonly reason: Text; readonly retryAfterMs: number }
);

/** Sends one delivery once. Rejects when `signal` aborts. */
export async function attempt(
  web: Pick<Web, 'request'>,
  webhook: Webhook,
  { id, body }: Delivery,
  now: number,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const { status, headers } = await web.request(webhook.url, {
      method: 'POST',
      headers: signedHeaders(id, body, now, secretsAt(webhook, now)),
      body,
      timeoutMs: TIMEOUT_MS,
      // A redirect would send the event to an address that the admin did not choose.
      redirects: false,
      signal,
    });
    if (status >= 200 && status < 300) return { result: 'accepted', status };
    const retryAfterMs = Math.min(MAX_RETRY_AFTER_MS, Number(headers['retry-after'] ?? 0) * 1000 || 0);
    return { result: resultOf(status), status, reason: message('network.receiverStatus', { status }), retryAfterMs };
  } catch (error) {
    if (!(error instanceof WebError) || signal.aborted) throw error;
    const reason = error.kind === 'refused' ? message('network.receiverRefused') : error.text;
    return { result: 'failed', status: null, reason, retryAfterMs: 0 };
  }
}

function resultOf(status: number): 'gone' | 'rejected' | 'failed' {
  if (status === GONE) return 'gone';
  return status >= 400 && status < 500 && !TEMPORARY.has(status) ? 'rejected' : 'failed';
}
