import { isObject } from '../json.js';

/** Members of an inbound that name further targets of its connections, by their lower-case names. */
const targets = new Set(['dest', 'target', 'url']);

/**
 * The TCP ports of this machine's loopback to which parts of an inbound's configuration send connections: fallbacks,
 * the target of REALITY, a masquerade, a tunnel. Host names are compared as text and not resolved.
 */
export function loopbackPorts(...parts: readonly unknown[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const part of parts) gather(part, found);
  return found;
}

function gather(value: unknown, found: Set<number>): void {
  if (Array.isArray(value)) for (const item of value as readonly unknown[]) gather(item, found);
  if (!isObject(value)) return;
  let address: unknown = '';
  let port: unknown;
  for (const [key, member] of Object.entries(value)) {
    const name = key.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
    if (targets.has(name)) add(member, found);
    else if (name === 'portmap' && isObject(member)) for (const to of Object.values(member)) add(to, found);
    else if (name === 'address' || name === 'rewriteaddress') address = member;
    else if (name === 'port' || name === 'rewriteport') port = member;
    gather(member, found);
  }
  // A tunnel without an address leads to this machine.
  if (typeof address === 'string' && isLoopback(address)) add(port, found);
}

function add(target: unknown, found: Set<number>): void {
  if (typeof target !== 'string' && typeof target !== 'number') return;
  const text = String(target).trim();
  if (/^\d+$/.test(text)) found.add(Number(text));
  const [, scheme] = /^(https?):\/\//i.exec(text) ?? [];
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
  if (scheme !== undefined && URL.canParse(text)) {
    const url = new URL(text);
    if (isLoopback(url.hostname)) found.add(Number(url.port || (scheme.toLowerCase() === 'https' ? 443 : 80)));
  } else if (port !== '' && isLoopback(host)) found.add(Number(port));
}

/** In every way in which a resolver reads an address: `127.1` and `2130706433` too. */
function isLoopback(text: string): boolean {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1');
  if (bare === '') return true;
  const url = `http://${bare.includes(':') ? `[${bare.replace(/%.*$/, '')}]` : bare}/`;
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.replace(/\.$/, '');
  return (
    /^(127|0)\.\d+\.\d+\.\d+$|^(.*\.)?localhost$|^\[::1?\]$|^\[::(ffff:)?(7f|0:)/.test(host) || host === '[::ffff:0:0]'
  );
}
