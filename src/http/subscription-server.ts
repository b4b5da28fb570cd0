import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Settings } from '../events/settings.js';
import type { ReadModels } from '../projections/read-models.js';
import { type Format, formatNamed, formatOfApp } from '../projections/subscription/formats/format.js';
import { nameOf, type Peer, Peers } from './auth/peer.js';
import { Doors } from './door.js';
import type { HttpLog } from './http-log.js';
import { MissLimiter } from './miss-limiter.js';
import { type RenderedSubscription, SubscriptionCache, secretHeaders } from './subscription-cache.js';
import { type Addresses, showPage } from './subscription-page/show.js';

interface SubscriptionServerParts {
  readonly read: ReadModels;
  readonly now: () => number;
  /** The only name under which subscriptions are answered; empty = any. Links may name another already. */
  readonly subDomain: () => string;
  readonly log: HttpLog;
}

export interface SubscriptionServer {
  readonly doors: Doors;
  /** A door without TLS. */
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
export function createSubscriptionServer(parts: SubscriptionServerParts): SubscriptionServer {
  const { read, now, subDomain, log } = parts;
  const peers = new Peers(() => read.settings());
  const cache = new SubscriptionCache(read, now);
  const misses = new MissLimiter(now);

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    const settings = read.settings();
    const { path, query } = split(req.url ?? '');
    const asked = settings.subEnable ? askedFor(path, settings) : null;
    if (asked === null) return bare(res, 404);
    const isHead = req.method === 'HEAD';
    if (req.method !== 'GET' && !isHead) return bare(res, 405, ['Allow', 'GET, HEAD']);
    const peer = peers.of(req);
    if (peer.host === '') return bare(res, 400);
    const domain = subDomain();
    if (domain !== '' && peer.hostname !== nameOf(domain)) return bare(res, 403);
    const subId = decoded(asked.id);
    const { subPath, subURI } = settings;
    const url = subId === null ? '' : urlOf(peer, subURI, subPath, subId);
    const format = formatOf(req, query, asked.format, settings);
    const found = subId === null ? null : cache.get(subId, format, url, peer.hostname);
    if (subId === null || found === null) {
      return misses.take(peer.ip) ? bare(res, 404) : bare(res, 429, ['Retry-After', '60']);
    }
    if (asked.format === 'links' && wantsPage(req, query)) {
      const addresses = addressesOf(settings, peer, url, subId);
      const lang = new URLSearchParams(query).get('lang');
      return showPage(read, req, res, { subId, addresses, host: peer.hostname, now: now(), asked: lang });
    }
    send(req, res, found);
  };

  const answer: RequestListener = (req, res) => {
    try {
      serve(req, res);
    } catch (error) {
      log.error({ err: error }, 'a subscription could not be made');
      if (res.headersSent) res.destroy();
      else bare(res, 500);
    }
  };
  const doors = new Doors(answer);
  return {
    doors,
    listen: async (port, host) => (await doors.open(port, host)).address,
    close: () => doors.close(),
  };
}

/** The form whose path this is, and the last segment; null for any other path. */
function askedFor(path: string, settings: Settings): { readonly id: string; readonly format: Format } | null {
  const { subPath, subJsonEnable, subJsonPath, subClashEnable, subClashPath } = settings;
  const under = (prefix: string) => path.startsWith(prefix) && path.indexOf('/', prefix.length) < 0;
  if (under(subPath)) return { id: path.slice(subPath.length), format: 'links' };
  if (subJsonEnable && under(subJsonPath)) return { id: path.slice(subJsonPath.length), format: 'xray' };
  if (subClashEnable && under(subClashPath)) return { id: path.slice(subClashPath.length), format: 'clash' };
  return null;
}

/** By name, by path, by the app that asks: in this order. What the admin switched off is nobody's. */
function formatOf({ headers }: IncomingMessage, query: string, ofPath: Format, settings: Settings): Format {
  const isOn = (format: Format) =>
    format === 'xray' ? settings.subJsonEnable : format === 'clash' ? settings.subClashEnable : true;
  const named = query === '' ? null : formatNamed(new URLSearchParams(query).get('format') ?? '');
  if (named !== null && isOn(named)) return named;
  if (ofPath !== 'links') return ofPath;
  const expected = formatOfApp(headers['user-agent'] ?? '');
  return isOn(expected) ? expected : 'links';
}

function send(req: IncomingMessage, res: ServerResponse, found: RenderedSubscription): void {
  const { body, etag, headers } = found;
  if (body === null) return bare(res, 404);
  if (sameTag(req.headers['if-none-match'], etag)) {
    res.writeHead(304, ['ETag', etag, ...headers]);
    res.end();
    return;
  }
  const gzipped = takesGzip(req) ? found.gzipped() : null;
  const sent = gzipped ?? body;
  const own = ['ETag', etag, 'Content-Length', String(sent.length), ...(gzipped ? ['Content-Encoding', 'gzip'] : [])];
  res.writeHead(200, [...headers, ...own]);
  res.end(req.method === 'HEAD' ? undefined : sent);
}

function sameTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

function takesGzip({ headers }: IncomingMessage): boolean {
  const accepted = headers['accept-encoding'];
  return typeof accepted === 'string' && /(^|,)\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(accepted);
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

/** The URL under which the caller reached its subscription, or the one that the settings give. */
function urlOf({ host, secure }: Peer, uri: string, path: string, subId: string): string {
  const id = encodeURIComponent(subId);
  if (uri !== '') return `${uri}${uri.endsWith('/') ? '' : '/'}${id}`;
  const standard = secure ? ':443' : ':80';
  const shown = host.endsWith(standard) ? host.slice(0, -standard.length) : host;
  return `${secure ? 'https' : 'http'}://${shown}${path}${id}`;
}

function addressesOf(settings: Settings, peer: Peer, url: string, subId: string): Addresses {
  const { subJsonEnable, subJsonURI, subJsonPath, subClashEnable, subClashURI, subClashPath } = settings;
  return {
    url,
    jsonUrl: subJsonEnable ? urlOf(peer, subJsonURI, subJsonPath, subId) : null,
    clashUrl: subClashEnable ? urlOf(peer, subClashURI, subClashPath, subId) : null,
  };
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
