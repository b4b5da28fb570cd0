import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { LARGE_ANSWER } from '../live/outbox.js';
import { Connection } from './connection.js';
import { baseHeaders, type HeaderList, withBase } from './headers.js';

type Given = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

/**
 * The answer class of every server, also for answers that Node sends itself, such as 400 without a Host. It adds the base
 * headers of its server, holds back the next request of its connection, and is sent as its reader reads. Express replaces
 * its prototype, so it has no own fields.
 */
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...given);
    Connection.of(this.req.socket)?.begin(this.req, this);
  }

  override writeHead(status: number, reason?: string | Given, headers?: Given): this {
    if (typeof reason === 'string') return super.writeHead(status, reason, completed(this, headers));
    return super.writeHead(status, completed(this, reason ?? headers));
  }

  override end(...given: unknown[]): this {
    const [body, encoding] = given;
    const connection = Connection.of(this.req.socket);
    const isLarge = (typeof body === 'string' || Buffer.isBuffer(body)) && body.length > LARGE_ANSWER;
    if (!isLarge || !connection || this.req.method === 'HEAD')
      return super.end(...(given as Parameters<ServerResponse['end']>));
    const bytes = typeof body === 'string' ? Buffer.from(body, encodingOf(encoding)) : body;
    if (!this.headersSent && !this.hasHeader('content-length')) this.setHeader('Content-Length', bytes.length);
    const done = given.find((one): one is () => void => typeof one === 'function');
    connection.traffic.outbox.send(this, bytes, () => super.end(done));
    return this;
  }
}

/** Headers for `writeHead`, plus the base headers that are not set. */
function completed(res: ServerResponse, given: Given): OutgoingHttpHeader[] | undefined {
  const base: HeaderList = Connection.of(res.req.socket)?.traffic.headers(res.req) ?? baseHeaders;
  const own = Array.isArray(given)
    ? given
    : Object.entries(given ?? {}).flatMap(([name, value]) => [name, value ?? '']);
  if (res.getHeaderNames().length === 0) return withBase(base, own);
  for (let at = 0; at < own.length; at += 2) res.setHeader(String(own[at]), own[at + 1] ?? '');
  for (let at = 0; at < base.length; at += 2) {
    const [name = '', value = ''] = [base[at], base[at + 1]];
    if (!res.hasHeader(name)) res.setHeader(name, value);
  }
  return undefined;
}

function encodingOf(given: unknown): BufferEncoding {
  return typeof given === 'string' && Buffer.isEncoding(given) ? given : 'utf8';
}
