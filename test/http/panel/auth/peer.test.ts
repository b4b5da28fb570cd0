import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../../src/events/settings/settings.js';
import { isCrossSite } from '../../../../src/http/panel/auth/csrf.js';
import { network, Peers } from '../../../../src/http/panel/auth/peer.js';
import { Endpoints } from '../../../../src/http/server/listening/endpoint.js';

function request(remoteAddress: string, headers: Record<string, string>, encrypted = false): IncomingMessage {
  const members = { remoteAddress: { value: remoteAddress }, ...(encrypted && { encrypted: { value: true } }) };
  const message = new IncomingMessage(Object.defineProperties(new Socket(), members));
  message.headers = headers;
  return message;
}
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
    ['127.0.0.1', { 'x-forwarded-for': '', 'x-real-ip': '9.9.9.9' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4, unknown' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4,,' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '1.2.3.4, ::ffff:127.0.0.3, ::1' }, '1.2.3.4'],
    ['127.0.0.1', { 'x-forwarded-for': '999.1.1.1' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': '0x7f.1, 010.0.0.1' }, '127.0.0.1'],
    ['127.0.0.1', { 'x-forwarded-for': 'fe80::1%eth0' }, 'fe80::1'],
    ['::1', { 'x-forwarded-for': '2001:db8::7' }, '2001:db8::7'],
    ['', { 'x-forwarded-for': '1.2.3.4' }, ''],
  ])('of %s with %j is %s', (address, headers, ip) => {
    expect(local.of(request(address, headers)).ip).toBe(ip);
  });

  it('is taken from the last 32 entries', () => {
    const behind = (proxies: number) => ({
      'x-forwarded-for': ['1.2.3.4', ...Array(proxies).fill('127.0.0.1')].join(),
    });
    expect(local.of(request('127.0.0.1', behind(31))).ip).toBe('1.2.3.4');
    expect(local.of(request('127.0.0.1', behind(32))).ip).toBe('127.0.0.1');
  });

  it('follows the settings', () => {
    expect(peers().of(request('127.0.0.1', { 'x-forwarded-for': '1.2.3.4' })).ip).toBe('127.0.0.1');
    expect(peers('10.0.0.0/8').trusts('10.1.2.3')).toBe(true);
    expect(peers('10.9.8.7/8').trusts('10.1.2.3')).toBe(true);
    expect(peers('2001:db8::/32').trusts('2001:db8::5')).toBe(true);
    expect(peers('192.0.2.1').trusts('192.0.2.2')).toBe(false);
    expect(peers('192.0.2.1').trusts('nonsense')).toBe(false);
    expect(peers('::1').trusts('0:0:0:0:0:0:0:1')).toBe(true);
    expect(peers('10.0.0.0/8').trusts('::ffff:10.1.2.3')).toBe(true);
    expect(peers('0.0.0.0/0').trusts('203.0.113.9')).toBe(true);
    expect(peers('0.0.0.0/0').trusts('2001:db8::1')).toBe(false);
    const all = peers('0.0.0.0/0', '::/0');
    expect(all.of(request('203.0.113.9', { 'x-forwarded-for': '1.2.3.4, 5.6.7.8' })).ip).toBe('1.2.3.4');
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

describe('the requested host', () => {
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
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': 'evil.example, b.example' }, 'b.example', false],
    [
      '127.0.0.1',
      { host: 'a', 'x-forwarded-host': 'evil, b.example, inner', 'x-forwarded-for': '9.9.9.9, 127.0.0.2' },
      'b.example',
      false,
    ],
    [
      '127.0.0.1',
      { host: 'a', 'x-forwarded-host': 'b.example', 'x-forwarded-for': '9.9.9.9, 127.0.0.2' },
      'b.example',
      false,
    ],
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': 'evil, ' }, 'a', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': 'b\r\nset-cookie: x' }, 'a', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': '[::1' }, 'a', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': 'user@b.example' }, 'a', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-host': 'b.example:99999999' }, 'a', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-proto': 'HTTPS' }, 'a', true],
    ['127.0.0.1', { host: 'a', 'x-forwarded-proto': 'wss' }, 'a', false],
    ['127.0.0.1', { host: 'a', 'x-forwarded-proto': '' }, 'a', false],
  ])('of %s with %j is %s', (address, headers, hostname, secure) => {
    expect(local.of(request(address, headers))).toMatchObject({ hostname, secure });
  });
});

describe('the forwarded headers of a real connection', () => {
  /** The address that both servers see, on a dual-stack socket. */
  const seen = async (address: string, lines: readonly string[], ...trusted: string[]) => {
    const known = peers(...trusted);
    const endpoints = new Endpoints((req, res) => void res.end(JSON.stringify(known.of(req))));
    const { port } = (await endpoints.open(0, '')).address;
    const socket = connect(port, address);
    socket.write(['GET / HTTP/1.1', 'Host: own.example', 'Connection: close', ...lines, '', ''].join('\r\n'));
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    await endpoints.close();
    return JSON.parse(text.split('\r\n\r\n')[1] ?? '') as object;
  };
  const several = ['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-For: 1.2.3.4', 'X-Forwarded-Proto: https'];

  it('are used if the proxy is configured by its IPv4 address and connects from the mapped IPv6 one', async () => {
    expect(await seen('127.0.0.1', several, '127.0.0.0/8')).toMatchObject({
      ip: '1.2.3.4',
      host: 'own.example',
      secure: true,
      proxied: true,
    });
  });

  it('are ignored if the proxy is configured by the other family only, or not at all', async () => {
    const direct = { ip: '127.0.0.1', host: 'own.example', secure: false, proxied: false };
    expect(await seen('127.0.0.1', several, '::1/128')).toMatchObject(direct);
    expect(await seen('127.0.0.1', several)).toMatchObject(direct);
  });
});

describe('a request from another site', () => {
  const isCross = (address: string, headers: Record<string, string>, encrypted = false) => {
    const req = request(address, headers, encrypted);
    return isCrossSite(req, local.of(req));
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
  ])('without a proxy, %j: %s', (headers, answer) => {
    expect(isCross('203.0.113.9', headers)).toBe(answer);
  });

  it('is recognized by its host name behind a proxy', () => {
    const origin = 'https://panel.example:8443';
    expect(isCross('127.0.0.1', { host: 'panel.example', origin, 'x-forwarded-for': '1.2.3.4' })).toBe(false);
    expect(isCross('127.0.0.1', { host: 'other.example', origin, 'x-forwarded-for': '1.2.3.4' })).toBe(true);
    expect(isCross('127.0.0.1', { host: 'panel.example', origin })).toBe(true);
  });
});
