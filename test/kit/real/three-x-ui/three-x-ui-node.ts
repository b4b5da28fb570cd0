import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that the panel understood. */
export interface NodeCall {
  readonly method: string;
  /** Below the base path. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As it was sent. */
  readonly body: string;
}

/** What a route answers: the envelope. A text alone is the sentence of a failure. */
export type NodeRoute = (
  call: NodeCall,
  match: RegExpExecArray,
) => { readonly obj?: unknown; readonly msg?: string } | string;

/** Takes a request away from the panel; false = the panel answers it. */
export type NodeFault = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Options {
  readonly token?: string;
  readonly basePath?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/**
 * A server on loopback that answers as a panel of 3x-ui 3.0 does: HTTP 200 and an envelope with a valid token;
 * otherwise, and for unknown paths, 404 with an empty body, or 401 if a header marks the request as one of a script.
 */
export class ThreeXuiNode {
  readonly token: string;
  readonly basePath: string;
  readonly calls: NodeCall[] = [];
  /** By method and path below the base path; the first that fits answers. */
  readonly routes: (readonly [string, RegExp, NodeRoute])[] = [
    ['GET', /^panel\/api\/server\/status$/, () => ({ obj: this.status })],
  ];
  /** As in the documents; null as in its first seconds. */
  status: Record<string, unknown> | null = {
    cpu: 12.5,
    cpuCores: 4,
    logicalPro: 8,
    cpuSpeedMhz: 2400,
    mem: { current: 2_147_483_648, total: 8_589_934_592 },
    swap: { current: 0, total: 0 },
    disk: { current: 53_687_091_200, total: 268_435_456_000 },
    xray: { state: 'running', errorMsg: '', version: '26.5.9' },
    uptime: 345_600,
    loads: [0.5, 0.3, 0.2],
    tcpCount: 42,
    udpCount: 7,
    netIO: { up: 1024, down: 2048 },
    netTraffic: { sent: 5_120_000, recv: 10_240_000 },
    publicIP: { ipv4: '203.0.113.7', ipv6: 'N/A' },
    appStats: { threads: 31, mem: 104_857_600, uptime: 8640 },
  };
  fault: NodeFault | null = null;
  /** Before each answer. */
  delayMs = 0;
  #knocks = 0;
  readonly #server: Server;

  private constructor({ token = 'node-token', basePath = '/', tls }: Options) {
    this.token = token;
    this.basePath = basePath;
    const answer = (request: IncomingMessage, response: ServerResponse): void => void this.#answer(request, response);
    this.#server = tls ? createTlsServer(tls, answer) : createServer(answer);
    this.#server.on('connection', () => (this.#knocks += 1));
  }

  static async start(options: Options = {}): Promise<ThreeXuiNode> {
    const node = new ThreeXuiNode(options);
    await new Promise<void>((resolve) => node.#server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that were made, whatever became of them. */
  get knocks(): number {
    return this.#knocks;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.fault?.(request, response)) return;
    let body = '';
    request.setEncoding('utf8');
    for await (const piece of request) body += piece as string;
    if (this.delayMs > 0) await sleep(this.delayMs);
    const { method = '', url = '', headers } = request;
    const path = url.startsWith(this.basePath) ? url.slice(this.basePath.length) : null;
    if (path === null) return void response.writeHead(404).end();
    if (headers.authorization !== `Bearer ${this.token}`)
      return void response.writeHead(headers['x-requested-with'] === 'XMLHttpRequest' ? 401 : 404).end();
    const call = { method, path, headers, body };
    this.calls.push(call);
    for (const [verb, pattern, route] of this.routes) {
      const match = verb === method ? pattern.exec(path) : null;
      if (!match) continue;
      const result = route(call, match);
      const failed = typeof result === 'string';
      const envelope = failed
        ? { success: false, msg: result, obj: null }
        : { success: true, msg: result.msg ?? '', obj: result.obj ?? null };
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(envelope));
      return;
    }
    response.writeHead(404).end();
  }
}
