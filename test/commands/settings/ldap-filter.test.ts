import { FilterParser } from 'ldapts';
import { describe, expect, it } from 'vitest';
import { isLdapFilter } from '../../../src/commands/settings/ldap-filter.js';

/** The result of the LDAP client library, which parses the filter later. */
function isRead(text: string): boolean {
  try {
    FilterParser.parseString(text);
    return true;
  } catch {
    return false;
  }
}

describe('a search filter', () => {
  it.each([
    ...['(objectClass=person)', 'objectClass=person', '(mail=*)', '(cn=a*b*c)', '(cn=\\28x\\29)', '(a>=1)', '(a~=b)'],
    ...['(&(objectClass=person)(mail=*))', '(|(a=b)(&(c=d)(!(e=f))))', '(!(a=b))', '(a=)', '(cn=Ünal ß)'],
    ...['(memberOf:1.2.840.113556.1.4.1941:=CN=vpn,DC=x)', '(cn:dn:=x)', '(:dn:2.4.8.10:=x)', '(cn:=x)'],
  ])('is %s', (text) => {
    expect([isLdapFilter(text), isRead(text)]).toEqual([true, true]);
  });

  it.each([
    '(((',
    '(',
    ')',
    '(a=b',
    'a=b)',
    '(a=b))',
    '(a=b)(c=d)',
    '()',
    '(&)',
    '(!)',
    '(!(a=b)(c=d))',
    '(a)',
    '(=b)',
  ])('is not %s', (text) => {
    expect(isLdapFilter(text)).toBe(false);
  });

  it('is invalid with a single backslash or with the internal placeholder', () => {
    for (const text of ['(a=\\)', '(a=\\zz)', '(&\0)', '\0']) expect(isLdapFilter(text)).toBe(false);
  });

  it('is parsed in linear time', () => {
    expect(isLdapFilter('('.repeat(100_000))).toBe(false);
    expect(isLdapFilter(`${'(!'.repeat(300)}(a=b)${')'.repeat(300)}`)).toBe(true);
    expect(isLdapFilter(`(${'a'.repeat(50_000)}`)).toBe(false);
  });
});
