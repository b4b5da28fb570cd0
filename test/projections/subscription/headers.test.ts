import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subscriptionBody } from '../../../src/projections/subscription/body.js';
import {
  type SubscriptionHeaders,
  subscriptionHeaders,
  usageHeader,
} from '../../../src/projections/subscription/headers.js';
import { type ClientUsage, totalUsage } from '../../../src/projections/subscription/usage.js';

const G = 1024 ** 3;
const T1 = 1_800_000_000_000;
const T2 = 1_900_000_000_000;

function usageOf(capBytes: number, expiresAt: number): ClientUsage {
  return { up: 1, down: 2, capBytes, expiresAt };
}

function headersOf(settings: Partial<SubscriptionHeaders['settings']> = {}, parts: Partial<SubscriptionHeaders> = {}) {
  return subscriptionHeaders({
    url: 'https://sub.example.com:10882/sub/s1',
    settings: {
      subTitle: '',
      subSupportUrl: '',
      subProfileUrl: '',
      subAnnounce: '',
      subUpdates: 12,
      subEnableRouting: true,
      subRoutingRules: '',
      ...settings,
    },
    ...parts,
  });
}

describe('the usage of several clients', () => {
  const userinfo = (...clients: ClientUsage[]) => usageHeader(clients);
  const total = (bytes: number, seconds: number, count: number) =>
    `upload=${count}; download=${2 * count}; total=${bytes}; expire=${seconds}`;

  it.each([
    { name: 'nobody', clients: [], bytes: 0, seconds: 0 },
    { name: 'one', clients: [usageOf(10 * G, T1)], bytes: 10 * G, seconds: T1 / 1000 },
    { name: 'the same end', clients: [usageOf(10 * G, T1), usageOf(5 * G, T1)], bytes: 15 * G, seconds: T1 / 1000 },
    { name: 'different ends', clients: [usageOf(10 * G, T1), usageOf(5 * G, T2)], bytes: 15 * G, seconds: 0 },
    { name: 'one without a cap', clients: [usageOf(10 * G, T1), usageOf(0, T1)], bytes: 0, seconds: T1 / 1000 },
    { name: 'one without an end', clients: [usageOf(0, 0), usageOf(10 * G, T1)], bytes: 0, seconds: 0 },
    { name: 'a term not started', clients: [usageOf(1, -7), usageOf(1, -7)], bytes: 2, seconds: 0 },
  ])('$name', ({ clients, bytes, seconds }) => {
    expect(userinfo(...clients)).toBe(total(bytes, seconds, clients.length));
  });

  it('is counted once for siblings, against the largest of their caps', () => {
    const anna = (capBytes: number, expiresAt = T1): ClientUsage => ({
      person: 'anna',
      ...usageOf(capBytes, expiresAt),
    });
    expect(userinfo(anna(5 * G), anna(10 * G))).toBe(total(10 * G, T1 / 1000, 1));
    expect(userinfo(anna(5 * G), { ...anna(1 * G), person: 'bert' }, usageOf(G, T1))).toBe(total(7 * G, T1 / 1000, 3));
    expect(userinfo(anna(5 * G), anna(0))).toBe(total(0, T1 / 1000, 1));
    expect(userinfo(anna(5 * G), anna(5 * G, T2))).toBe(total(5 * G, 0, 1));
  });

  it('consists of plain unsigned integers', () => {
    const anyUsage = fc.record({ up: fc.double(), down: fc.double(), capBytes: fc.double(), expiresAt: fc.integer() });
    fc.assert(
      fc.property(fc.array(anyUsage), (clients) => {
        expect(userinfo(...clients)).toMatch(/^upload=\d+; download=\d+; total=\d+; expire=\d+$/);
      }),
    );
  });

  it('contains a term that no client has started', () => {
    expect(totalUsage([usageOf(0, -7), usageOf(0, -7)]).expiresAt).toBe(-7);
  });
});

describe('the headers of a subscription', () => {
  it('omit values that are not set', () => {
    expect(headersOf()).toStrictEqual({
      'Profile-Update-Interval': '12',
      'Profile-Web-Page-Url': 'https://sub.example.com:10882/sub/s1',
      'Routing-Enable': 'true',
    });
  });

  it('contain all values that are set', () => {
    const settings = {
      subTitle: 'Täst 🚀',
      subSupportUrl: 'https://t.me/x',
      subProfileUrl: 'https://example.com/profil/ü',
      subAnnounce: 'Hello\nworld',
      subUpdates: 6,
      subEnableRouting: false,
      subRoutingRules: 'happ://routing/add/e30=',
    };
    expect(headersOf(settings, { fileName: 'Täst "x"' })).toMatchObject({
      'Profile-Update-Interval': '6',
      'Profile-Title': 'base64:VMOkc3Qg8J+agA==',
      'Profile-Web-Page-Url': 'https://example.com/profil/%C3%BC',
      'Support-Url': 'https://t.me/x',
      Announce: 'base64:SGVsbG8Kd29ybGQ=',
      'Routing-Enable': 'false',
      Routing: 'happ://routing/add/e30=',
      'Content-Disposition': "attachment; filename*=UTF-8''T%C3%A4st%20%22x%22",
    });
  });

  it('contain no line break, which would inject a header', () => {
    const hostile = 'https://x.test\r\nSet-Cookie: a=b';
    const headers = headersOf({ subSupportUrl: hostile, subProfileUrl: hostile, subRoutingRules: hostile });
    expect(headers).not.toHaveProperty('Support-Url');
    expect(headers).not.toHaveProperty('Routing');
    expect(headers['Profile-Web-Page-Url']).toBe('https://sub.example.com:10882/sub/s1');
  });

  it.each([
    'javascript:alert(1)',
    ' https://x.example',
    'JAVA\tscript:x',
    '//x.example',
    'data:text/html,x',
    'vbscript:x',
  ])('omit %j, also if it was stored earlier', (subSupportUrl) => {
    const stored = { subSupportUrl, subProfileUrl: subSupportUrl };
    const headers = headersOf({ ...stored, subAnnounce: `See javascript:x`, subRoutingRules: 'vbscript:x' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['Support-Url', 'Announce', 'Routing']));
    expect(headers['Profile-Web-Page-Url']).toBe('https://sub.example.com:10882/sub/s1');
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('contain 12 hours instead of %d', (subUpdates) => {
    expect(headersOf({ subUpdates })['Profile-Update-Interval']).toBe('12');
  });

  it('are always valid', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({
        unit: fc.constantFrom('\r', '\n', '\0', '\t', 'a', 'ü', '\ud800', '🚀', '\x7f', '"'),
        maxLength: 20,
      }),
      fc.constantFrom('x'.repeat(5000), '\n'.repeat(5000)),
    );
    const settings = fc.record({
      subTitle: text,
      subSupportUrl: text,
      subProfileUrl: text,
      subAnnounce: text,
      subUpdates: fc.double(),
      subEnableRouting: fc.boolean(),
      subRoutingRules: text,
    });
    fc.assert(
      fc.property(settings, text, text, (hostile, url, fileName) => {
        const response = new ServerResponse(new IncomingMessage(new Socket()));
        for (const [name, value] of Object.entries(headersOf(hostile, { url, fileName }))) {
          expect(value).toMatch(/^[ -~]{1,4096}$/);
          response.setHeader(name, value);
        }
      }),
    );
  });
});

describe('subscriptionBody', () => {
  it('ends every link with a line feed', () => {
    expect(subscriptionBody(['vless://a', 'ss://b'], false)).toBe('vless://a\nss://b\n');
    expect(subscriptionBody([], false)).toBe('');
  });
  it('is standard base64 with padding and without line breaks', () => {
    const links = Array.from({ length: 50 }, () => 'vless://?>?>');
    const body = subscriptionBody(links, true);
    expect(body).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(Buffer.from(body, 'base64').toString()).toBe(subscriptionBody(links, false));
  });
});
