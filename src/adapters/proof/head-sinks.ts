import { type HeadSinks, SinkError, type SinkPlace } from '../../commands/ports/head-sinks.js';
import { type Web, WebError } from '../../commands/ports/web.js';
import { isObject } from '../../lib/json.js';
import type { SignedHead } from '../../lib/proof/signed-head.js';
import { message, verbatim } from '../../messages/message.js';
import { appendHeads } from './file-sink.js';
import { commitHeads } from './git-sink.js';

const TIMEOUT_MS = 10_000;
/** Size limit of an answer, in bytes. */
const MAX_ANSWER = 64 * 1024;
const MAX_QUOTED_CHARS = 200;
/** The route of another panel that stores heads. */
const RECEIVED = 'panel/api/proof/received';

interface Parts {
  readonly web: Pick<Web, 'request'>;
  readonly dataDir: string;
  /** Sends the newest head to the chats of the bot. Rejects with `SinkError`. */
  readonly chat: (head: SignedHead) => Promise<void>;
}

/** The places in the settings to which heads are published. Every request goes through the guarded `Web`. */
export function createHeadSinks({ web, dataDir, chat }: Parts): HeadSinks {
  const post = (url: string, head: SignedHead, publicKey: string, signal: AbortSignal, token = '') =>
    web
      .request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          ...(token && { authorization: `Bearer ${token}`, 'x-requested-with': 'XMLHttpRequest' }),
        },
        body: JSON.stringify({ ...head, publicKey }),
        ...{ timeoutMs: TIMEOUT_MS, limit: MAX_ANSWER, redirects: false, signal },
      })
      .catch((error: unknown) => {
        throw error instanceof WebError ? refusal(error) : error;
      });

  const send = async ({ sink, target, token }: SinkPlace, head: SignedHead, key: string, signal: AbortSignal) => {
    const url = sink === 'panel' ? `${target.replace(/\/+$/, '')}/${RECEIVED}` : target;
    const { status, body } = await post(url, head, key, signal, token);
    if (sink === 'panel') assertStored(status, body, token);
    else if (status < 200 || status > 299) throw new SinkError(message('network.receiverStatus', { status }));
  };

  return {
    async publish(place, heads, publicKey, signal) {
      const last = heads.at(-1);
      switch (place.sink) {
        case 'file':
          return appendHeads(place.target, heads, dataDir);
        case 'git':
          return commitHeads(place.target, heads, { dataDir, signal });
        case 'chat':
          return last && chat(last);
        case 'webhook':
        case 'panel':
          for (const head of heads) await send(place, head, publicKey, signal);
          return undefined;
        default:
          return place.sink satisfies never;
      }
    },
  };
}

function refusal(error: WebError): SinkError {
  const text = error.kind === 'refused' ? message('network.receiverRefused') : error.text;
  return new SinkError(text, { cause: error });
}

/** Throws `SinkError` unless the answer is the envelope of a success. */
function assertStored(status: number, body: Buffer, token: string): void {
  const envelope = parsed(body);
  if (status !== 200 || !isObject(envelope) || typeof envelope['success'] !== 'boolean')
    throw new SinkError(message('proof.panelNotPortolan'));
  if (envelope['success']) return;
  const said = String(envelope['msg'] ?? '').replaceAll(/\p{Cc}/gu, ' ');
  const why = verbatim((token === '' ? said : said.replaceAll(token, '…')).slice(0, MAX_QUOTED_CHARS));
  throw new SinkError(message('proof.panelRefused', { why }));
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return null;
  }
}
