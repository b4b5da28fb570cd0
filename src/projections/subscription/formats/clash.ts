import type { Json, JsonObject } from '../../../lib/json.js';
import type { ShareLink } from '../share-link.js';
import { clashProxy } from './clash-proxy.js';
import { type LeftOut, sorted } from './dialect.js';
import { uniqueNames, wellFormed } from './members.js';

/** Names that Mihomo has itself, and those of the groups below. */
const TAKEN = ['DIRECT', 'REJECT', 'REJECT-DROP', 'PASS', 'COMPATIBLE', 'GLOBAL', 'PROXY', 'Auto'];
const PROBE = 'https://www.gstatic.com/generate_204';

/**
 * A document for Mihomo and its apps; null when no link can be said in it. What Mihomo does not speak is left out, with a
 * comment that says why: it refuses the whole document for one proxy that it does not know. Every scalar is written as
 * JSON, which YAML 1.1 and 1.2 read alike, so that no password becomes a number.
 */
export function clashDocument(links: readonly ShareLink[]): string | null {
  const { said, leftOut } = sorted(links, clashProxy);
  if (said.length === 0) return null;
  const names = uniqueNames(
    said.map(({ link }) => wellFormed(link.name)),
    TAKEN,
  );
  const lines = said.map(({ as }, at) => `  - ${scalar({ ...as, name: names[at] ?? '' })}`);
  const groups: JsonObject[] = [
    { name: 'PROXY', type: 'select', proxies: ['Auto', ...names, 'DIRECT'] },
    { name: 'Auto', type: 'url-test', url: PROBE, interval: 300, tolerance: 50, proxies: [...names] },
  ];
  return documentOf(['proxies:', ...lines], groups, leftOut);
}

/** A document without a server, which says why none of these links is there: it lets nothing out, rather than past the proxy. */
export function emptyClashDocument(links: readonly ShareLink[]): string {
  const group = { name: 'PROXY', type: 'select', proxies: ['REJECT'] };
  return documentOf(['proxies: []'], [group], sorted(links, clashProxy).leftOut);
}

function documentOf(proxies: readonly string[], groups: readonly JsonObject[], leftOut: readonly LeftOut[]): string {
  return [
    ...proxies,
    'proxy-groups:',
    ...groups.map((group) => `  - ${scalar(group)}`),
    'rules:',
    '  - "MATCH,PROXY"',
    ...leftOut.map(commentOf),
    '',
  ].join('\n');
}

/** A name in quotes is one line of printable text, whatever it holds. */
function commentOf({ name, reason }: LeftOut): string {
  return `# ${quoted(name)} is not here, since Mihomo cannot use ${reason}.`;
}

/** JSON with a space after colons and commas between members: some readers of YAML want it. */
function scalar(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(scalar).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value as JsonObject)
      .map(([name, member]) => `${JSON.stringify(name)}: ${scalar(member)}`)
      .join(', ')}}`;
  }
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

/** The line separators of Unicode stand bare in JSON, and break a line of YAML 1.1. */
function quoted(text: string): string {
  return JSON.stringify(wellFormed(text)).replace(
    /[\u0085\u2028\u2029\ufeff\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
