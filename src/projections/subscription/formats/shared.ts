import { isObject } from '../../../lib/json.js';
import type { LinkParams, ShareLink } from '../share-link.js';
import { problemOf } from './link-problems.js';
import { jsonOf } from './members.js';

/** What several apps with another core than Xray have in common. */

/** The disguise of a client's TLS, as cores other than Xray name it; undefined for none. REALITY cannot do without. */
export function fingerprintOf(fp: string | undefined, reality: boolean): string | undefined {
  const name = fp?.replace(/^hello/, '').replace(/_.*$/, '') ?? '';
  if (FINGERPRINTS.has(name)) return name;
  if (name.startsWith('random')) return 'random';
  return reality ? 'chrome' : undefined;
}

const FINGERPRINTS: ReadonlySet<string> = new Set('chrome firefox safari ios android edge 360 qq random'.split(' '));

/** Where a client finds the keys of Encrypted Client Hello: a list in base64, or the name whose DNS record holds it. */
export interface EchSource {
  readonly list?: string;
  /** Undefined: the name of the server itself. */
  readonly queryName?: string;
}

/** Xray writes a list, or `[name+]address of a DNS server`; the DNS server is the app's own affair. */
export function echSource(ech: string): EchSource {
  if (/^[\w+/]+=*$/.test(ech)) return { list: ech };
  const at = ech.indexOf('+');
  return at > 0 ? { queryName: ech.slice(0, at) } : {};
}

/** Masks that one side puts on for itself: the other needs not know of them. */
const ONE_SIDED: ReadonlySet<unknown> = new Set(['fragment']);

/** Whether both ends must wear a mask of Xray, other than the header and the seed of mKCP, which `params` have as well. */
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
  // A second one lies inside of the first.
  return legacy.length > 1;
}

/** Ciphers of Shadowsocks by the names that all cores know. */
export function cipherOf(method: string): string {
  return /^x?chacha20-poly1305$/.test(method) ? method.replace('-', '-ietf-') : method;
}

/** A link that a form cannot say, and why. */
export interface OmittedLink {
  readonly name: string;
  readonly reason: string;
}

/** The links that a form can say, with what it makes of each; and the others. */
export function partition<T extends object>(
  links: readonly ShareLink[],
  say: (link: ShareLink) => T | string,
): { readonly expressed: readonly { link: ShareLink; as: T }[]; readonly omitted: readonly OmittedLink[] } {
  const expressed: { link: ShareLink; as: T }[] = [];
  const omitted: OmittedLink[] = [];
  for (const link of links) {
    const as = expressedBy(link, say);
    if (typeof as === 'string') omitted.push({ name: link.name, reason: as });
    else expressed.push({ link, as });
  }
  return { expressed, omitted };
}

/** Whether a form can say any of the links: else all that it gives is a document without a server. */
export function canExpressAny<T extends object>(
  links: readonly ShareLink[],
  say: (link: ShareLink) => T | string,
): boolean {
  return links.some((link) => typeof expressedBy(link, say) !== 'string');
}

function expressedBy<T extends object>(link: ShareLink, say: (link: ShareLink) => T | string): T | string {
  return problemOf(link) ?? say(link);
}
