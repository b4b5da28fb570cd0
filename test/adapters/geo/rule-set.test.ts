import { describe, expect, it } from 'vitest';
import { ruleSetFile } from '../../../src/adapters/geo/rule-set.js';
import { geoLists } from '../../../src/adapters/releases/geo-format.js';
import type { GeoKind } from '../../../src/events/geo/geo.js';
import { listOf } from '../../kit/geo.js';

const convert = (rules: unknown, type: GeoKind = 'geosite') => ruleSetFile({ version: 3, rules }, type, 'MINE');

describe('a rule set', () => {
  it('is converted to a list of its domains', async () => {
    const file = await convert([
      { domain: 'Full.example', domain_suffix: ['below.example', '.under.example'] },
      { type: 'default', invert: false, domain_keyword: ['word'], domain_regex: ['^a+\\.example$'] },
    ]);
    expect(listOf(file)).toStrictEqual({
      name: 'MINE',
      domains: [
        ['full', 'full.example'],
        ['domain', 'below.example'],
        ['regex', '\\.under\\.example$'],
        ['substring', 'word'],
        ['regex', '^a+\\.example$'],
      ],
      ranges: [],
    });
    expect(await geoLists(file)).toStrictEqual({ tags: ['MINE'], hasAddresses: false, hasDomains: true });
  });

  it('has a domain and its suffix merged into one entry', async () => {
    const file = await convert([{ domain: ['a.example', 'b.example'], domain_suffix: ['.a.example'] }]);
    expect(listOf(file).domains).toStrictEqual([
      ['domain', 'a.example'],
      ['full', 'b.example'],
    ]);
  });

  it('is converted to a list of its addresses', async () => {
    const file = await convert(
      [{ ip_cidr: ['192.0.2.77/24', '198.51.100.7', '0.0.0.0/0', '10.129.0.0/9'] }, { ip_cidr: '2001:db8::1/33' }],
      'geoip',
    );
    expect(listOf(file)).toStrictEqual({
      name: 'MINE',
      domains: [],
      ranges: ['192.0.2.0/24', '198.51.100.7/32', '0.0.0.0/0', '10.128.0.0/9', '2001:db8:0:0:0:0:0:0/33'],
    });
    expect(await geoLists(file)).toStrictEqual({ tags: ['MINE'], hasAddresses: true, hasDomains: false });
  });

  it('has the members of each type in the list of that type, because they are alternatives', async () => {
    const rules = [{ domain: ['a.example'], ip_cidr: ['192.0.2.0/24'] }, { ip_cidr: ['198.51.100.0/24'] }];
    expect(listOf(await convert(rules)).domains).toHaveLength(1);
    expect(listOf(await convert(rules, 'geoip')).ranges).toHaveLength(2);
  });

  it('does not block the event loop while it is read, also with empty rules', async () => {
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    await convert([...Array.from({ length: 100_000 }, () => ({})), { domain: ['a.example'] }]);
    over = true;
    expect(turns).toBeGreaterThan(10);
  });

  it.each(['(?i)^A+$', '^(?:a|b)(?P<rest>[[:alpha:]]+)$', '(?i:a)\\.b', '^\\d+\\.example$'])(
    'keeps the expression %s, which the core supports',
    async (text) => {
      expect(listOf(await convert([{ domain_regex: [text] }])).domains).toEqual([['regex', text]]);
    },
  );

  it('may have 50,000 domains', async () => {
    const domain = Array.from({ length: 50_000 }, (_, i) => `host-${i}.example`);
    expect(listOf(await convert([{ domain }])).domains).toHaveLength(50_000);
  });

  it.each<[string, unknown, GeoKind, RegExp]>([
    ['no rules', undefined, 'geosite', /not a rule set/],
    ['rules that are no list', { domain: ['a.example'] }, 'geosite', /not a rule set/],
    ['a rule that is a text', ['a.example'], 'geosite', /not an object/],
    ['no domains', [{ ip_cidr: ['192.0.2.0/24'] }], 'geosite', /nothing of type geosite/],
    ['no addresses', [{ domain: ['a.example'] }], 'geoip', /nothing of type geoip/],
    ['a port', [{ domain: ['a.example'], port: [443] }], 'geosite', /cannot express/],
    ['a member of objects', [{ ['__proto__x']: 1 }], 'geosite', /cannot express/],
    ['a rule of rules', [{ type: 'logical', mode: 'and', rules: [] }], 'geosite', /cannot express/],
    ['the opposite', [{ domain: ['a.example'], invert: true }], 'geosite', /cannot express/],
    ['an expression without an end', [{ domain_regex: ['^(a'] }], 'geosite', /invalid domain: "\^\(a"/],
    ['a repetition of nothing', [{ domain_regex: ['*.example'] }], 'geosite', /invalid domain/],
    ['an expression that looks ahead', [{ domain_regex: ['a(?!b)'] }], 'geosite', /invalid domain/],
    ['a number for a domain', [{ domain: [1] }], 'geosite', /not a list of strings/],
    ['an empty domain', [{ domain: [''] }], 'geosite', /invalid domain/],
    ['a suffix of a dot', [{ domain_suffix: ['.'] }], 'geosite', /invalid domain/],
    ['a suffix that would be an expression', [{ domain_suffix: ['.a|b'] }], 'geosite', /invalid domain/],
    ['a domain with a dot behind it', [{ domain: ['a.example.'] }], 'geosite', /invalid domain/],
    ['an address for a domain', [{ domain: ['https://a.example/'] }], 'geosite', /invalid domain/],
    ['a domain of 2000 characters', [{ domain: ['a'.repeat(2000)] }], 'geosite', /invalid domain/],
    ['a domain for an address', [{ ip_cidr: ['a.example'] }], 'geoip', /invalid address/],
    ['a prefix beyond the end', [{ ip_cidr: ['192.0.2.0/33'] }], 'geoip', /invalid address/],
    ['two prefixes', [{ ip_cidr: ['192.0.2.0/24/24'] }], 'geoip', /invalid address/],
    ['no prefix', [{ ip_cidr: ['192.0.2.0/'] }], 'geoip', /invalid address/],
    ['an interface', [{ ip_cidr: ['fe80::1%eth0'] }], 'geoip', /invalid address/],
  ])('with %s is rejected', async (_, rules, type, why) => {
    await expect(convert(rules, type)).rejects.toThrow(why);
  });
});
