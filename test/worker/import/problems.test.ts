import { describe, expect, it } from 'vitest';
import { T0 } from '../../kit/builders.js';
import { xuiClient, xuiInbound, xuiStats } from '../../kit/xui-database.js';
import { imported } from './kit.js';

/** A valid account, which causes no finding. */
const users = [{ id: 1, username: 'root', password: `$2a$10$${'a'.repeat(53)}` }];

const emails = ({ state }: ReturnType<typeof imported>): string[] =>
  [...state.clients.values()].map(({ identity }) => identity.email);

describe('clients of one email', () => {
  it('are siblings on several inbounds if they have the same subscription: the bytes count once', () => {
    const panel = imported({
      users,
      inbounds: [1, 2, 3].map((id) =>
        xuiInbound(id, { clients: [xuiClient(id, { email: 'bo', subId: 's', totalGB: 100 })] }),
      ),
      client_traffics: [xuiStats(1, 2, 'bo', { up: 5, down: 6, total: 100 })],
    });
    expect(panel.said).toEqual([]);
    expect(emails(panel)).toEqual(['bo', 'bo', 'bo']);
    expect(panel.of('ClientAdded').map(({ spec }) => spec.capBytes)).toEqual([100, 100, 100]);
    expect(panel.of('ClientHistoryImported').map(({ client, up, down }) => [client, up, down])).toEqual([
      [1, 0, 0],
      [2, 5, 6],
      [3, 0, 0],
    ]);
  });

  it('get different names otherwise, also if only the case differs', () => {
    const panel = imported({
      users,
      inbounds: [
        xuiInbound(1, {
          clients: [xuiClient(1, { email: 'bo' }), xuiClient(2, { email: 'bo' }), xuiClient(3, { email: 'bo_2' })],
        }),
        xuiInbound(2, {
          clients: [xuiClient(4, { email: 'bo', subId: '' }), xuiClient(5, { email: 'BO' })],
        }),
      ],
      client_traffics: [
        xuiStats(1, 1, 'bo', { up: 5 }),
        xuiStats(2, 2, 'BO', { up: 7 }),
        xuiStats(3, 1, 'bo_2', { up: 9 }),
      ],
    });
    expect(emails(panel)).toEqual(['bo', 'bo_3', 'bo_2', 'bo_4', 'BO_5']);
    expect(panel.of('ClientHistoryImported').map(({ client, up }) => [client, up])).toEqual([
      [1, 5],
      [2, 0],
      [3, 9],
      [4, 0],
      [5, 7],
    ]);
    expect(panel.said).toEqual([
      'clients: changed: client bo of inbound 1: it is renamed to bo_3: another client has its email',
      'clients: changed: client bo of inbound 2: it is renamed to bo_4: another client has its email',
      'clients: changed: client BO of inbound 2: it is renamed to BO_5: another client has its email',
      'clients: noted: client bo of inbound 1: it has no counters: it starts at 0',
      'clients: noted: client bo of inbound 2: it has no counters: it starts at 0',
    ]);
  });

  it.each([
    ['', 'client-1-1'],
    ['  bo ', 'bo'],
    ['b>o\n', 'b_o_'],
    ['portolan-x', '_portolan-x'],
    ['erased-4', '_erased-4'],
    ['\ud800x', '\ufffdx'],
  ])('get a valid name: %j becomes %j', (email, name) => {
    const panel = imported({
      users,
      inbounds: [xuiInbound(1, { clients: [xuiClient(1, { email })] })],
      client_traffics: [xuiStats(1, 1, email, { up: 5 })],
    });
    expect(emails(panel)).toEqual([name]);
    expect(panel.report.totals.after).toMatchObject({ clients: 1 });
    expect(panel.state.clients.values().next().value?.spec.enabled).toBe(true);
  });
});

describe('counters', () => {
  it('without a client are skipped and reported, with their bytes in the sums', () => {
    const { report, said, of } = imported({
      users,
      inbounds: [xuiInbound(1, { clients: [xuiClient(1)] })],
      client_traffics: [xuiStats(1, 1, 'user1', { up: 1, down: 2 }), xuiStats(2, 9, 'gone', { up: 30, down: 40 })],
      inbound_client_ips: [{ id: 1, client_email: 'gone', ips: '[]' }],
    });
    expect(said).toEqual([
      'client_traffics: skipped: counters of gone (row 2): no client has this email',
      'inbound_client_ips: skipped: IP addresses of gone: no client has this email',
    ]);
    expect(of('ClientHistoryImported')).toHaveLength(1);
    expect(report.totals.before).toMatchObject({ clientUp: 31, clientDown: 42 });
    expect(report.totals.after).toMatchObject({ clientUp: 1, clientDown: 2 });
    expect(report.totals.skipped).toMatchObject({ clientUp: 30, clientDown: 40 });
  });

  it('are assigned to a client whose email differs only by case, if it has none', () => {
    const { said, of } = imported({
      users,
      inbounds: [xuiInbound(1, { clients: [xuiClient(1, { email: 'Bo' })] })],
      client_traffics: [xuiStats(1, 1, 'bo', { up: 5 })],
    });
    expect(of('ClientHistoryImported')).toMatchObject([{ client: 1, up: 5 }]);
    expect(said).toEqual(['client_traffics: noted: counters of bo: they were used for Bo']);
  });
});

describe('an inbound', () => {
  it.each([
    ['settings', { settings: '{"clients": [' }, 'its settings is not valid JSON', 0],
    ['streamSettings', { stream_settings: '{' }, 'its streamSettings is not valid JSON', 1],
    ['a list for settings', { settings: '[1]' }, 'its settings is not a JSON object', 0],
    ['endless nesting', { stream_settings: `{"a":${'['.repeat(70)}${']'.repeat(70)}}` }, 'deeper than 64 levels', 1],
    ['too much text', { stream_settings: JSON.stringify({ a: 'x'.repeat(1024 * 1024) }) }, 'contains too much text', 1],
    [
      'a number beyond all',
      { stream_settings: '{"a":1e999}' },
      'contains a number beyond ±1.7e308: use a smaller one',
      1,
    ],
    ['a port that is none', { port: 70_000 }, 'its port is not valid', 1],
    ['no port', { port: 0 }, 'Port 0 is not between 1 and 65535', 1],
    ['a transport that is none', { stream: { network: 'quic' } }, 'streamSettings.network "quic" is unknown', 1],
    ['an address that is none', { listen: 'here' }, 'Listen address "here" is not an IP address', 1],
    ['a node that is gone', { node_id: 9 }, 'its node 9 is not imported', 1],
  ])('with %s is the only one that is disabled', (_what, over, why, clients) => {
    const [first, second] = [xuiClient(1), xuiClient(2)];
    const { of, said, report } = imported({
      users,
      inbounds: [
        {
          ...xuiInbound(1, { clients: [first], ...('stream' in over ? over : {}) }),
          ...('stream' in over ? {} : over),
        },
        xuiInbound(2, { clients: [second] }),
      ],
      client_traffics: [xuiStats(1, 1, 'user1'), xuiStats(2, 2, 'user2')],
    });
    expect(of('InboundAdded').map(({ inbound, enabled }) => [inbound, enabled])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(of('ClientAdded')).toHaveLength(clients + 1);
    expect(said.filter((line) => line.includes('it is disabled'))).toEqual([expect.stringContaining(why)]);
    expect(report.totals.after.inbounds).toBe(2);
  });

  it('with an unknown protocol is skipped with its clients, with its bytes in the sums', () => {
    const { of, said, report } = imported({
      users,
      inbounds: [
        xuiInbound(1, { protocol: 'mtproto', clients: [xuiClient(1)], up: 5, down: 6 }),
        xuiInbound(2, { clients: [xuiClient(2)], up: 1 }),
      ],
      client_traffics: [xuiStats(1, 1, 'user1', { up: 3 }), xuiStats(2, 2, 'user2')],
    });
    expect(of('InboundAdded').map(({ inbound }) => inbound)).toEqual([2]);
    expect(said).toEqual([
      'inbounds: skipped: inbound 1 (inbound 1): protocol "mtproto" is unknown to this panel',
      'clients: skipped: client no. 1 of inbound 1: its inbound is not imported',
      'client_traffics: skipped: counters of user1 (row 1): no client has this email',
    ]);
    expect(report.totals.skipped).toMatchObject({ inbounds: 1, clients: 1, inboundUp: 5, inboundDown: 6, clientUp: 3 });
  });

  it('with the port of another one is disabled, but not if it is on another node', () => {
    const { of, said } = imported({
      users,
      nodes: [{ id: 1, name: 'far', scheme: 'http', address: '10.0.0.1', port: 1, api_token: 'x', enable: 1 }],
      inbounds: [xuiInbound(1, { port: 443 }), xuiInbound(2, { port: 443 }), xuiInbound(3, { port: 443, node_id: 1 })],
    });
    expect(of('InboundAdded').map(({ enabled }) => enabled)).toEqual([true, false, true]);
    expect(said).toEqual([
      'inbounds: changed: inbound 2 (inbound 2): it is disabled: Port already exists: 443 is used by inbound inbound-20001',
      'nodes: noted: node far: inbounds on it that this panel manages: 1; their clients are identified by email, and their traffic counts from the first report',
    ]);
  });

  it('of a node does not replace the one on the node if it was changed by the import', () => {
    const { of, said } = imported({
      users,
      nodes: [{ id: 1, name: 'far', scheme: 'http', address: '10.0.0.1', port: 1, api_token: 'x', enable: 1 }],
      inbounds: [
        { ...xuiInbound(1), node_id: 1, settings: '{' },
        { ...xuiInbound(2), node_id: 1, tag: '' },
        xuiInbound(3, { node_id: 1, enable: 0 }),
      ],
    });
    expect(of('NodeInboundAdopted')).toEqual([{ node: 1, inbound: 3, tag: 'inbound-20003' }]);
    expect(said.filter((line) => line.includes(': noted: '))).toEqual([
      ...[1, 2].map(
        (id) =>
          `inbounds: noted: inbound ${id} (inbound ${id}): it stays on its node unchanged, and this panel does not manage it`,
      ),
      expect.stringContaining('that this panel manages: 1;'),
    ]);
  });

  it('with keys that the core rejects is disabled and reported', () => {
    const [key, bad] = ['A'.repeat(43) + '=', 'not a key'];
    const wireguard = (id: number, settings: object) =>
      xuiInbound(id, { protocol: 'wireguard', settings, stream_settings: '' });
    const { of, said } = imported({
      users,
      inbounds: [
        wireguard(1, { secretKey: key, peers: [{ publicKey: 'ab'.repeat(32), allowedIPs: ['10.0.0.2/32'] }] }),
        wireguard(2, { secretKey: bad, peers: [] }),
        wireguard(3, { secretKey: key, peers: [{ publicKey: bad }] }),
      ],
    });
    expect(of('InboundAdded').map(({ enabled }) => enabled)).toEqual([true, false, false]);
    const why = 'it is disabled: a WireGuard key in it is not valid: each is 32 bytes in base64 or hex';
    expect(said).toEqual([2, 3].map((id) => `inbounds: changed: inbound ${id} (inbound ${id}): ${why}`));
  });

  it('with an account that the core would count as a client is disabled and reported with it', () => {
    const accounts = [
      { user: 'ann', pass: 'x' },
      { user: '3:ann', pass: 'y' },
    ];
    const { of, said } = imported({
      users,
      inbounds: [xuiInbound(1, { protocol: 'mixed', settings: { auth: 'password', accounts }, stream_settings: '' })],
    });
    expect(of('InboundAdded')).toMatchObject([{ enabled: false, config: { settings: { accounts } } }]);
    expect(said).toEqual([expect.stringContaining('the account name "3:ann" looks like that of a client')]);
  });

  it('with an invalid tag gets another one, also in the routing rules', () => {
    const rule = { type: 'field', inboundTag: ['my tag', 'inbound-20002'], outboundTag: 'direct' };
    const { of, said } = imported(
      { users, inbounds: [xuiInbound(1, { tag: 'my tag' }), xuiInbound(2)] },
      { template: { routing: { rules: [rule] }, outbounds: [] } },
    );
    expect(of('InboundAdded').map(({ spec }) => spec.tag)).toEqual(['inbound-20001', 'inbound-20002']);
    expect(of('CoreTemplateChanged')[0]?.template).toEqual({
      routing: { rules: [{ ...rule, inboundTag: ['inbound-20001', 'inbound-20002'] }] },
      outbounds: [],
    });
    expect(said).toEqual([expect.stringContaining('its tag is changed to inbound-20001: ')]);
  });

  it('gets valid numbers in place of invalid ones', () => {
    const { of, said } = imported({
      users,
      inbounds: [
        xuiInbound(1, { total: -5, expiry_time: 9e15, traffic_reset: 'yearly', sniffing: '{', protocol: 'VLESS' }),
      ],
    });
    expect(of('InboundAdded')[0]?.spec).toMatchObject({
      ...{ capBytes: 0, expiresAt: 0, trafficReset: 'never', protocol: 'vless', sniffing: { enabled: false } },
    });
    expect(of('InboundDepleted')).toEqual([]);
    expect(said).toHaveLength(4);
  });
});

describe('a client', () => {
  it.each([
    ['an id that is none', { id: 'x'.repeat(40) }, 'the id is neither a UUID nor a string of 1 to 30 bytes'],
    ['no id', { id: '' }, 'empty client ID'],
    ['a flow that is none', { flow: 'xtls-rprx-direct' }, 'flow "xtls-rprx-direct" is unknown'],
  ])('with %s is the only one that is disabled', (_what, over, why) => {
    const { of, said } = imported({
      users,
      inbounds: [xuiInbound(1, { clients: [xuiClient(1, over), xuiClient(2)] })],
      client_traffics: [xuiStats(1, 1, 'user1'), xuiStats(2, 1, 'user2')],
    });
    expect(of('ClientAdded').map(({ spec }) => spec.enabled)).toEqual([false, true]);
    expect(said).toEqual([`clients: changed: client user1 of inbound 1: it is disabled: ${why}`]);
  });

  it.each(['.', '..'])('named %s, which could not be added here, is kept', (email) => {
    const { of, said } = imported({
      users,
      inbounds: [xuiInbound(1, { clients: [xuiClient(1, { email })] })],
      client_traffics: [xuiStats(1, 1, email)],
    });
    expect(of('ClientAdded').map(({ spec, identity }) => [identity.email, spec.enabled])).toEqual([[email, true]]);
    expect(said).toEqual([]);
  });

  it('of Shadowsocks 2022 with a key of another length is disabled, because it would block the others', () => {
    const settings = { method: '2022-blake3-aes-128-gcm', password: Buffer.alloc(16, 1).toString('base64') };
    const key = (bytes: number) => Buffer.alloc(bytes, 2).toString('base64');
    const { of, said } = imported({
      users,
      inbounds: [
        xuiInbound(1, {
          ...{ protocol: 'shadowsocks', settings },
          clients: [xuiClient(1, { password: key(16) }), xuiClient(2, { password: key(32) })],
        }),
      ],
      client_traffics: [xuiStats(1, 1, 'user1'), xuiStats(2, 1, 'user2')],
    });
    expect(of('ClientAdded').map(({ spec }) => spec.enabled)).toEqual([true, false]);
    expect(said).toEqual([expect.stringContaining('client user2 of inbound 1: it is disabled')]);
  });

  it('with the id of another one in its inbound is disabled, unless only one of them may connect', () => {
    const same = { id: xuiClient(1)['id'] };
    const { of } = imported({
      users,
      inbounds: [
        xuiInbound(1, {
          clients: [xuiClient(1, { enable: false }), xuiClient(2, same), xuiClient(3, same)],
        }),
        xuiInbound(2, { clients: [xuiClient(4, same)] }),
      ],
    });
    expect(of('ClientAdded').map(({ spec }) => spec.enabled)).toEqual([false, true, false, true]);
  });

  it('that is unreadable is skipped, and members with a wrong type are ignored', () => {
    const loose = {
      tgId: '',
      limitIp: '3',
      totalGB: '10',
      expiryTime: null,
      reset: null,
      subId: 5,
      comment: 7,
      flow: null,
    };
    const { of, said } = imported({
      users,
      inbounds: [
        xuiInbound(1, {
          clients: ['oops', xuiClient(1, loose), xuiClient(2, { enable: 1 })],
        }),
      ],
    });
    expect(of('ClientAdded')).toMatchObject([
      {
        spec: { limitIp: 3, capBytes: 10, expiresAt: 0, renewalDays: 0, flow: '' },
        identity: { tgId: 0, subId: '5', comment: '' },
      },
      { spec: { enabled: true } },
    ]);
    expect(said[0]).toBe('clients: skipped: client no. 1 of inbound 1: it is not a JSON object');
  });

  it.each([
    ['true', { enable: true }, 1, true, null],
    ['false', { enable: false }, 1, false, null],
    ['nothing, and its counters are on', { enable: undefined }, 1, true, 'enabled'],
    ['nothing, and its counters are off', { enable: undefined }, 0, false, 'disabled'],
    ['nothing, and it has no counters', { enable: undefined }, null, true, 'enabled'],
    ['what is neither', { enable: 'false' }, 1, true, 'enabled'],
    ['nothing, and it is used up', { enable: undefined, totalGB: 5 }, 0, true, 'at its limit'],
  ])('whose settings say %s is enabled or disabled as in 3x-ui', (_what, over, counters, on, noted) => {
    const { of, said } = imported({
      users,
      inbounds: [xuiInbound(1, { clients: [xuiClient(1, over)] })],
      client_traffics:
        counters === null
          ? []
          : [xuiStats(1, 1, 'user1', { enable: counters, ...(noted === 'at its limit' && { total: 5, up: 9 }) })],
    });
    expect(of('ClientAdded').map(({ spec }) => spec.enabled)).toEqual([on]);
    const why = `its settings do not say whether it is enabled: it is ${noted}, as it was in 3x-ui`;
    expect(said.filter((line) => line.includes('whether'))).toEqual(
      noted === null ? [] : [`clients: noted: client user1 of inbound 1: ${why}`],
    );
  });

  it('gets valid numbers in place of invalid ones', () => {
    const absurd = { limitIp: -1, totalGB: -7, expiryTime: 9e15, reset: 99_999, created_at: -3, tgId: 1e300 };
    const { of, said } = imported({
      users,
      inbounds: [xuiInbound(1, { clients: [xuiClient(1, absurd)] })],
    });
    expect(of('ClientAdded')[0]).toMatchObject({
      spec: { limitIp: 0, capBytes: 0, expiresAt: 0, renewalDays: 0, enabled: true },
      identity: { tgId: 0 },
    });
    expect(said).toHaveLength(5);
    expect(of('ClientHistoryImported')[0]).toMatchObject({ createdAt: 0, updatedAt: T0 > 0 ? 1_700_000_000_001 : 0 });
  });

  it('of a protocol without clients is skipped', () => {
    const { of, said, report } = imported({
      users,
      inbounds: [xuiInbound(1, { protocol: 'mixed', settings: { auth: 'noauth' }, clients: [xuiClient(1)] })],
    });
    expect([of('InboundAdded').length, of('ClientAdded').length]).toEqual([1, 0]);
    expect(said).toEqual(['clients: skipped: client no. 1 of inbound 1: protocol mixed does not support clients']);
    expect(report.totals.skipped.clients).toBe(1);
  });
});
