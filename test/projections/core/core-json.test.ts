import { describe, expect, it } from 'vitest';
import type { InboundConfig, InboundSpec, Protocol } from '../../../src/events/inbound/inbound.js';
import { coreInbound, coreUser } from '../../../src/projections/core/core-json.js';
import { clients } from '../../../src/projections/models/clients.js';
import { inbounds } from '../../../src/projections/models/inbounds.js';
import { clientAdded, draft, first, inboundAdded, one } from '../../kit/builders.js';
import { folded } from '../../kit/spec.js';

const inbound = (spec: Partial<InboundSpec>, config: Partial<InboundConfig> = {}) =>
  folded(inbounds, inboundAdded({ spec, config })).get(one) ?? expect.fail();
const rendered = (spec: Partial<InboundSpec>, config: Partial<InboundConfig> = {}) =>
  coreInbound(inbound(spec, config)).config;
const account = (
  protocol: Protocol,
  settings: InboundConfig['settings'] = {},
  over: Parameters<typeof draft>[2] = {},
) => {
  const client = folded(clients, clientAdded(draft('Alice', 1, over))).byNumber.get(first) ?? expect.fail();
  return coreUser(inbound({ protocol }, { settings }), client).account;
};

describe('an inbound in the core configuration', () => {
  it('contains no members that only the panel or a client reads', () => {
    const json = rendered(
      { remark: 'hidden', sniffing: { enabled: false } },
      {
        settings: { clients: [{ id: 'x' }], decryption: '', encryption: 'e', testseed: [1], fallbacks: [] },
        stream: {
          network: 'tcp',
          security: 'reality',
          externalProxy: [{ dest: 'x' }],
          realitySettings: { privateKey: 'k', settings: { publicKey: 'p' } },
        },
      },
    );
    expect(json).toStrictEqual({
      tag: 'in-1',
      port: 443,
      protocol: 'vless',
      settings: { decryption: 'none' },
      streamSettings: {
        network: 'tcp',
        security: 'reality',
        realitySettings: { privateKey: 'k', minClientVer: '1.0.0' },
      },
    });
  });

  it.each([
    ['', '1.0.0'],
    ['26.3.27', '26.3.27'],
  ])(
    'accepts clients with other cores over REALITY unless the admin sets a minimum: minClientVer %j',
    (minClientVer, is) => {
      const { streamSettings } = rendered({}, { stream: { security: 'reality', realitySettings: { minClientVer } } });
      expect(streamSettings).toMatchObject({ realitySettings: { minClientVer: is } });
    },
  );

  it('contains the address, the sniffing and a Unix socket where configured', () => {
    const sniffing = { enabled: true, destOverride: ['tls'] };
    expect(rendered({ listen: '10.0.0.1', sniffing })).toMatchObject({ listen: '10.0.0.1', port: 443, sniffing });
    expect(rendered({ listen: '/run/x.sock' })).not.toHaveProperty('port');
  });

  it.each([
    ['hysteria2', 'hysteria'],
    ['dokodemo', 'dokodemo-door'],
    ['tunnel', 'tunnel'],
    ['mixed', 'mixed'],
  ] as [Protocol, string][])('has %s named %s', (protocol, name) => {
    expect(rendered({ protocol })['protocol']).toBe(name);
  });

  it('has version 2 of Hysteria, with only the clients as its keys', () => {
    const stream = { security: 'tls', hysteriaSettings: { auth: 'shared', up: '1' } };
    expect(rendered({ protocol: 'hysteria' }, { settings: { version: 1 }, stream })).toMatchObject({
      settings: { version: 2 },
      streamSettings: { network: 'hysteria', hysteriaSettings: { up: '1', version: 2 } },
    });
    expect(JSON.stringify(rendered({ protocol: 'hysteria' }, { stream }))).not.toContain('shared');
  });

  it('supports hot changes of users if the protocol does', () => {
    const hot = (protocol: Protocol, method = 'aes-256-gcm') =>
      coreInbound(inbound({ protocol }, { settings: { method } })).hotUsers;
    expect([hot('vless'), hot('shadowsocks'), hot('hysteria2')]).toStrictEqual([true, true, true]);
    expect([hot('shadowsocks', '2022-blake3-chacha20-poly1305'), hot('socks'), hot('wireguard')]).toStrictEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('a client in the core configuration', () => {
  it.each([
    ['vless', { id: '11111111-2222-4333-8444-000000000001', flow: '' }],
    ['vmess', { id: '11111111-2222-4333-8444-000000000001' }],
    ['trojan', { password: 'password-1' }],
    ['hysteria', { auth: 'auth-1' }],
    ['hysteria2', { auth: 'auth-1' }],
  ] as [Protocol, object][])('of %s contains only what authenticates it', (protocol, own) => {
    expect(account(protocol)).toStrictEqual(own);
  });

  it('of Shadowsocks has its own cipher or that of the inbound, and none with 2022 methods', () => {
    expect(account('shadowsocks', { method: 'aes-256-gcm' })).toMatchObject({ method: 'aes-256-gcm' });
    expect(account('shadowsocks', { method: 'aes-256-gcm' }, { spec: { method: 'aes-128-gcm' } })).toMatchObject({
      method: 'aes-128-gcm',
    });
    expect(account('shadowsocks', { method: '2022-blake3-aes-128-gcm' })).not.toHaveProperty('method');
  });

  it('of VLESS has the flow of the server side', () => {
    expect(account('vless', {}, { spec: { flow: 'xtls-rprx-vision-udp443' } })).toMatchObject({
      flow: 'xtls-rprx-vision',
    });
    expect(account('vless', {}, { spec: { reverseTag: 'r' } })).toMatchObject({ reverse: { tag: 'r' } });
  });
});
