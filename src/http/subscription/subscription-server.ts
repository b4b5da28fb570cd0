import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Settings } from '../../events/settings/settings.js';
import { languageNamed } from '../../messages/language.js';
import type { Format } from '../../projections/subscription/formats/format.js';
import type { SubscriptionModels } from '../../projections/subscription/models.js';
import { languageOf } from '../language/language.js';
import { nameOf, type Peer, Peers } from '../panel/auth/peer.js';
import { Admission, type AdmissionRules } from '../server/admission.js';
import type { HttpLog } from '../server/http-log.js';
import { Endpoints, type Sharing } from '../server/listening/endpoint.js';
import { MissLimiter } from '../server/miss-limiter.js';
import { invalidSettingsWarning } from './invalid-settings.js';
import { systemOf } from './page/apps.js';
import { subscriptionPage } from './page/show.js';
import { secretHeaders, subscriptionIn } from './subscription-answers.js';
import { type Rendered, SubscriptionCache } from './subscription-cache.js';
import { askedFor, formatOf, hasTag, split, takesGzip, urlOf, urlsOf, wantsPage } from './subscription-request.js';

interface SubscriptionServerParts {
  readonly read: SubscriptionModels;
  readonly now: () => number;
  /** The only host name that the server accepts; empty = any. Links may have another one. */
  readonly subDomain: () => string;
  readonly log: HttpLog;
  readonly admission?: AdmissionRules;
  /** Called before each answer: brings `read` up to the head of the log. */
  readonly catchUp?: () => void;
  readonly misses?: MissLimiter;
  readonly sharing?: Sharing | undefined;
}

/** Enough for the apps of a mobile network behind one address that fetch in the same seconds. */
const USUAL: AdmissionRules = { most: 2048, mostOfOne: 256, budgetMs: 3, requestMs: 0 };

interface SubscriptionServer {
  readonly endpoints: Endpoints;
  /** Counts requests that found nothing. */
  readonly misses: MissLimiter;
  /** An endpoint without TLS. */
  listen(port: number, host: string): Promise<AddressInfo>;
  close(): Promise<void>;
}

/**
 * The server for client apps. It needs no login: the subId in the path is the secret. It runs on `node:http` alone, because
 * thousands of apps fetch in the same minute. Everything that is not found has the same answer, and a rejection by method or
 * headers is the same at every path, so that no answer helps guessing.
 */
export function createSubscriptionServer(parts: SubscriptionServerParts): SubscriptionServer {
  const { read, now, subDomain, log, catchUp, misses = new MissLimiter(now), sharing } = parts;
  const peers = new Peers(() => read.settings.current());
  const cache = new SubscriptionCache(read, now);
  const warnOfInvalid = invalidSettingsWarning(log);
  const admission = new Admission(peers, parts.admission ?? USUAL);

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    catchUp?.();
    const settings = read.settings.current();
    if (!settings.subEnable) return bare(res, 404);
    if (req.method !== 'GET' && req.method !== 'HEAD') return bare(res, 405, ['Allow', 'GET, HEAD']);
    const peer = peers.of(req);
    if (peer.host === '') return bare(res, 400);
    const domain = subDomain();
    if (domain !== '' && peer.hostname !== nameOf(domain)) return bare(res, 403);
    const { path, query } = split(req.url ?? '');
    const asked = askedFor(path, settings);
    const found = asked && find(asked, peer, req, query);
    if (found) return send(req, res, found);
    return misses.allowMiss(peer.ip) ? bare(res, 404) : bare(res, 429, ['Retry-After', '60']);
  };

  const find = (
    { subId, format: ofPath }: { readonly subId: string; readonly format: Format },
    peer: Peer,
    req: IncomingMessage,
    query: string,
  ): Rendered | null => {
    // Most requests that find nothing have an unknown subId.
    if (read.clients.bySubId(subId).length === 0) return null;
    const settings = read.settings.current();
    warnOfInvalid(settings);
    const [url, ...otherUrls] = urlsOf(peer, settings.subURI, settings.subPath, subId);
    const asked = { subId, url, otherUrls, host: peer.hostname };
    const key = (form: string): string => `${form} ${asked.host} ${asked.url}`;
    if (ofPath === 'links' && wantsPage(req, query)) {
      const reader = readerOf(req, query);
      const shown = { ...asked, ...formatUrls(settings, peer, subId), ...reader };
      const form = `page-${reader.language}-${reader.system}-${reader.code}`;
      return cache.get('page', subId, key(form), (at) => subscriptionPage(read, shown, at));
    }
    const choice = formatOf(req, query, ofPath, settings);
    const form = `${choice.format}${choice.isGuess ? '?' : ''}`;
    return cache.get('text', subId, key(form), (at) => subscriptionIn(read, choice, asked, at));
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
  const endpoints = new Endpoints((req, res) => admission.schedule(req, () => answer(req, res)), {
    admit: admission.admit,
    domain: subDomain,
    sharing,
  });
  return {
    endpoints,
    misses,
    listen: async (port, host) => (await endpoints.open(port, host)).address,
    close: () => endpoints.close(),
  };
}

function send(req: IncomingMessage, res: ServerResponse, found: Rendered): void {
  if (hasTag(req, found.etag)) {
    res.writeHead(304, found.headers());
    res.end();
    return;
  }
  const sent = (takesGzip(req) ? found.gzipped() : null) ?? found.plain();
  res.writeHead(200, sent.headers);
  if (req.method === 'HEAD') res.end();
  else res.end(sent.body, 'latin1');
}

/** An answer without a body. */
function bare(res: ServerResponse, status: number, headers: readonly string[] = []): void {
  res.writeHead(status, ['Content-Length', '0', ...secretHeaders, ...headers]);
  res.end();
}

/** What the page depends on besides the subscription. */
function readerOf({ headers }: IncomingMessage, query: string) {
  const asked = new URLSearchParams(query);
  const code = Number(/^[1-9]\d{0,2}$/.exec(asked.get('code') ?? '')?.[0] ?? 0);
  const language = languageNamed(asked.get('lang') ?? '') ?? languageOf(headers);
  return { language, system: systemOf(headers['user-agent'] ?? ''), code };
}

function formatUrls(settings: Settings, peer: Peer, subId: string) {
  const { subJsonEnable, subJsonURI, subJsonPath, subClashEnable, subClashURI, subClashPath } = settings;
  return {
    jsonUrl: subJsonEnable ? urlOf(peer, subJsonURI, subJsonPath, subId) : null,
    clashUrl: subClashEnable ? urlOf(peer, subClashURI, subClashPath, subId) : null,
  };
}
