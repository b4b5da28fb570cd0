import { describe, expect, it } from 'vitest';
import type { ClientTraffic, Inbound } from '../src/api/contract.generated';
import { clientKey, clientRows, stateOf } from '../src/model/clients';
import { bodyOf, draftOf, valueAt, withValue } from '../src/screens/inbounds/draft';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const stats: ClientTraffic = {
  ...{ id: 7, inboundId: 1, enable: true, email: 'a', uuid: 'u', subId: 's', up: 0, down: 0, allTime: 0 },
  ...{ expiryTime: 0, total: 0, reset: 0, lastOnline: 0 },
};
const inbound: Inbound = {
  ...{ id: 1, userId: 1, up: 0, down: 0, total: 0, allTime: 0, remark: 'r', enable: true, expiryTime: 0 },
  ...{ trafficReset: 'never', lastTrafficResetTime: 0, listen: '', port: 443, protocol: 'vless', tag: 't' },
  clientStats: [stats],
  settings: JSON.stringify({ decryption: 'none', clients: [{ id: 'u', email: 'a', comment: 'Ahab' }], fallbacks: [] }),
  streamSettings: JSON.stringify({ network: 'tcp', security: 'none', sockopt: { mark: 7 } }),
  sniffing: JSON.stringify({ enabled: false }),
};

describe('the state of a client', () => {
  it.each([
    ['active', {}, {}],
    ['disabled', { enable: false }, { total: 1, up: 5 }],
    ['depleted', {}, { total: 10, up: 5, down: 5, enable: false }],
    ['expired', {}, { expiryTime: NOW - 1, enable: false }],
    ['expiring', {}, { expiryTime: NOW + DAY }],
    ['high', {}, { total: 10, up: 8 }],
    ['active', {}, { expiryTime: -30 * DAY }],
  ])('is %s', (state, wire, changes) => {
    expect(stateOf({ email: 'a', ...wire }, { ...stats, ...changes }, NOW)).toBe(state);
  });
});

describe('the rows of the clients', () => {
  it('join counters with settings, and stay the same objects while nothing changes', () => {
    const [row] = clientRows([inbound], NOW);
    expect(row).toMatchObject({ key: '7', email: 'a', wire: { comment: 'Ahab' }, state: 'active' });
    expect(row?.text).toContain('ahab');
    expect(clientRows([{ ...inbound }], NOW)[0]).toBe(row);
  });

  it.each([
    ['vless', 'u'],
    ['trojan', 'p'],
    ['shadowsocks', 'a'],
    ['hysteria2', 'h'],
  ])('are named in paths as %s wants it', (protocol, key) => {
    const wire = { email: 'a', id: 'u', password: 'p', auth: 'h' };
    expect(clientKey({ inbound: { ...inbound, protocol }, wire })).toBe(key);
  });
});

describe('the draft of an inbound', () => {
  it('goes through the form unchanged, without the clients', () => {
    const body = bodyOf(draftOf(inbound));
    expect(JSON.parse(body.settings)).toStrictEqual({ decryption: 'none', fallbacks: [] });
    expect(JSON.parse(body.streamSettings)).toStrictEqual(JSON.parse(inbound.streamSettings));
    expect(body).toMatchObject({ remark: 'r', port: 443, protocol: 'vless', trafficReset: 'never' });
  });

  it('takes a value at any path, and leaves the rest as it is', () => {
    const path = 'streamSettings.tlsSettings.certificates.0.keyFile';
    const changed = withValue(draftOf(inbound), path, '/k');
    expect(valueAt(changed, path)).toBe('/k');
    expect(Array.isArray(valueAt(changed, 'streamSettings.tlsSettings.certificates'))).toBe(true);
    expect(valueAt(changed, 'streamSettings.sockopt.mark')).toBe(7);
    expect(valueAt(draftOf(inbound), path)).toBeUndefined();
  });
});
