import { describe, expect, it } from 'vitest';
import { type JsonObject, withValue } from '../src/model/json';
import { changed, lossesOf, outboundFields, PROTOCOLS } from '../src/screens/core/outbounds/outbound-fields';

const fieldsOf = (outbound: JsonObject) => outboundFields(outbound, ['direct'], (label) => label);
const pathsOf = (outbound: JsonObject): readonly string[] => fieldsOf(outbound).map(({ path }) => path);
const COMMON = new Set(['tag', 'protocol', 'streamSettings.sockopt.dialerProxy', 'sendThrough']);

describe('the form of an outbound', () => {
  it.each(PROTOCOLS)('has inputs for %s, each with a label of its own', (protocol) => {
    const own = pathsOf({ protocol }).filter((path) => !COMMON.has(path));
    expect(own).not.toStrictEqual([]);
    const labels = fieldsOf({ protocol }).map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('has inputs for each transport and security, whose paths the contract has', () => {
    for (const network of ['', 'tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp', 'later'])
      for (const security of ['', 'none', 'tls', 'reality', 'later']) {
        const outbound = { protocol: 'vless', streamSettings: { network, security }, mux: { enabled: true } };
        expect(pathsOf(outbound)).toContain('streamSettings.network');
      }
    expect(pathsOf({ protocol: 'later' })).toStrictEqual([...COMMON]);
  });

  it('edits the older form of an outbound in place', () => {
    const vnext = [{ address: 'a', port: 1, users: [{ id: 'x' }] }];
    expect(pathsOf({ protocol: 'vless', settings: { vnext } })).toContain('settings.vnext.0.users.0.id');
    const servers = [{ address: 'a', port: 1, password: 'x' }];
    expect(pathsOf({ protocol: 'trojan', settings: { servers } })).toContain('settings.servers.0.password');
  });

  it('offers what the schema has, and the default of an option as the empty choice', () => {
    const network = fieldsOf({ protocol: 'dns' }).find(({ path }) => path === 'settings.network');
    expect(network).toMatchObject({ kind: 'select', options: ['', 'tcp', 'udp'] });
    expect(pathsOf({ protocol: 'dns', settings: { rules: [] } })).not.toContain('settings.nonIPQuery');
    expect(pathsOf({ protocol: 'dns', settings: { blockTypes: [65] } })).not.toContain('settings.rules');
  });

  it.each([
    ['dns', 'settings.rules', ['action', 'domain', 'qType', 'rCode']],
    ['freedom', 'settings.noises', ['type', 'packet', 'delay', 'applyTo']],
    ['freedom', 'settings.finalRules', ['action', 'network', 'ip', 'port', 'blockDelay']],
  ])('has a list with inputs for each item: %s, %s', (protocol, path, inner) => {
    const field = fieldsOf({ protocol }).find((one) => one.path === path);
    expect(field?.kind).toBe('items');
    expect(field?.items?.fields.map((one) => one.path)).toStrictEqual(inner);
  });

  it('has an input for the headers of an HTTP proxy', () => {
    expect(fieldsOf({ protocol: 'http' }).find(({ path }) => path === 'settings.headers')?.kind).toBe('map');
  });
});

describe('another protocol of an outbound', () => {
  const start: JsonObject = {
    ...{ tag: 'second', protocol: 'vless', settings: { address: 'a.example', port: 443, id: 'x' } },
    streamSettings: { network: 'ws', security: 'tls' },
  };
  const choose = (outbound: JsonObject, protocol: string, kept: Map<string, JsonObject>): JsonObject =>
    changed(outbound, withValue(outbound, 'protocol', protocol), kept);

  it('keeps the name, the server and the transport, and the former one comes back whole', () => {
    const kept = new Map<string, JsonObject>();
    const trojan = choose(start, 'trojan', kept);
    expect(trojan).toStrictEqual({ ...start, protocol: 'trojan', settings: { address: 'a.example', port: 443 } });
    const wireguard = choose(trojan, 'wireguard', kept);
    expect(wireguard).toStrictEqual({ tag: 'second', protocol: 'wireguard', settings: {} });
    expect(lossesOf(wireguard, kept)).toStrictEqual([
      { of: 'vless', members: ['address', 'port', 'id', 'network', 'security'] },
      { of: 'trojan', members: ['address', 'port', 'network', 'security'] },
    ]);
    expect(choose(wireguard, 'vless', kept)).toStrictEqual(start);
    expect(lossesOf(start, new Map([['vless', start]]))).toStrictEqual([]);
  });

  it('has what the core needs for Hysteria', () => {
    const hysteria = choose(start, 'hysteria', new Map());
    expect(hysteria).toMatchObject({
      settings: { version: 2, address: 'a.example', port: 443 },
      streamSettings: { network: 'hysteria', security: 'tls', hysteriaSettings: { version: 2 } },
    });
  });
});
