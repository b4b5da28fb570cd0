import type { IncomingMessage } from 'node:http';
import type { Settings } from '../../events/settings/settings.js';
import { addressesIn, isLink } from '../../lib/net/links.js';
import { type Choice, type Format, formatNamed, formatOfApp } from '../../projections/subscription/formats/format.js';
import type { Peer } from '../panel/auth/peer.js';

/** Longer than any valid subId. */
const MAX_ID_CHARS = 256;
/** Client apps that send the Accept header of a browser and expect links. */
const APPS =
  /v2ray|clash|mihomo|sing-?box|hiddify|happ\/|streisand|shadowrocket|karing|nekobox|stash|surge|quantumult|loon/i;

export function split(url: string): { readonly path: string; readonly query: string } {
  const at = url.indexOf('?');
  return at < 0 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** The format of a path and the subId; null for any other path or an invalid subId. */
export function askedFor(path: string, settings: Settings): { readonly subId: string; readonly format: Format } | null {
  const { subPath, subJsonEnable, subJsonPath, subClashEnable, subClashPath } = settings;
  const under = (prefix: string, format: Format) => {
    const subId = path.startsWith(prefix) ? decoded(path.slice(prefix.length)) : null;
    return subId === null ? null : { subId, format };
  };
  return (
    under(subPath, 'links') ??
    (subJsonEnable ? under(subJsonPath, 'xray') : null) ??
    (subClashEnable ? under(subClashPath, 'clash') : null)
  );
}

/** A last path segment, decoded once; null when it cannot be a subId. */
function decoded(text: string): string | null {
  if (text === '' || text.length > MAX_ID_CHARS * 3 || text.includes('/')) return null;
  if (!text.includes('%')) return text.length <= MAX_ID_CHARS ? text : null;
  try {
    const subId = decodeURIComponent(text);
    return subId.length <= MAX_ID_CHARS ? subId : null;
  } catch {
    return null;
  }
}

/** By name, then by path, then by app. A disabled format counts as not found. */
export function formatOf({ headers }: IncomingMessage, query: string, ofPath: Format, settings: Settings): Choice {
  const isOn = (format: Format) =>
    format === 'xray' ? settings.subJsonEnable : format === 'clash' ? settings.subClashEnable : true;
  const named = query === '' ? null : formatNamed(new URLSearchParams(query).get('format') ?? '');
  if (named !== null && isOn(named)) return { format: named, isGuess: false };
  if (ofPath !== 'links') return { format: ofPath, isGuess: false };
  const expected = formatOfApp(headers['user-agent'] ?? '');
  return { format: isOn(expected) ? expected : 'links', isGuess: true };
}

/** For a browser, or when the page is requested by name. */
export function wantsPage({ headers }: IncomingMessage, query: string): boolean {
  if (query !== '') {
    const asked = new URLSearchParams(query);
    if (asked.get('html') === '1' || asked.get('view') === 'html') return true;
    if (asked.get('view') === 'raw') return false;
  }
  if (!takesHtml(headers.accept ?? '')) return false;
  return !APPS.test(headers['user-agent'] ?? '');
}

function takesHtml(accept: string): boolean {
  const ranges = accept.toLowerCase();
  // Nearly every app accepts any type and names none.
  if (!ranges.includes('text/html')) return false;
  return ranges.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** The URL that the caller used for its subscription, or the one from the settings. */
export function urlOf(peer: Peer, uri: string, path: string, subId: string): string {
  return urlsOf(peer, uri, path, subId)[0];
}

/**
 * The URLs of a subscription. Of several in the settings, the one with the host of the request is first: the caller can reach
 * that one.
 */
export function urlsOf(
  { host, hostname, secure }: Peer,
  uri: string,
  path: string,
  subId: string,
): readonly [string, ...string[]] {
  const id = encodeURIComponent(subId);
  const bases = addressesIn(uri).filter((base) => isLink(base, ['http', 'https']));
  const reached = bases.findIndex((base) => new URL(base).hostname === hostname);
  const [first, ...others] = [...bases.splice(Math.max(0, reached), 1), ...bases].map(
    (base) => `${base}${base.endsWith('/') ? '' : '/'}${id}`,
  );
  if (first !== undefined) return [first, ...others];
  const standard = secure ? ':443' : ':80';
  const shown = host.endsWith(standard) ? host.slice(0, -standard.length) : host;
  return [`${secure ? 'https' : 'http'}://${shown}${path}${id}`];
}

/** Whether the caller has the entity with this tag. */
export function hasTag({ headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  const bare = etag.replace(/^W\//, '');
  return known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === bare);
}

export function takesGzip({ headers }: IncomingMessage): boolean {
  const accepted = headers['accept-encoding'];
  return typeof accepted === 'string' && /(^|,)\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i.test(accepted);
}
