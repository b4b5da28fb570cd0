import { describe, expect, it } from 'vitest';
import type { InboundForm } from '../src/api/contract.generated';
import { clientKey, clientPath, emailIn, statesOf, type WireClient } from '../src/model/clients';
import { valueAt, withValue } from '../src/model/json';
import { numberedSample } from '../src/model/new-client';
import { valuesOf, wireOfValues } from '../src/screens/clients/form/client-values';
import { bodyOf, draftOf, parseDraft } from '../src/screens/inbounds/editor/draft';

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const inbound: InboundForm = {
  ...{ id: 1, version: 'v', remark: 'r', tag: 't', protocol: 'vless', listen: '', port: 443, enable: true, nodeId: 0 },
  ...{ total: 0, expiryTime: 0, trafficReset: 'never', clients: 1 },
  settings: { decryption: 'none', fallbacks: [] },
  streamSettings: { network: 'tcp', security: 'none', sockopt: { mark: 7 } },
  sniffing: { enabled: false },
};

describe('the paths of clients', () => {
  it.each([
    ['vless', 'u'],
    ['trojan', 'p'],
    ['shadowsocks', 'a'],
    ['hysteria2', 'h'],
  ])('name them as %s does', (protocol, key) => {
    const wire = { email: 'a', id: 'u', password: 'p', auth: 'h' };
    expect(clientKey(protocol, wire)).toBe(key);
  });
});

describe('the states of a client', () => {
  const row = { state: 'active', expiryTime: 0, up: 3, down: 4, total: 0 } as const;
  it('are one, or all that prevent a connection', () => {
    expect(statesOf(row, NOW)).toStrictEqual(['active']);
    expect(statesOf({ ...row, state: 'high', total: 8 }, NOW)).toStrictEqual(['high']);
    const past = { ...row, expiryTime: NOW - DAY, total: 7 };
    expect(statesOf({ ...past, state: 'expired' }, NOW)).toStrictEqual(['expired', 'depleted']);
    expect(statesOf({ ...past, state: 'disabled' }, NOW)).toStrictEqual(['disabled', 'expired', 'depleted']);
    expect(statesOf({ ...past, state: 'depleted', expiryTime: NOW + DAY }, NOW)).toStrictEqual(['depleted']);
  });
});

describe('the address of a client', () => {
  it.each(['a', 'a/b', '%2F', '100%', '<b>?#&"', '\u202e', 'نام'])('leads to %j', (email) => {
    expect(emailIn(clientPath(email))).toBe(email);
  });

  it('may be typed by hand', () => {
    expect(emailIn('/clients/100%')).toBe('100%');
  });
});

describe('the form of a client', () => {
  const client: WireClient = {
    ...{ id: 'u', email: 'a', enable: true, totalGB: 1_234_567_891, expiryTime: NOW + 12_345, limitIp: 2, tgId: 4711 },
    ...{ subId: 's', comment: 'Ahab', reset: 30, flow: '' },
  };

  it.each([{}, { totalGB: 0, expiryTime: 0 }, { expiryTime: -30 * DAY }, { enable: false, tgId: 0, limitIp: 0 }])(
    'returns what it got: %j',
    (changes) => {
      const { id: _, flow: __, ...shown } = { ...client, ...changes };
      const before = { ...client, ...changes };
      expect(wireOfValues(valuesOf(before, undefined), before)).toStrictEqual(shown);
    },
  );

  it('changes a rounded cap and an expiry only with their fields', () => {
    const values = { ...valuesOf(client, undefined), gigabytes: 2, expires: 'use' as const, days: 7 };
    expect(wireOfValues(values, client)).toMatchObject({ totalGB: 2 * 1024 ** 3, expiryTime: -7 * DAY });
  });
});

describe('the draft of an inbound', () => {
  it('goes through the form unchanged, without the clients', () => {
    const body = bodyOf(draftOf(inbound));
    expect(JSON.parse(body.settings)).toStrictEqual({ decryption: 'none', fallbacks: [] });
    expect(JSON.parse(body.streamSettings)).toStrictEqual(inbound.streamSettings);
    expect(body).toMatchObject({ remark: 'r', port: 443, protocol: 'vless', trafficReset: 'never' });
  });

  it('takes a value at any path, and leaves the rest as it is', () => {
    const path = 'streamSettings.tlsSettings.certificates.0.keyFile';
    const changed = withValue(draftOf(inbound), path, '/k');
    expect(valueAt(changed, path)).toBe('/k');
    expect(Array.isArray(valueAt(changed, 'streamSettings.tlsSettings.certificates'))).toBe(true);
    expect(valueAt(changed, 'streamSettings.sockopt.mark')).toBe(7);
    expect(valueAt(draftOf(inbound), path)).toBeUndefined();
    expect(withValue(draftOf(inbound), path, undefined)).toStrictEqual(draftOf(inbound));
    expect(withValue(changed, 'streamSettings.tlsSettings', undefined)).toStrictEqual(draftOf(inbound));
  });

  it.each([
    ['', 'notJson'],
    ['{"remark":', 'notJson'],
    ['[]', 'import.wrong'],
    ['{"settings":1}', 'import.wrong'],
    ['{"remark":7}', 'import.wrong'],
  ])('is not the JSON %s', (text, problem) => {
    expect(parseDraft(text, draftOf(inbound))).toBe(problem);
  });
});

describe('the emails of several new clients', () => {
  it.each([
    [{ pattern: 'user', first: 1, digits: 1 }, 2, 'user-1, user-2'],
    [{ pattern: ' user-{n}@x ', first: 8, digits: 3 }, 4, 'user-008@x, user-009@x, user-010@x, user-011@x'],
    [{ pattern: '{n}', first: 0, digits: 2 }, 200, '00, 01, 02, …, 199'],
  ])('of %j, %i times, are %j', (numbering, count, wanted) => {
    expect(numberedSample(numbering, count)).toBe(wanted);
  });
});
