import type { Client } from '../../events/client-document.js';
import type { Protocol } from '../../events/inbound.js';
import type { Inbound } from '../../events/inbound-document.js';
import type { Settings } from '../../events/settings.js';
import { accessOf, schemes } from './access.js';
import { hostOf } from './address.js';
import { type Endpoint, endpointsOf } from './endpoints.js';
import { type Fields, fieldsOf, textOf } from './fields.js';
import { hysteria2Params } from './hysteria.js';
import { linkName, remainder, stopMark } from './name.js';
import { realityParams, tlsParams } from './security.js';
import type { LinkParams, ShareLink } from './share-link.js';
import { transportOf } from './transport.js';

export { linkUrl, type ShareLink } from './share-link.js';

/** What a link takes from elsewhere than inbound and client. */
export interface LinkContext {
  /** The host that was asked, without its port; as trustworthy as the caller made it. */
  readonly host: string;
  /** The host of the node that the inbound is on; without it this server has it. */
  readonly nodeHost?: string;
  readonly settings: Pick<Settings, 'remarkModel' | 'subShowInfo' | 'subDomain'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * Whether the name also says what is left to the client, or that it may not connect, if the settings want it. For
   * the first link of a subscription's body alone: apps take a server with a new name for a new server.
   */
  readonly showInfo: boolean;
  /** The public half of a REALITY key; empty when there is none. For inbounds that were stored without it. */
  readonly publicKeyOf?: (privateKey: string) => string;
}

/** Whether there is a URL form for the protocol. */
export function hasLinks(protocol: Protocol): boolean {
  return schemes[protocol] !== undefined;
}

/**
 * The links of a client of an inbound: one, or one for each external proxy. Equal input gives equal links, save for
 * `showInfo`. Never throws: what no link can say is left out. Who may have links is for the caller to say.
 */
export function linksOf(
  inbound: Inbound,
  client: Client,
  usage: { readonly up: number; readonly down: number },
  context: LinkContext,
): readonly ShareLink[] {
  const access = accessOf(inbound, client);
  if (access === null) return [];
  const { settings, now } = context;
  const model = settings.remarkModel;
  const showInfo = settings.subShowInfo && context.showInfo;
  const links: ShareLink[] = [];
  const own = hostOf(settings.subDomain) || hostOf(context.host);
  for (const endpoint of endpointsOf(inbound, context.nodeHost === undefined ? own : hostOf(context.nodeHost))) {
    const params = paramsOf(access.scheme, inbound, client, endpoint, context);
    if (params === null) continue;
    const told = showInfo && links.length === 0;
    const parts = {
      inbound: inbound.remark,
      email: access.shared ? '' : client.identity.email,
      other: endpoint.remark,
    };
    const stopped = told ? stopMark(client, model) : '';
    const name = linkName(model, parts, told && stopped === '' ? remainder(client, usage, now) : []);
    links.push({
      scheme: access.scheme,
      user: access.user,
      method: access.method,
      host: endpoint.host,
      port: endpoint.port,
      name: `${stopped}${name || `${inbound.protocol}-${endpoint.port}`}`,
      params,
    });
  }
  return links;
}

function paramsOf(
  scheme: ShareLink['scheme'],
  { config }: Inbound,
  client: Client,
  endpoint: Endpoint,
  { publicKeyOf = () => '' }: LinkContext,
): LinkParams | null {
  const stream = fieldsOf(config.stream);
  if (scheme === 'hysteria2') {
    // Hysteria is nothing without TLS.
    if (endpoint.forceTls === 'none') return null;
    return filled(hysteria2Params(stream, endpoint));
  }
  const transport = transportOf(stream);
  const security = transport && securityOf(stream, transport, client, endpoint, publicKeyOf);
  if (transport === null || security === null) return null;
  const params = filled(transport, security);
  // The core serves it over no other.
  if (params['security'] === 'reality' && !REALITY_TRANSPORTS.has(params['type'])) return null;
  // The JSON of vmess has no place for the keys of REALITY.
  if (scheme === 'vmess') return params['security'] === 'reality' ? null : params;
  if (scheme === 'ss') return hasPlugin(params) ? params : null;
  if (scheme === 'trojan') return params;
  const encryption = textOf(config.settings['encryption']) || 'none';
  const { flow } = client.terms;
  const flows = FLOW.test(flow) && canFlow(params, encryption, textOf(stream['security']), endpoint);
  return filled(params, { encryption, flow: flows ? flow : '' });
}

const REALITY_TRANSPORTS: ReadonlySet<unknown> = new Set(['tcp', 'grpc', 'xhttp']);

/** Null for a security that no link knows, and for REALITY without a key. */
function securityOf(
  stream: Fields,
  transport: LinkParams,
  { identity }: Client,
  { forceTls, own }: Endpoint,
  publicKeyOf: (privateKey: string) => string,
): LinkParams | null {
  const security = textOf(stream['security']) || 'none';
  if (forceTls === 'none') return { security: 'none' };
  if (security === 'tls') return tlsParams(fieldsOf(stream['tlsSettings']), own);
  if (forceTls === 'tls') {
    const forced = tlsParams({}, own);
    return { ...forced, sni: forced['sni'] || transport['host'] || transport['authority'] || '' };
  }
  if (security === 'reality') return realityParams(fieldsOf(stream['realitySettings']), identity, publicKeyOf);
  return security === 'none' ? { security } : null;
}

/** The core dropped the others, and some apps refuse all of a subscription for one that they do not know. */
const FLOW = /^xtls-rprx-vision(?:-udp443)?$/;

/** Vision needs to see the TLS of the inbound itself, or the encryption of vless. */
function canFlow(
  { type, security }: LinkParams,
  encryption: string,
  inboundSecurity: string,
  { forceTls }: Endpoint,
): boolean {
  if (forceTls === 'none' || (forceTls === 'tls' && inboundSecurity !== 'tls')) return false;
  if (encryption !== 'none') return type === 'tcp' || type === 'xhttp';
  return type === 'tcp' && security !== 'none';
}

/** What a SIP003 plugin can say: a link that claims plain Shadowsocks for anything else would never connect. */
function hasPlugin({ type, security, fm }: LinkParams): boolean {
  if (fm !== undefined) return false;
  return type === 'tcp' ? security === 'none' : type === 'ws' && security !== 'reality';
}

/** The members of all that are not empty. */
function filled(...groups: readonly LinkParams[]): LinkParams {
  const kept: Record<string, string> = {};
  for (const group of groups) {
    for (const name in group) {
      const value = group[name];
      if (value) kept[name] = value;
    }
  }
  return kept;
}
