import { describe, it } from 'vitest';
import type { OwnPort } from '../../src/commands/command.js';
import type { InboundConfig, Protocol } from '../../src/events/inbound.js';
import { config, inboundAdded, inboundDraft, one, two, userId } from '../kit/builders.js';
import { given } from '../kit/spec.js';

interface Place {
  readonly port?: number;
  readonly listen?: string;
  readonly protocol?: Protocol;
  readonly config?: Partial<InboundConfig>;
}

const there = ({ config: own, ...spec }: Place) => inboundAdded({ spec, config: own ?? {} });
const add = ({ config: own, ...spec }: Place) =>
  ({
    type: 'AddInbound',
    data: { owner: userId(1), ...inboundDraft({ spec: { tag: 'in-2', ...spec }, config: own ?? {} }) },
  }) as const;
const added = ({ config: own, ...spec }: Place) =>
  inboundAdded({ id: two, spec: { tag: 'in-2', ...spec }, config: own ?? {} });
const panelPort: OwnPort = { port: 2053, listen: '127.0.0.1', name: 'the panel' };

const udp = { protocol: 'hysteria2', config: { stream: { security: 'tls' } } } as const satisfies Place;
const shadowsocks = (network: string): Place => ({
  protocol: 'shadowsocks',
  config: { settings: { method: 'aes-256-gcm', network }, stream: null },
});

describe('a port', () => {
  const clash: [string, Place, Place][] = [
    ['on all addresses twice', {}, {}],
    ['on all addresses by other names', { listen: '0.0.0.0' }, { listen: '::' }],
    ['on all addresses, then on one', {}, { listen: '10.0.0.1' }],
    ['on one address, then on all', { listen: '10.0.0.1' }, { listen: '0.0.0.0' }],
    ['on the same address twice', { listen: '10.0.0.1' }, { listen: '10.0.0.1' }],
    ['for UDP twice', udp, udp],
    ['for UDP beside TCP and UDP', udp, shadowsocks('tcp,udp')],
    ['for TCP beside TCP and UDP', {}, shadowsocks('tcp, udp')],
    ['for kcp beside hysteria', udp, { config: { stream: { network: 'kcp' } } }],
    ['for socks with UDP beside hysteria', udp, { protocol: 'socks', config: { settings: { udp: true } } }],
    ['for a shadowsocks that names no network', {}, shadowsocks('')],
  ];
  it.each(clash)('is taken %s', (_, first, next) => {
    given(there(first)).when(add(next)).thenRejects('PORT_TAKEN', { port: 443, by: 'inbound in-1' });
  });

  const free: [string, Place, Place][] = [
    ['on two addresses', { listen: '10.0.0.1' }, { listen: '10.0.0.2' }],
    ['for TCP and for UDP', {}, udp],
    ['for UDP and for TCP', shadowsocks('udp'), {}],
    ['for two numbers', {}, { port: 8443 }],
    ['for a socket file', {}, { listen: '/run/x.sock' }],
    ['beside a socket file', { listen: '@abstract' }, {}],
    ['for socks without UDP beside hysteria', udp, { protocol: 'socks', config: { settings: {} } }],
    ['for a tunnel of UDP', {}, { protocol: 'tunnel', config: { settings: { allowedNetwork: 'udp' }, stream: null } }],
  ];
  it.each(free)('is free %s', (_, first, next) => {
    given(there(first)).when(add(next)).then(added(next));
  });

  it('is taken by an inbound that is switched off', () => {
    given(inboundAdded({ enabled: false }))
      .when(add({}))
      .thenRejects('PORT_TAKEN', { port: 443, by: 'inbound in-1' });
  });

  it('is taken where the panel itself listens', () => {
    given()
      .when(add({ port: 2053 }), { ownPorts: [panelPort] })
      .thenRejects('PORT_TAKEN', { port: 2053, by: 'the panel' });
    given()
      .when(add({ port: 2053, listen: '127.0.0.1' }), { ownPorts: [panelPort] })
      .thenRejects('PORT_TAKEN', { port: 2053, by: 'the panel' });
  });

  it('is free beside the panel on another address or for UDP', () => {
    const elsewhere = { port: 2053, listen: '10.0.0.1' };
    given(there({}))
      .when(add(elsewhere), { ownPorts: [panelPort] })
      .then(added(elsewhere));
    const quic = { ...udp, port: 2053 };
    given(there({}))
      .when(add(quic), { ownPorts: [panelPort] })
      .then(added(quic));
  });

  it.each([0, 65536, -1])('cannot be %i', (port) => {
    given().when(add({ port })).thenRejects('PORT_OUT_OF_RANGE', { port });
  });

  it('does not matter for a socket file', () => {
    const socket = { listen: '/run/x.sock', port: 0 };
    given(there({})).when(add(socket)).then(added(socket));
  });

  it('stays with the inbound that is edited', () => {
    given(there({}))
      .when({ type: 'UpdateInbound', data: { inbound: one, ...inboundDraft() } })
      .thenNothing();
  });

  it('cannot be moved onto that of another', () => {
    given(there({}), added({ port: 8443 }))
      .when({ type: 'UpdateInbound', data: { inbound: two, ...inboundDraft({ spec: { tag: 'in-2' } }) } })
      .thenRejects('PORT_TAKEN', { port: 443, by: 'inbound in-1' });
  });

  it('is compared again when only the transport changes', () => {
    given(there({}), added(udp))
      .when({
        type: 'UpdateInbound',
        data: { inbound: two, ...inboundDraft({ spec: { tag: 'in-2', protocol: 'vless' }, config: config() }) },
      })
      .thenRejects('PORT_TAKEN', { port: 443, by: 'inbound in-1' });
  });
});

describe('a socket file', () => {
  const socket = { listen: '/run/x.sock', port: 1 };

  it('is taken by one inbound', () => {
    given(there(socket)).when(add(socket)).thenRejects('SOCKET_TAKEN', { socket: '/run/x.sock', by: 'inbound in-1' });
    const other = { ...socket, listen: '/run/y.sock' };
    given(there(socket)).when(add(other)).then(added(other));
  });
});
