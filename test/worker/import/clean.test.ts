import { describe, expect, it } from 'vitest';
import { T0 } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';
import { foreignUuid, xuiClient, xuiInbound, xuiStats } from '../../kit/xui-database.js';
import { imported } from './kit.js';

const HASH = `$2a$10$${'a'.repeat(53)}`;
const DAY = 86_400_000;

describe('a panel without problems', () => {
  const inbounds = [
    xuiInbound(2, {
      clients: [
        xuiClient(1, { flow: 'xtls-rprx-vision', totalGB: 1000, expiryTime: T0 + DAY, limitIp: 2, reset: 30 }),
        xuiClient(2, { enable: false, tgId: 77, comment: 'a friend', expiryTime: -7 * DAY, nickname: 'Bo' }),
      ],
      up: 10,
      down: 20,
      all_time: 100,
      total: 5000,
      expiry_time: T0 + 9 * DAY,
      traffic_reset: 'monthly',
      last_traffic_reset_time: T0 - DAY,
    }),
    xuiInbound(7, {
      protocol: 'trojan',
      clients: [xuiClient(3, { id: undefined, password: 'open sesame' })],
      enable: 0,
      node_id: 4,
    }),
  ];
  const panel = () =>
    imported({
      users: [
        { id: 1, username: 'root', password: HASH },
        { id: 5, username: 'amy', password: HASH },
      ],
      inbounds: [inbounds[0] ?? {}, { ...inbounds[1], user_id: 5 }],
      client_traffics: [
        xuiStats(9, 2, 'user1', {
          ...{ up: 3, down: 4, all_time: 50, last_online: T0 - 5000 },
          ...{ total: 1000, expiry_time: T0 + DAY, reset: 30 },
        }),
        xuiStats(4, 2, 'user2', { expiry_time: -7 * DAY }),
        xuiStats(1, 7, 'user3', { up: 1, down: 1 }),
      ],
      outbound_traffics: [{ id: 1, tag: 'direct', up: 8, down: 9, total: 17 }],
      inbound_client_ips: [
        { id: 1, client_email: 'user1', ips: JSON.stringify([{ ip: '1.2.3.4', timestamp: T0 / 1000 - 60 }]) },
        { id: 2, client_email: 'user2', ips: '["2001:db8::1"]' },
      ],
      nodes: [
        {
          ...{ id: 4, name: 'far', scheme: 'https', address: 'node.example.com', port: 2053, base_path: '/x' },
          ...{ api_token: 'secret', enable: 1, allow_private_address: 0 },
        },
      ],
      custom_geo_resources: [{ id: 3, geo_type: 'geosite', alias: 'ads', url: 'https://example.com/ads.dat' }],
    });

  it('keeps all of its numbers, names, credentials and terms, without findings', () => {
    const { of, said } = panel();
    expect(said).toEqual([
      'nodes: noted: node far: inbounds on it that this panel manages: 1; their clients are identified by email, and their traffic counts from the first report',
    ]);
    expect(of('UserCreated')).toEqual([
      { user: 1, epoch: 0, credentials: { username: 'root', passwordHash: HASH } },
      { user: 5, epoch: 0, credentials: { username: 'amy', passwordHash: HASH } },
    ]);
    expect(of('InboundAdded')).toMatchObject([
      {
        inbound: 2,
        owner: 1,
        node: null,
        enabled: true,
        spec: {
          ...{ remark: 'inbound 2', listen: '', port: 20_002, protocol: 'vless', tag: 'inbound-20002' },
          ...{ capBytes: 5000, expiresAt: T0 + 9 * DAY, trafficReset: 'monthly' },
          sniffing: { enabled: true, destOverride: ['http', 'tls'] },
        },
        config: {
          settings: { decryption: 'none', fallbacks: [] },
          stream: { network: 'tcp', security: 'none', tcpSettings: {} },
        },
      },
      { inbound: 7, owner: 5, node: 4, enabled: false, spec: { protocol: 'trojan' } },
    ]);
    const usual = { security: '', method: '', reverseTag: '' };
    expect(of('ClientAdded')).toEqual([
      {
        ...{ client: 1, inbound: 2, keyVersion: 1 },
        spec: {
          ...{ enabled: true, capBytes: 1000, expiresAt: T0 + DAY, limitIp: 2, renewalDays: 30 },
          ...{ ...usual, flow: 'xtls-rprx-vision' },
        },
        identity: { email: 'user1', subId: 'sub1', comment: '', tgId: 0, extra: {} },
        credential: { id: foreignUuid(1), password: '', auth: '' },
      },
      {
        ...{ client: 2, inbound: 2, keyVersion: 1 },
        spec: { enabled: false, capBytes: 0, expiresAt: -7 * DAY, limitIp: 0, renewalDays: 0, flow: '', ...usual },
        identity: { email: 'user2', subId: 'sub2', comment: 'a friend', tgId: 77, extra: { nickname: 'Bo' } },
        credential: { id: foreignUuid(2), password: '', auth: '' },
      },
      {
        ...{ client: 3, inbound: 7, keyVersion: 1 },
        spec: { enabled: true, capBytes: 0, expiresAt: 0, limitIp: 0, renewalDays: 0, flow: '', ...usual },
        identity: { email: 'user3', subId: 'sub3', comment: '', tgId: 0, extra: {} },
        credential: { id: '', password: 'open sesame', auth: '' },
      },
    ]);
  });

  it('keeps its traffic and comments', () => {
    const { of, report } = panel();
    const times = { createdAt: 1_700_000_000_000, updatedAt: 1_700_000_000_001 };
    expect(of('ClientHistoryImported')).toEqual([
      { client: 1, up: 3, down: 4, allTime: 50, lastOnlineAt: T0 - 5000, ...times },
      { client: 2, up: 0, down: 0, allTime: 0, lastOnlineAt: 0, ...times },
      { client: 3, up: 1, down: 1, allTime: 2, lastOnlineAt: 0, ...times },
    ]);
    expect(of('InboundHistoryImported')).toEqual([{ inbound: 2, up: 10, down: 20, allTime: 100, resetAt: T0 - DAY }]);
    expect(of('OutboundHistoryImported')).toEqual([{ tag: 'direct', up: 8, down: 9 }]);
    expect(of('ClientIpsSeen')).toEqual([
      { client: 1, ips: [{ ip: '1.2.3.4', seenAt: T0 - 60_000 }] },
      { client: 2, ips: [{ ip: '2001:db8::1', seenAt: T0 }] },
    ]);
    const bytes = { inboundUp: 10, inboundDown: 20, clientUp: 4, clientDown: 5, outboundUp: 8, outboundDown: 9 };
    expect(report.totals.before).toEqual({ inbounds: 2, clients: 3, ...bytes });
    expect(report.totals.after).toEqual(report.totals.before);
    expect(Object.values(report.totals.skipped)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('keeps the inbounds of its nodes managed, with the tags on the nodes', () => {
    expect(panel().of('NodeInboundAdopted')).toEqual([{ node: 4, inbound: 7, tag: 'inbound-20007' }]);
  });

  it('keeps its nodes and geo sources', () => {
    const { of } = panel();
    expect(of('NodeAdded')).toEqual([
      {
        ...{ node: 4, enabled: true, keyVersion: 1, secret: { token: 'secret' } },
        spec: {
          ...{ name: 'far', remark: '', scheme: 'https', host: 'node.example.com', port: 2053, basePath: '/x/' },
          allowPrivateAddress: false,
        },
      },
    ]);
    expect(of('GeoSourceAdded')).toEqual([
      { source: 3, type: 'geosite', alias: 'ads', url: 'https://example.com/ads.dat' },
    ]);
  });

  it('has the file and the actor in the first event, which causes all others', () => {
    const { events } = panel();
    const [first, ...rest] = events;
    expect(first).toMatchObject({
      type: 'PanelImported',
      data: {
        source: '3x-ui',
        version: '3.0',
        findingCount: 1,
        details: { requestedBy: { kind: 'user', name: 'amy' } },
      },
    });
    expect(new Set(rest.map(({ cause }) => cause))).toEqual(new Set([0]));
  });

  it('is imported by one command, only into an empty log', () => {
    const { request, events } = panel();
    given()
      .when({ type: 'ImportPanel', data: request })
      .then(...events);
    const [, created] = events;
    if (created) given(created).when({ type: 'ImportPanel', data: request }).thenRejects('IMPORT_NOT_EMPTY');
  });
});

describe('what was depleted', () => {
  const DISABLED = { enable: 0 };

  it('is depleted and not disabled here, so that a reset or a later expiry restores it', () => {
    const { of, state } = imported({
      inbounds: [
        xuiInbound(1, {
          clients: [
            xuiClient(1, { enable: false, totalGB: 10 }),
            xuiClient(2, { enable: false, expiryTime: T0 - 1 }),
            xuiClient(3, { enable: false }),
            xuiClient(4, { totalGB: 10 }),
          ],
          enable: 0,
          total: 30,
          up: 15,
          down: 15,
        }),
      ],
      client_traffics: [
        xuiStats(1, 1, 'user1', { ...DISABLED, up: 5, down: 6, total: 10 }),
        xuiStats(2, 1, 'user2', { ...DISABLED, expiry_time: T0 - 1 }),
        xuiStats(3, 1, 'user3', DISABLED),
        xuiStats(4, 1, 'user4', { up: 10, down: 0, total: 10 }),
      ],
    });
    expect(of('ClientDepleted')).toEqual([
      { client: 1, depletion: { reason: 'cap', usedBytes: 11, capBytes: 10 } },
      { client: 2, depletion: { reason: 'expiry', expiresAt: T0 - 1 } },
      { client: 4, depletion: { reason: 'cap', usedBytes: 10, capBytes: 10 } },
    ]);
    expect([...state.clients.values()].map(({ spec }) => spec.enabled)).toEqual([true, true, false, true]);
    expect(of('InboundDepleted')).toEqual([{ inbound: 1, depletion: { reason: 'cap', usedBytes: 30, capBytes: 30 } }]);
    expect(of('InboundAdded')[0]?.enabled).toBe(true);
  });

  it('has the limits of its counters if the settings differ', () => {
    const { of, said } = imported({
      inbounds: [xuiInbound(1, { clients: [xuiClient(1, { expiryTime: -DAY, totalGB: 5 })] })],
      client_traffics: [xuiStats(1, 1, 'user1', { expiry_time: T0 + 5, total: 7 })],
    });
    expect(of('ClientAdded')[0]?.spec).toMatchObject({ expiresAt: T0 + 5, capBytes: 7 });
    expect(said).toEqual([
      'users: noted: users: the database contains no account: the panel creates one at its first start',
      'clients: changed: client user1 of inbound 1: its limits in the settings of the inbound differ from those in force, which were imported',
    ]);
  });
});
