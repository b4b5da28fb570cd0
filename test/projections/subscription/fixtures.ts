import type { Client } from '../../../src/events/client/client-document.js';
import { ClientNumber, InboundId, UserId } from '../../../src/events/ids.js';
import type { InboundConfig, Protocol } from '../../../src/events/inbound/inbound.js';
import type { Inbound } from '../../../src/events/inbound/inbound-document.js';
import { type LinkContext, linksOf, linkUrls } from '../../../src/projections/subscription/links.js';
import { clientSpec, credential, identity } from '../../kit/builders.js';

export const id = '3f0c7f3a-7a4e-4a5e-9a41-1d1f6e7c0a11';
export const pbk = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';
export const unused = { up: 0, down: 0 };

function anInbound(parts: Partial<Omit<Inbound, 'config'>> & { config?: object } = {}): Inbound {
  return {
    id: InboundId.parse(1),
    owner: UserId.parse(1),
    node: null,
    enabled: true,
    depletion: null,
    depletedAt: 0,
    keyVersion: 1,
    createdAt: 0,
    updatedAt: 0,
    resetAt: 0,
    periodAt: 0,
    remark: 'DE-1',
    listen: '',
    port: 443,
    protocol: 'vless',
    tag: 'in-1',
    capBytes: 0,
    expiresAt: 0,
    trafficReset: 'never',
    sniffing: {},
    ...parts,
    config: { settings: {}, stream: null, ...parts.config } as InboundConfig,
  };
}

/** An inbound of which only protocol, transport and settings matter. */
export function inboundOf(
  protocol: Protocol,
  stream: object | null,
  settings: object = {},
  parts: object = {},
): Inbound {
  return anInbound({ protocol, ...parts, config: { settings, stream } });
}

export function aClient(
  parts: {
    spec?: Partial<Client['spec']>;
    identity?: Partial<Client['identity']>;
    credential?: Partial<Client['credential']>;
    depletion?: Client['depletion'];
  } = {},
): Client {
  return {
    number: ClientNumber.parse(1),
    inbound: InboundId.parse(1),
    spec: clientSpec(parts.spec),
    identity: identity('alice', { subId: 's1', ...parts.identity }),
    keyVersion: 1,
    credential: credential({ id, password: 'tr0jan-pass', auth: 'letmein', ...parts.credential }),
    depletion: parts.depletion ?? null,
    depletedAt: 0,
    createdAt: 0,
    updatedAt: 0,
  };
}

export function aContext(parts: Partial<Omit<LinkContext, 'settings'>> & { settings?: object } = {}): LinkContext {
  return {
    host: 'panel.example.com',
    now: 0,
    showInfo: false,
    ...parts,
    settings: { remarkModel: '-ieo', subShowInfo: true, subDomain: '', ...parts.settings },
  };
}

export function urlsOf(inbound: Inbound, client = aClient(), context = aContext(), usage = unused): readonly string[] {
  return linkUrls(linksOf(inbound, client, usage, context));
}

/** The parameters of the only link. */
export function paramsOf(...[inbound, client = aClient(), context = aContext()]: Parameters<typeof urlsOf>) {
  const [link] = linksOf(inbound, client, unused, context);
  return link?.params;
}

export const tls = {
  security: 'tls',
  tlsSettings: {
    serverName: 'cdn.example.com',
    minVersion: '1.2',
    maxVersion: '1.3',
    alpn: ['h2', 'http/1.1'],
    certificates: [{ certificateFile: '/c.pem', keyFile: '/k.pem' }],
    settings: { fingerprint: 'chrome', echConfigList: '' },
  },
};

export const reality = {
  security: 'reality',
  realitySettings: {
    show: false,
    xver: 0,
    target: 'www.microsoft.com:443',
    serverNames: ['www.microsoft.com'],
    privateKey: 'PRIV',
    shortIds: ['6ba85179e30d4fc2'],
    mldsa65Seed: '',
    settings: { publicKey: pbk, fingerprint: 'chrome', serverName: '', spiderX: '/', mldsa65Verify: '' },
  },
};

export const tcp = {
  network: 'tcp',
  security: 'none',
  tcpSettings: { acceptProxyProtocol: false, header: { type: 'none' } },
};
