import type { Client } from '../../events/client/client-document.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { Settings } from '../../events/settings/settings.js';
import { isText, type Message, message } from '../../messages/message.js';
import { accessOf } from './access.js';
import { hostOf } from './address.js';
import { type Endpoint, endpointsOf, UNREACHABLE } from './endpoints.js';
import { type Fields, fieldsOf, textOf } from './fields.js';
import { hysteria2Params } from './hysteria.js';
import { linkName, remainder, stopMark } from './name.js';
import { realityParams, tlsParams } from './security.js';
import { hasUrl, type LinkParams, type ShareLink } from './share-link.js';
import { transportOf } from './transport.js';

export { hasUrl, linkUrls, type ShareLink } from './share-link.js';

/** What links need besides inbound and client. */
export interface LinkContext {
  /** The host of the request, without its port. Callers control it. */
  readonly host: string;
  /**
   * The host of the inbound's node, or of its machine in the cluster; empty = the node was deleted. Absent = the inbound is on
   * this server, or the address of its machine is unknown.
   */
  readonly nodeHost?: string;
  readonly settings: Pick<Settings, 'remarkModel' | 'subShowInfo' | 'subDomain'>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * Whether the name shows the remaining time and traffic, if the settings enable it. Only for the first URL in the body of a
   * subscription, because apps treat a server with another name as a new server.
   */
  readonly showInfo: boolean;
  /** The public key for a private REALITY key, or empty. For inbounds that were stored without it. */
  readonly publicKeyOf?: (privateKey: string) => string;
}

/**
 * The links of a client of an inbound: one, or one for each external proxy. Equal input gives equal links, except with
 * `showInfo`. Never throws: an invalid inbound gives a link with a problem. The caller decides who may have links.
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
  const endpoints = endpointsOf(inbound, context.nodeHost === undefined ? own : hostOf(context.nodeHost));
  for (const endpoint of endpoints.length > 0 ? endpoints : [UNREACHABLE]) {
    const params = paramsOf(access.scheme, inbound, client, endpoint, context);
    const withInfo = showInfo && !links.some(hasUrl);
    const parts = {
      inbound: inbound.remark,
      email: access.shared ? '' : client.identity.email,
      other: endpoint.remark,
    };
    const stopped = withInfo ? stopMark(client, model) : '';
    const name = linkName(model, parts, withInfo && stopped === '' ? remainder(client, usage, now) : []);
    links.push({
      scheme: access.scheme,
      user: access.user,
      method: access.method,
      host: endpoint.host,
      port: endpoint.port,
      name: `${stopped}${name || `${inbound.protocol}-${endpoint.port || inbound.port}`}`,
      ...(isText(params) ? { params: {}, problem: params } : { params }),
    });
  }
  return links;
}

/** The parameters, or why there can be no link. */
function paramsOf(
  scheme: ShareLink['scheme'],
  { config }: Inbound,
  client: Client,
  endpoint: Endpoint,
  { publicKeyOf = () => '' }: LinkContext,
): LinkParams | Message {
  if (endpoint === UNREACHABLE) return message('subscription.noAddress');
  const stream = fieldsOf(config.stream);
  if (scheme === 'hysteria2') {
    if (endpoint.forceTls === 'none') return message('subscription.hysteriaWithoutTls');
    return filled(hysteria2Params(stream, endpoint));
  }
  const transport = transportOf(stream);
  if (transport === null) return message('subscription.transportUnknown');
  const security = securityOf(stream, transport, client, endpoint, publicKeyOf);
  if (isText(security)) return security;
  const params = filled(transport, security);
  // The core supports REALITY only with these transports.
  const { type = '' } = params;
  if (params['security'] === 'reality' && !REALITY_TRANSPORTS.has(type))
    return message('subscription.realityTransport', { transport: type });
  if (scheme !== 'vless') return params;
  const encryption = textOf(config.settings['encryption']) || 'none';
  const { flow } = client.spec;
  const flows = FLOW.test(flow) && canFlow(params, encryption, textOf(stream['security']), endpoint);
  return filled(params, { encryption, flow: flows ? flow : '' });
}

const REALITY_TRANSPORTS: ReadonlySet<unknown> = new Set(['tcp', 'grpc', 'xhttp']);

/** The parameters, or why there can be no link. */
function securityOf(
  stream: Fields,
  transport: LinkParams,
  { identity }: Client,
  { forceTls, own }: Endpoint,
  publicKeyOf: (privateKey: string) => string,
): LinkParams | Message {
  const security = textOf(stream['security']) || 'none';
  if (forceTls === 'none') return { security: 'none' };
  if (security === 'tls') return tlsParams(fieldsOf(stream['tlsSettings']), own, transport['type']);
  if (forceTls === 'tls') {
    const forced = tlsParams({}, own, transport['type']);
    return { ...forced, sni: forced['sni'] || transport['host'] || transport['authority'] || '' };
  }
  if (security !== 'reality') return security === 'none' ? { security } : message('subscription.securityUnknown');
  const params = realityParams(fieldsOf(stream['realitySettings']), identity, publicKeyOf);
  return params ?? message('subscription.realityWithoutKey');
}

/** The core no longer supports others, and some apps reject a whole subscription with an unknown flow. */
const FLOW = /^xtls-rprx-vision(?:-udp443)?$/;

/** Vision requires TLS of the inbound itself, or the encryption of VLESS. */
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

/** The non-empty members of all groups. */
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
