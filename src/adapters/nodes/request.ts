import { z } from 'zod';
import { type NodeAddress, NodeError, nodeUrl } from '../../commands/ports/remote-panel.js';
import { type Web, WebError } from '../../commands/ports/web.js';
import { FRESH_COUNTERS } from '../../lib/panel-wire.js';
import { message, type Text, verbatim } from '../../messages/message.js';

/** One request to the API of a remote panel. At most one of `form`, `json` and `body`. */
export interface NodeRequest {
  readonly method?: 'GET' | 'POST';
  /** Below the base path, without a leading slash: `panel/api/server/status`. */
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** A serialized body and its media type. */
  readonly body?: { readonly type: string; readonly content: Buffer };
  /** Asks for current counters; a 3x-ui ignores it. */
  readonly counters?: 'now';
  /** For the whole exchange, in ms; default 10 s. */
  readonly timeoutMs?: number;
  /** Largest accepted body, in bytes after decompression; default 1 MiB. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 10_000;
/** Characters of a remote panel's message that an error contains. */
const MAX_QUOTED_CHARS = 200;
const CERTIFICATE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

const Envelope = z.object({
  success: z.boolean(),
  msg: z.string().nullish(),
  obj: z.unknown().optional(),
});

/** Sends a request and resolves to the `obj` of the envelope, unchecked. Rejects with `NodeError`. */
export async function askNode(web: Web, node: NodeAddress, request: NodeRequest): Promise<unknown> {
  return openEnvelope(await fetchNode(web, node, request), node.token);
}

/** Sends a request and resolves to the body of a 200, unparsed. Rejects with `NodeError`. */
export async function fetchNode(web: Web, node: NodeAddress, request: NodeRequest): Promise<Buffer> {
  const { method = 'GET', path, timeoutMs = TIMEOUT_MS, limit, signal, counters } = request;
  const { type, body } = bodyOf(request);
  const headers = {
    accept: 'application/json',
    // With this header a panel replies 401 to a wrong token, and not 404.
    'x-requested-with': 'XMLHttpRequest',
    ...(node.token && { authorization: `Bearer ${node.token}` }),
    ...(type && { 'content-type': type }),
    ...(counters && { [FRESH_COUNTERS]: counters }),
  };
  const answer = await web
    .request(nodeUrl(node, path), {
      method,
      headers,
      timeoutMs,
      redirects: false,
      allowPrivate: node.allowPrivateAddress,
      ...(body !== null && { body }),
      ...(limit !== undefined && { limit }),
      ...(signal && { signal }),
    })
    .catch((error: unknown) => {
      throw asNodeError(node, error);
    });
  if (answer.status !== 200) throw new NodeError('status', statusText(answer.status), { status: answer.status });
  return answer.body;
}

/** The `obj` of an envelope. Throws `NodeError` 'invalid-reply' or 'declined'; `token` is removed from its text. */
export function openEnvelope(body: Buffer, token = ''): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new NodeError('invalid-reply', message('node.replyNotPanel'), { cause: error });
  }
  const envelope = Envelope.safeParse(parsed);
  if (!envelope.success) throw new NodeError('invalid-reply', message('node.replyNotPanel'));
  const { success, msg, obj } = envelope.data;
  if (!success) throw new NodeError('declined', message('node.declined', { why: verbatim(quoted(msg ?? '', token)) }));
  return obj ?? null;
}

function bodyOf({ form, json, body }: NodeRequest): { type: string | null; body: string | Buffer | null } {
  if (form !== undefined)
    return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) };
  if (body !== undefined) return { type: body.type, body: body.content };
  return { type: null, body: null };
}

function statusText(status: number): Text {
  if (status === 401 || status === 403) return message('node.statusToken', { status });
  if (status === 404) return message('node.statusNotFound');
  if (status >= 300 && status < 400) return message('node.statusRedirect', { status });
  return message('node.status', { status });
}

function asNodeError({ host }: NodeAddress, error: unknown): unknown {
  if (!(error instanceof WebError)) return error;
  const { kind, text, cause } = error;
  switch (kind) {
    case 'refused':
      return new NodeError('refused', message('node.addressBlocked', { host }), { cause: error });
    case 'timeout':
      return new NodeError('timeout', message('node.timeout', { host }), { cause: error });
    case 'too-large':
      return new NodeError('too-large', text, { cause: error });
    default: {
      const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
      if (!CERTIFICATE.test(code)) return new NodeError('unreachable', text, { cause: error });
      return new NodeError('certificate', message('node.certificate', { host, code }), { cause: error });
    }
  }
}

/** One line, without control characters. */
function quoted(text: string, token: string): string {
  const line = (token ? text.replaceAll(token, '…') : text).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > MAX_QUOTED_CHARS ? `${line.slice(0, MAX_QUOTED_CHARS)}…` : line;
}
