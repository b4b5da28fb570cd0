import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReadModels } from '../projections/read-models.js';
import { subscriptionHeaders } from '../projections/subscription/headers.js';
import { linksOf, linkUrl } from '../projections/subscription/links.js';
import { infoPage, infoPagePolicy } from '../projections/subscription/page.js';
import { type Peer, Peers } from './auth/peer.js';
import { subscribed } from './codec/links.js';
import type { HttpLog } from './http-log.js';
import { closeServer, hardenedServer, listen } from './listen.js';
import { MissLimiter } from './miss-limiter.js';
import { SubscriptionCache, secretHeaders, usagesOf } from './subscription-cache.js';

interface SubscriptionServerParts {
  readonly read: ReadModels;
  readonly now: () => number;
  readonly log: HttpLog;
}

export interface SubscriptionServer {
  readonly server: Server;
  listen(port: number, host: string): Promise<AddressInfo>;
  close(): Promise<void>;
}

/** Longer than any subId that the panel takes. */
const LONGEST_ID = 256;
/** Client apps that fetch with the Accept header of a browser and want links all the same. */
const APPS =
  /v2ray|clash|mihomo|sing-?box|hiddify|happ\/|streisand|shadowrocket|karing|nekobox|stash|surge|quantumult|loon/i;

/**
 * The server that client apps ask, without a login: the subId in the path is the secret. It runs on `node:http` alone
 * because this is the one answer that thousands of apps fetch in the same minute.
 */
export function createSubscriptionServer({ read, now, log }: SubscriptionServerParts): SubscriptionServer {
  const peers = new Peers(() => read.settings());
  const cache = new SubscriptionCache(read, now);
  const misses = new MissLimiter(now);

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    const { subEnable, subPath, subDomain } = read.settings();
    const { path, query } = split(req.url ?? '');
    if (!subEnable || !path.startsWith(subPath) || path.indexOf('/', subPath.length) >= 0) return bare(res, 404);
    const isHead = req.method === 'HEAD';
    if (req.method !== 'GET' && !isHead) return bare(res, 405, ['Allow', 'GET, HEAD']);
    const peer = peers.of(req);
    if (peer.host === '') return bare(res, 400);
    if (subDomain !== '' && peer.hostname !== nameOf(subDomain)) return bare(res, 403);
    const subId = decoded(path.slice(subPath.length));
    const url = subId === null ? '' : urlOf(read, peer, subId);
    const found = subId === null ? null : cache.get(subId, url, peer.hostname);
    if (subId === null || found === null) {
      return misses.take(peer.ip) ? bare(res, 404) : bare(res, 429, ['Retry-After', '60']);
    }
    if (wantsPage(req, query)) return showPage(res, isHead, pageOf(read, subId, url, peer.hostname, now()));
    res.writeHead(200, found.headers);
    res.end(isHead ? undefined : found.body);
  };

  const server = hardenedServer((req, res) => {
    try {
      serve(req, res);
    } catch (error) {
      log.error({ err: error }, 'a subscription could not be made');
      if (res.headersSent) res.destroy();
      else bare(res, 500);
    }
  });
  return { server, listen: (port, host) => listen(server, port, host), close: () => closeServer(server) };
}

/** An answer without a word. */
function bare(res: ServerResponse, status: number, headers: readonly string[] = []): void {
  res.writeHead(status, ['Content-Length', '0', ...secretHeaders, ...headers]);
  res.end();
}

function split(url: string): { path: string; query: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** The subId of a path, decoded once; null when it is not one. */
function decoded(text: string): string | null {
  if (text === '' || text.length > LONGEST_ID * 3) return null;
  if (!text.includes('%')) return text.length <= LONGEST_ID ? text : null;
  try {
    const subId = decodeURIComponent(text);
    return subId.length <= LONGEST_ID ? subId : null;
  } catch {
    return null;
  }
}

/** The settings may name the domain with a port. */
function nameOf(domain: string): string {
  return domain
    .toLowerCase()
    .replace(/^\[|\](:\d+)?$/g, '')
    .replace(/^([^:]+):\d+$/, '$1');
}

/** The URL under which the caller reached its subscription, or the one that the settings give. */
function urlOf(read: ReadModels, { host, secure }: Peer, subId: string): string {
  const { subURI, subPath } = read.settings();
  const id = encodeURIComponent(subId);
  if (subURI !== '') return `${subURI}${subURI.endsWith('/') ? '' : '/'}${id}`;
  const standard = secure ? ':443' : ':80';
  const shown = host.endsWith(standard) ? host.slice(0, -standard.length) : host;
  return `${secure ? 'https' : 'http'}://${shown}${subPath}${id}`;
}

/** A browser, or who asks for the page by name. */
function wantsPage({ headers }: IncomingMessage, query: string): boolean {
  if (query !== '') {
    const asked = new URLSearchParams(query);
    if (asked.get('html') === '1' || asked.get('view') === 'html') return true;
    if (asked.get('view') === 'raw') return false;
  }
  if (!headers.accept?.toLowerCase().includes('text/html')) return false;
  return !APPS.test(headers['user-agent'] ?? '');
}

interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

function pageOf(read: ReadModels, subId: string, url: string, host: string, now: number): Page {
  const settings = read.settings();
  const context = { host, settings, now, showInfo: false };
  const clients = usagesOf(read, read.clientsBySubId(subId));
  const links = subscribed(read, subId).flatMap(({ inbound, client }) =>
    linksOf(inbound, client, read.clientCounter(client), context).map((link) => ({
      name: link.name,
      url: linkUrl(link),
    })),
  );
  const { subTitle: title, subAnnounce: announce, subSupportUrl: supportUrl } = settings;
  const html = infoPage({ subId, title, announce, supportUrl, url, active: true, clients, links, now });
  return { html, headers: subscriptionHeaders({ clients, settings, url }) };
}

function showPage(res: ServerResponse, isHead: boolean, { html, headers }: Page): void {
  res.writeHead(200, [
    ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(Buffer.byteLength(html))],
    ...['Content-Security-Policy', infoPagePolicy, 'X-Content-Type-Options', 'nosniff', 'X-Frame-Options', 'DENY'],
    ...secretHeaders,
    ...Object.entries(headers).flat(),
  ]);
  res.end(isHead ? undefined : html);
}
