import { stringify } from 'yaml';
import { escaped } from '../../../lib/escaped.js';
import type { JsonObject } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { render } from '../../../messages/render.js';
import type { ShareLink } from '../share-link.js';
import { clashProxy } from './clash-proxy.js';
import { uniqueNames, wellFormed } from './members.js';
import { type OmittedLink, partition } from './shared.js';

/** Names that are reserved by Mihomo or used for the groups below. */
const TAKEN = ['DIRECT', 'REJECT', 'REJECT-DROP', 'PASS', 'COMPATIBLE', 'GLOBAL', 'PROXY', 'Auto'];
/** Quoted, because YAML 1.1 and 1.2 disagree about which plain texts are numbers or booleans. */
const STYLE = {
  lineWidth: 0,
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  aliasDuplicateObjects: false,
} as const;
const PROBE = 'https://www.gstatic.com/generate_204';

/**
 * A document for Mihomo and its apps; null if it supports none of the links. Unsupported links are left out with a comment,
 * because Mihomo rejects the whole document for one invalid proxy.
 */
export function clashDocument(links: readonly ShareLink[]): string | null {
  const { expressed, omitted } = partition(links, clashProxy);
  if (expressed.length === 0) return null;
  const names = uniqueNames(
    expressed.map(({ link }) => wellFormed(link.name)),
    TAKEN,
  );
  const groups: JsonObject[] = [
    { name: 'PROXY', type: 'select', proxies: ['Auto', ...names, 'DIRECT'] },
    { name: 'Auto', type: 'url-test', url: PROBE, interval: 300, tolerance: 50, proxies: [...names] },
  ];
  return documentOf(
    expressed.map(({ as }, at) => ({ ...as, name: names[at] ?? '' })),
    groups,
    omitted,
  );
}

/** A document without servers, with the reasons as comments. It blocks all traffic, so that none bypasses the proxy. */
export function emptyClashDocument(links: readonly ShareLink[]): string {
  const group = { name: 'PROXY', type: 'select', proxies: ['REJECT'] };
  return documentOf([], [group], partition(links, clashProxy).omitted);
}

function documentOf(
  proxies: readonly JsonObject[],
  groups: readonly JsonObject[],
  omitted: readonly OmittedLink[],
): string {
  const document = { proxies, 'proxy-groups': groups, rules: ['MATCH,PROXY'] };
  // Always in English: the document is cached and the same for all callers.
  const comments = omitted.map(
    ({ name, reason }) =>
      `# ${render(message('subscription.leftOut', { name: wellFormed(name), why: reason }), 'en')}\n`,
  );
  // YAML 1.1 treats some non-ASCII characters as line breaks, so they are escaped.
  return escaped([stringify(document, STYLE), ...comments].join(''), /[\u0085\u2028\u2029\ufeff\u007f-\u009f]/g);
}
