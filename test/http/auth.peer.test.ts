import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/events/settings.js';
import { crossSite } from '../../src/http/auth/csrf.js';
import { network, Peers } from '../../src/http/auth/peer.js';

const request = (remoteAddress: string, headers: Record<string, string>, encrypted = false) =>
  ({ socket: { remoteAddress, ...(encrypted ? { encrypted } : {}) }, headers }) as unknown as IncomingMessage;
const peers = (...trustedProxyCIDRs: string[]) => {
  const settings = { ...defaultSettings, trustedProxyCIDRs };
  return new Peers(() => settings);
};
const local = peers('127.0.0.0/8', '::1/128');

describe('the address of a caller', () => {
  it.each([
    ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4' }, '1.2.3.4'],
    ['::ffff:127.0.0.1', { 'x-forwarded-for': '1.2.3.4' }, '1.2.3.4'],
    ['203.0.113.9', { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4' }, '203.0.113.9'],
    ['127.0.0.1', { 'x-forwarded-for': '6.6.6.6, 1.2.3.4' }, '1.2.3.4'],
    ['127.0.0.1', { 'x-forwarded-for': '6.6.6.6, 1.2.3.4, 127.0.0.2' }, '1.2.3.4'],
    ['127.0.0.1', { 'x-forwarded-for': 'evil<script>, unknown' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4:5678' }, '1.2.3.4'],
    ['127.0.0.1', { 'x-forwarded-for': '[2001:db8::1]:5678' }, '2001:db8::1'],
    ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '9.9.9.9' }, '1.2.3.4'],
    ['127.0.0.1', { 'x-real-ip': '9.9.9.9' }, '9.9.9.9'],
    ['127.0.0.1', { 'x-real-ip': 'localhost' }, '127.0.0.1'],
  ])('of %s with %j is %s', (address, headers, ip) => {
    expect(local.of(request(address, headers)).ip).toBe(ip);
  });

  it('follows the settings', () => {
    expect(peers().of(request('127.0.0.1', { 'x-forwarded-for': '1.2.3.4' })).ip).toBe('127.0.0.1');
    expect(peers('10.0.0.0/8').trusts('10.1.2.3')).toBe(true);
    expect(peers('10.9.8.7/8').trusts('10.1.2.3')).toBe(true);
    expect(peers('2001:db8::/32').trusts('2001:db8::5')).toBe(true);
    expect(peers('192.0.2.1').trusts('192.0.2.2')).toBe(false);
    expect(peers('192.0.2.1').trusts('nonsense')).toBe(false);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001::6', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('counts %s as %s', (ip, key) => {
    expect(network(ip)).toBe(key);
  });
});

describe('the host that was asked', () => {
  it.each([
    ['127.0.0.1', { host: 'panel.example:2053' }, 'panel.example', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': 'b.example', 'x-forwarded-proto': 'https' }, 'b.example', true],
    ['127.0.0.1', { host: 'a', 'x-forwarded-proto': 'https, http' }, 'a', true],
    ['127.0.0.1', { host: 'a', 'x-forwarded-proto': 'javascript' }, 'a', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': 'evil"><x>' }, 'a', false],
    ['203.0.113.9', { host: 'a', 'x-forwarded-host': 'evil', 'x-forwarded-proto': 'https' }, 'a', false],
    ['203.0.113.9', { host: '[2001:db8::1]:443' }, '2001:db8::1', false],
    ['203.0.113.9', { host: 'evil"><x>' }, '', false],
    ['203.0.113.9', { host: 'a/b' }, '', false],
  ])('of %s with %j is %s', (address, headers, hostname, secure) => {
    expect(local.of(request(address, headers))).toMatchObject({ hostname, secure });
  });
});

describe('another site', () => {
  const isCross = (address: string, headers: Record<string, string>, encrypted = false) => {
    const req = request(address, headers, encrypted);
    return crossSite(req, local.of(req));
  };
  const host = 'panel.example:2053';

  it.each([
    [{ host }, false],
    [{ host, origin: 'http://panel.example:2053' }, false],
    [{ host, origin: 'http://PANEL.example:2053' }, false],
    [{ host, origin: 'http://panel.example:2054' }, true],
    [{ host, origin: 'http://panel.example' }, true],
    [{ host, origin: 'https://panel.example:2053' }, true],
    [{ host, origin: 'null' }, true],
    [{ host, origin: '' }, true],
    [{ host, 'sec-fetch-site': 'same-origin', origin: 'https://panel.example' }, false],
    [{ host, 'sec-fetch-site': 'none' }, false],
    [{ host, 'sec-fetch-site': 'same-site' }, true],
    [{ host: 'panel.example', origin: 'http://panel.example:80' }, false],
  ])('directly, %j: %s', (headers, answer) => {
    expect(isCross('203.0.113.9', headers)).toBe(answer);
  });

  it('behind a proxy goes by the name', () => {
    const origin = 'https://panel.example:8443';
    expect(isCross('127.0.0.1', { host: 'panel.example', origin, 'x-forwarded-for': '1.2.3.4' })).toBe(false);
    expect(isCross('127.0.0.1', { host: 'other.example', origin, 'x-forwarded-for': '1.2.3.4' })).toBe(true);
    expect(isCross('127.0.0.1', { host: 'panel.example', origin })).toBe(true);
  });
});
