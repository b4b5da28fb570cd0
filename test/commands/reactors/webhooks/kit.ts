import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: { readonly type: string; readonly data: { readonly position: number } };
}

/** A receiver on loopback. `does.answer` decides about each request, which is in `all` before. */
export async function startReceiver(answer: RequestListener = (_req, res) => void res.writeHead(204).end()) {
  const all: Received[] = [];
  const does = { answer };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      all.push({ headers: req.headers, body, json: JSON.parse(body) as Received['json'] });
      does.answer(req, res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { all, does, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** Whether a request is signed with a secret, as the specification of Standard Webhooks tells receivers to check. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}
