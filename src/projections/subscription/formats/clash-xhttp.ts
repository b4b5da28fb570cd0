import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { bare } from '../path.js';
import type { LinkParams } from '../share-link.js';
import { realityProblem } from './link-problems.js';
import { compact, jsonOf } from './members.js';
import { fingerprintOf } from './shared.js';

/** Types of values. Mihomo rejects the whole document for a value of another type. */
type Kind = 'text' | 'range' | 'count' | 'flag' | 'headers';
type Names = readonly (readonly [from: string, to: string, kind: Kind])[];

/** Members of `extra` by their names in Mihomo. */
const EXTRA: Names = [
  ['xPaddingBytes', 'x-padding-bytes', 'range'],
  ['xPaddingObfsMode', 'x-padding-obfs-mode', 'flag'],
  ['xPaddingKey', 'x-padding-key', 'text'],
  ['xPaddingHeader', 'x-padding-header', 'text'],
  ['xPaddingPlacement', 'x-padding-placement', 'text'],
  ['xPaddingMethod', 'x-padding-method', 'text'],
  ['uplinkHTTPMethod', 'uplink-http-method', 'text'],
  ['sessionIDPlacement', 'session-placement', 'text'],
  ['sessionIDKey', 'session-key', 'text'],
  ['sessionIDTable', 'session-table', 'text'],
  ['sessionIDLength', 'session-length', 'range'],
  ['seqPlacement', 'seq-placement', 'text'],
  ['seqKey', 'seq-key', 'text'],
  ['uplinkDataPlacement', 'uplink-data-placement', 'text'],
  ['uplinkDataKey', 'uplink-data-key', 'text'],
  ['uplinkChunkSize', 'uplink-chunk-size', 'range'],
  ['scMaxEachPostBytes', 'sc-max-each-post-bytes', 'range'],
  ['scMinPostsIntervalMs', 'sc-min-posts-interval-ms', 'range'],
  ['noGRPCHeader', 'no-grpc-header', 'flag'],
  ['headers', 'headers', 'headers'],
];

/** Members of `xmux`, which configure the reuse of connections. */
const XMUX: Names = [
  ['maxConcurrency', 'max-concurrency', 'range'],
  ['maxConnections', 'max-connections', 'range'],
  ['cMaxReuseTimes', 'c-max-reuse-times', 'range'],
  ['hMaxRequestTimes', 'h-max-request-times', 'range'],
  ['hMaxReusableSecs', 'h-max-reusable-secs', 'range'],
  ['hKeepAlivePeriod', 'h-keep-alive-period', 'count'],
];

const DOWN_XHTTP: Names = [
  ['path', 'path', 'text'],
  ['host', 'host', 'text'],
];
const DOWN_TLS: Names = [['serverName', 'servername', 'text']];

/** `xhttp-opts` of Mihomo; null for settings that it would reject. */
export function xhttpOptions({ path = '/', host, mode, extra }: LinkParams): JsonObject | null {
  const members = objectOf(jsonOf(extra ?? ''));
  const own = renamed(members, EXTRA);
  const reuse = renamed(objectOf(members['xmux']), XMUX);
  // `stream-one` uses one stream for both directions, so there is no separate download.
  const elsewhere = mode === 'stream-one' ? undefined : members['downloadSettings'];
  const down = elsewhere === undefined ? {} : downloadOf(objectOf(elsewhere));
  if (own === null || reuse === null || down === null) return null;
  return compact({
    path: bare(path),
    host,
    mode: mode === 'auto' ? undefined : mode,
    ...own,
    // The client chooses its session ids. Without these members it uses its default alphabet.
    ...(isVaried(own) ? {} : { 'session-table': undefined, 'session-length': undefined }),
    'reuse-settings': filled(reuse),
    'download-settings': filled(down),
  });
}

/** Mihomo and the core require more than 2^31 possible ids. Named alphabets have at least ten letters. */
function isVaried({ 'session-table': table, 'session-length': length = '16-32' }: JsonObject): boolean {
  const letters = typeof table === 'string' ? Math.min(table.length, 10) : 0;
  return letters ** Number(String(length).split('-').at(-1)) > 2 ** 31;
}

/** Separate settings for downloads. Mihomo uses the upload settings for missing members. */
function downloadOf(settings: JsonObject): JsonObject | null {
  const { address, port, security } = settings;
  if (typeof address !== 'string' || typeof port !== 'number' || !isCount(port) || port > 65_535) return null;
  const reality = security === 'reality';
  const tls = objectOf(settings[reality ? 'realitySettings' : 'tlsSettings']);
  const xhttp = renamed(objectOf(settings['xhttpSettings']), DOWN_XHTTP);
  const name = renamed(tls, DOWN_TLS);
  const { alpn, fingerprint, publicKey, shortId = '' } = tls;
  if (xhttp === null || name === null) return null;
  if (reality && realityProblem({ security, pbk: String(publicKey), sid: String(shortId) }) !== null) return null;
  return compact({
    server: address,
    port,
    tls: reality || security === 'tls',
    ...xhttp,
    path: typeof xhttp['path'] === 'string' ? bare(xhttp['path']) : undefined,
    ...name,
    alpn: Array.isArray(alpn) && alpn.every((one) => typeof one === 'string') ? alpn : undefined,
    'client-fingerprint': fingerprintOf(typeof fingerprint === 'string' ? fingerprint : undefined, reality),
    'reality-opts': reality ? compact({ 'public-key': publicKey, 'short-id': shortId }) : undefined,
  });
}

function renamed(members: JsonObject, names: Names): JsonObject | null {
  const kept: Record<string, Json> = {};
  for (const [from, to, kind] of names) {
    const value = members[from];
    if (value === undefined) continue;
    if (!fits(value, kind)) return null;
    kept[to] = kind === 'range' ? String(value) : value;
  }
  return kept;
}

function fits(value: Json, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'flag':
      return typeof value === 'boolean';
    case 'count':
      return isCount(value);
    case 'range':
      return isCount(value) || (typeof value === 'string' && isRange(value));
    case 'headers':
      return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
  }
}

function isRange(text: string): boolean {
  const [from = 0, to = from] = text.split('-').map(Number);
  return /^\d{1,9}(?:-\d{1,9})?$/.test(text) && from <= to && to > 0;
}

function isCount(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function filled(members: JsonObject): JsonObject | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
