import { isObject } from '../../../lib/json.js';
import { isText, type Text } from '../../../messages/message.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { problemOf } from './link-problems.js';
import { jsonOf } from './members.js';

/** Shared by the formats for apps with another core than Xray. */

/** The TLS fingerprint by the name in other cores; undefined = none. REALITY requires one. */
export function fingerprintOf(fp: string | undefined, reality: boolean): string | undefined {
  const name = fp?.replace(/^hello/, '').replace(/_.*$/, '') ?? '';
  if (FINGERPRINTS.has(name)) return name;
  if (name.startsWith('random')) return 'random';
  return reality ? 'chrome' : undefined;
}

const FINGERPRINTS: ReadonlySet<string> = new Set('chrome firefox safari ios android edge 360 qq random'.split(' '));

/** Source of the keys for Encrypted Client Hello: a list in base64, or the name of a DNS record. */
interface EchSource {
  readonly list?: string;
  /** Undefined: the name of the server itself. */
  readonly queryName?: string;
}

/** Xray accepts a list, or `[name+]address of a DNS server`. Apps use their own DNS server. */
export function echSource(ech: string): EchSource {
  if (/^[\w+/]+=*$/.test(ech)) return { list: ech };
  const at = ech.indexOf('+');
  return at > 0 ? { queryName: ech.slice(0, at) } : {};
}

/** Masks that only one side uses. */
const ONE_SIDED: ReadonlySet<unknown> = new Set(['fragment']);

/** Whether both ends must use a mask of Xray, except the header and seed of mKCP, which `params` contain. */
export function isMasked({ type, fm }: LinkParams): boolean {
  const masks = jsonOf(fm ?? '');
  if (!isObject(masks)) return false;
  const legacy: number[] = [];
  for (const side of [masks['tcp'], masks['udp']]) {
    if (!Array.isArray(side)) continue;
    for (const [at, mask] of side.entries()) {
      const kind = isObject(mask) ? mask['type'] : undefined;
      if (kind === 'mkcp-legacy' && type === 'kcp') legacy.push(at);
      else if (!ONE_SIDED.has(kind)) return true;
    }
  }
  // A second mask is nested in the first.
  return legacy.length > 1;
}

/** Ciphers of Shadowsocks by the names that all cores know. */
export function cipherOf(method: string): string {
  return /^x?chacha20-poly1305$/.test(method) ? method.replace('-', '-ietf-') : method;
}

/** A link that a format does not support, and why. */
export interface OmittedLink {
  readonly name: string;
  readonly reason: Text;
}

/** The links that a format supports, with their representations; and the others. */
export function partition<T extends object>(
  links: readonly ShareLink[],
  say: (link: ShareLink) => T | Text,
): { readonly expressed: readonly { link: ShareLink; as: T }[]; readonly omitted: readonly OmittedLink[] } {
  const expressed: { link: ShareLink; as: T }[] = [];
  const omitted: OmittedLink[] = [];
  for (const link of links) {
    const as = convertOrExplain(link, say);
    if (isText(as)) omitted.push({ name: link.name, reason: as });
    else expressed.push({ link, as });
  }
  return { expressed, omitted };
}

/** Whether a format supports at least one of the links. */
export function canExpressAny<T extends object>(
  links: readonly ShareLink[],
  say: (link: ShareLink) => T | Text,
): boolean {
  return links.some((link) => !isText(convertOrExplain(link, say)));
}

function convertOrExplain<T extends object>(link: ShareLink, say: (link: ShareLink) => T | Text): T | Text {
  return problemOf(link) ?? say(link);
}
