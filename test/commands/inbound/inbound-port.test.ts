import { describe, it } from 'vitest';
import type { OwnPort } from '../../../src/commands/command.js';
import type { InboundConfig, Protocol } from '../../../src/events/inbound/inbound.js';
import { message } from '../../../src/messages/message.js';
import { config, inboundAdded, inboundDraft, one, two, userId } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

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
const panelPort: OwnPort = { port: 2053, listen: '127.0.0.1', server: 'panel' };
const healthPort: OwnPort = { ...panelPort, server: 'ops' };

const udp = { protocol: 'hysteria2', config: { stream: { security: 'tls' } } } as const satisfies Place;
const shadowsocks = (network: string): Place => ({
  protocol: 'shadowsocks',
  config: { settings: { method: 'aes-256-gcm', network }, stream: null },
});

describe('an inbound that leads to the health port', () => {
  const fallback = (dest: string | number): Partial<InboundConfig> => ({
    settings: { decryption: 'none', fallbacks: [{ dest }] },
  });
  const ways: [string, Partial<InboundConfig>][] = [
    ...[2053, '2053', '127.0.0.1:2053', ':2053', 'LocalHost:2053', 'localhost.:2053', 'a.localhost:2053'].map(
      (dest): [string, Partial<InboundConfig>] => [`by a fallback to ${dest}`, fallback(dest)],
    ),
    ...['127.1:2053', '2130706433:2053', '0.0.0.0:2053', '[::1]:2053', '[::]:2053', '[::ffff:127.0.0.1]:2053'].map(
      (dest): [string, Partial<InboundConfig>] => [`by a fallback to ${dest}`, fallback(dest)],
    ),
    ['by a target of REALITY', { stream: { network: 'tcp', realitySettings: { Target: 'localhost:2053' } } }],
    [
      'by a masquerade',
      { stream: { hysteriaSettings: { masquerade: { type: 'proxy', URL: 'http://127.0.0.1:2053/' } } } },
    ],
    ['by a tunnel', { settings: { address: '127.0.0.2', port: 2053 } }],
    ['by a tunnel without an address', { settings: { port: '2053' } }],
    ['by the newer names of a tunnel', { settings: { rewriteAddress: 'localhost', rewritePort: 2053 } }],
    ['by a map of ports', { settings: { address: '1.1.1.1', portMap: { 80: '127.0.0.1:2053' } } }],
  ];
  it.each(ways)('is rejected %s', (_, config) => {
    const why = message('inbound.leadsToPanel', { port: 2053 });
    given()
      .when(add({ config }), { ownPorts: [healthPort] })
      .thenRejects('CONFIG_INVALID', { why });
  });

  it('is accepted if it leads to the two servers instead', () => {
    const config = fallback(2053);
    given()
      .when(add({ config }), { ownPorts: [panelPort] })
      .then(inboundAdded({ id: one, spec: { tag: 'in-2' }, config }));
  });

  it.each<string | number>([2054, '127.0.0.1:443', 'example.com:2053', '192.0.2.1:2053', '@2053', '/data/2053.sock'])(
    'is not assumed for %j',
    (dest) => {
      const config = fallback(dest);
      given()
        .when(add({ config }), { ownPorts: [healthPort] })
        .then(inboundAdded({ id: one, spec: { tag: 'in-2' }, config }));
    },
  );
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
    given(there(first))
      .when(add(next))
      .thenRejects('PORT_TAKEN', { port: 443, by: message('inbound.name', { tag: 'in-1' }) });
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

  it('is taken by a disabled inbound', () => {
    given(inboundAdded({ enabled: false }))
      .when(add({}))
      .thenRejects('PORT_TAKEN', { port: 443, by: message('inbound.name', { tag: 'in-1' }) });
  });

  it('is taken if the panel itself listens there', () => {
    given()
      .when(add({ port: 2053 }), { ownPorts: [panelPort] })
      .thenRejects('PORT_TAKEN', { port: 2053, by: message('inbound.panelServer') });
    given()
      .when(add({ port: 2053, listen: '127.0.0.1' }), { ownPorts: [panelPort] })
      .thenRejects('PORT_TAKEN', { port: 2053, by: message('inbound.panelServer') });
  });

  it('is free on another address than the panel, and for UDP', () => {
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

  it('is ignored for a Unix socket', () => {
    const socket = { listen: '/run/x.sock', port: 0 };
    given(there({})).when(add(socket)).then(added(socket));
  });

  it('stays available to the inbound that is being updated', () => {
    given(there({}))
      .when({ type: 'UpdateInbound', data: { inbound: one, ...inboundDraft() } })
      .thenNothing();
  });

  it('cannot be changed to that of another inbound', () => {
    given(there({}), added({ port: 8443 }))
      .when({ type: 'UpdateInbound', data: { inbound: two, ...inboundDraft({ spec: { tag: 'in-2' } }) } })
      .thenRejects('PORT_TAKEN', { port: 443, by: message('inbound.name', { tag: 'in-1' }) });
  });

  it('is checked again if only the transport changes', () => {
    given(there({}), added(udp))
      .when({
        type: 'UpdateInbound',
        data: { inbound: two, ...inboundDraft({ spec: { tag: 'in-2', protocol: 'vless' }, config: config() }) },
      })
      .thenRejects('PORT_TAKEN', { port: 443, by: message('inbound.name', { tag: 'in-1' }) });
  });
});

describe('a Unix socket', () => {
  const socket = { listen: '/run/x.sock', port: 1 };

  it('can be used by one inbound only', () => {
    given(there(socket))
      .when(add(socket))
      .thenRejects('SOCKET_TAKEN', { socket: '/run/x.sock', by: message('inbound.name', { tag: 'in-1' }) });
    const other = { ...socket, listen: '/run/y.sock' };
    given(there(socket)).when(add(other)).then(added(other));
  });
});
