/** Why a link is invalid. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** The parts of `scheme://user@host:port/?query#name`, percent-decoded. */
export interface LinkParts {
  scheme: string;
  /** Still encoded: Shadowsocks reads it in two ways. */
  rawUser: string;
  user: string;
  /** Without the brackets of IPv6. */
  host: string;
  port: number;
  query: Params;
  name: string;
}

/** Query parameters; an empty value counts as absent. */
export type Params = ReadonlyMap<string, string>;

const GRAMMAR =
  /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/?#]*)@)?(\[[0-9a-fA-F:.]+\]|[^:/?#[\]@]+):(\d{1,5})\/?(?:\?([^#]*))?(?:#(.*))?$/;

/** Reads the common shape of vless, trojan, ss and hysteria2 links as strict clients do. */
export function splitLink(link: string): LinkParts {
  const match = GRAMMAR.exec(link);
  if (match === null) throw new LinkError('not scheme://user@host:port?query#name');
  const [, scheme = '', rawUser = '', host = '', port = '', query = '', name = ''] = match;
  const number = Number(port);
  if (number < 1 || number > 65_535) throw new LinkError(`port ${port}`);
  return {
    scheme,
    rawUser,
    user: percentDecoded(rawUser),
    host: host.replace(/^\[|\]$/g, ''),
    port: number,
    query: params(query),
    name: percentDecoded(name),
  };
}

/** `+` stays a plus (v2rayN, v2rayNG, Sub-Store); a broken escape or a control character is an error. */
export function percentDecoded(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new LinkError(`broken percent-encoding in ${JSON.stringify(text)}`);
  }
  if (/\p{Cc}/u.test(decoded)) {
    throw new LinkError(`control character in ${JSON.stringify(decoded)}`);
  }
  return decoded;
}

function params(query: string): Params {
  const found = new Map<string, string>();
  for (const pair of query.split('&').filter((part) => part !== '')) {
    const at = pair.indexOf('=');
    // A bare name crashes one client.
    if (at < 1) throw new LinkError(`parameter without a value: ${pair}`);
    const name = percentDecoded(pair.slice(0, at));
    if (found.has(name)) throw new LinkError(`parameter ${name} twice`);
    const value = percentDecoded(pair.slice(at + 1));
    if (value !== '') found.set(name, value);
  }
  return found;
}

/** Base64 of either alphabet, padded or not, as text. */
export function base64Decoded(text: string): string {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new LinkError('not base64');
  const bytes = Buffer.from(text, 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LinkError('base64 of something that is not UTF-8');
  }
}

/** A JSON object, or the reason why not. */
export function jsonObject(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LinkError(`${what} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LinkError(`${what} is not an object`);
  return value as Record<string, unknown>;
}

/** Only the members that have a value. */
export function compact(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
