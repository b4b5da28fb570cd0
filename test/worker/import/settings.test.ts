import { describe, expect, it } from 'vitest';
import { message, verbatim } from '../../../src/messages/message.js';
import { xuiInbound } from '../../kit/xui-database.js';
import { imported } from './kit.js';

const users = [{ id: 1, username: 'root', password: `$2a$10$${'a'.repeat(53)}` }];
const SEED = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const THEIRS = { subPort: 2096 };

const changes = (settings: Record<string, string>, over: Parameters<typeof imported>[1] = {}) => {
  const { of, said } = imported({ users, settings }, over);
  return {
    changed: of('SettingsChanged')[0]?.changes,
    said,
    secrets: of('SecretSettingChanged'),
    tokens: of('ApiTokenIssued'),
  };
};

describe('imported settings', () => {
  it('keep paths, ports and everything that customers see; unset ones get the defaults of 3x-ui', () => {
    const { changed, said } = changes({
      ...{ webPort: '54321', webBasePath: '/secret', subPath: 'my-sub', subJsonPath: '/j/', subEncrypt: 'false' },
      ...{ subUpdates: '6', subShowInfo: 'true', timeLocation: 'Asia/Tehran', sessionMaxAge: '60', remarkModel: '-io' },
      ...{ trustedProxyCIDRs: '127.0.0.1/32,10.0.0.0/8', secret: 'of their sessions' },
    });
    expect(said).toEqual([]);
    expect(changed).toEqual({
      ...THEIRS,
      ...{ webPort: 54_321, webBasePath: '/secret/', subPath: '/my-sub/', subJsonPath: '/j/', subEncrypt: false },
      ...{ subUpdates: 6, timeLocation: 'Asia/Tehran', sessionMaxAge: 60, remarkModel: '-io' },
      trustedProxyCIDRs: ['127.0.0.1/32', '10.0.0.0/8'],
    });
    expect(changes({ subPort: '2097' }).changed).toEqual({ subPort: 2097 });
  });

  it('of 2.x enable the JSON subscription, which could not be disabled there', () => {
    const { of } = imported({ version: '2.x', users });
    expect(of('SettingsChanged')).toEqual([{ changes: { ...THEIRS, subJsonEnable: true } }]);
  });

  it('are sealed if they are secrets, and the API token stays valid', () => {
    const token = 'T'.repeat(48);
    const { changed, secrets, tokens, said } = changes({
      twoFactorEnable: 'true',
      twoFactorToken: SEED,
      chatBotToken: '1:x',
      wgprov: '{"access_token":"y"}',
      apiToken: token,
    });
    expect(said).toEqual([]);
    expect(changed).toEqual({ ...THEIRS, twoFactorEnable: true });
    expect(secrets).toEqual([
      { key: 'twoFactorToken', keyVersion: 1, secret: { value: SEED } },
      { key: 'chatBotToken', keyVersion: 1, secret: { value: '1:x' } },
      { key: 'wgprov', keyVersion: 1, secret: { value: '{"access_token":"y"}' } },
    ]);
    expect(tokens).toEqual([{ keyVersion: 1, secret: { token } }]);
  });

  it.each([
    [{ webPort: '0' }, 'setting webPort: its value is not accepted: must be 1 to 65535', THEIRS],
    [{ webPort: 'http' }, 'setting webPort: its value is not accepted: must be a whole number', THEIRS],
    [{ subEncrypt: 'perhaps' }, 'setting subEncrypt: its value is not accepted: must be true or false', THEIRS],
    [{ secretEnable: 'true' }, 'setting secretEnable: this panel has no such setting', THEIRS],
    [{ twoFactorEnable: 'true' }, 'setting twoFactorEnable: its secret is missing', THEIRS],
    [{ chatBotEnable: 'true' }, 'setting chatBotToken: its value is not accepted: is missing', THEIRS],
    [
      { webPort: '2096' },
      'setting subPort: its value is not accepted: the subscription server cannot share',
      { webPort: 2096 },
    ],
    [
      { subPath: '/json/' },
      'setting subJsonPath: its value is not accepted: is already the path',
      { ...THEIRS, subPath: '/json/', subJsonPath: '/json-2/' },
    ],
    [
      { trustedProxyCIDRs: '0.0.0.0/0' },
      'setting trustedProxyCIDRs: its value is not accepted: would let every client',
      THEIRS,
    ],
    [{ apiToken: 'a b' }, 'setting apiToken: it is not a valid token', THEIRS],
    [{ ldapEnable: 'true' }, 'setting ldapHost: its value is not accepted: is missing', THEIRS],
    [
      { subSupportUrl: 'javascript:alert(1)' },
      'setting subSupportUrl: its value is not accepted: must be an https://',
      THEIRS,
    ],
    [
      { subProfileUrl: ' https://example.com' },
      'setting subProfileUrl: its value is not accepted: must be an https://',
      THEIRS,
    ],
    [
      { subAnnounce: 'See vbscript:x' },
      'setting subAnnounce: its value is not accepted: may contain only URLs',
      THEIRS,
    ],
    [
      { subRoutingRules: 'data:text/html,x' },
      'setting subRoutingRules: its value is not accepted: may contain only URLs',
      THEIRS,
    ],
    [
      { subURI: '//evil.example/' },
      'setting subURI: its value is not accepted: must be an http:// or https:// URL',
      THEIRS,
    ],
    [
      { subJsonMux: `${'{"a":'.repeat(99)}1${'}'.repeat(99)}` },
      'setting subJsonMux: its value is not accepted: is nested deeper',
      THEIRS,
    ],
    [{ chatBotRunTime: 'when I like' }, 'setting chatBotRunTime: its value is not accepted: must be five', THEIRS],
  ])('that are invalid (%j) are skipped and reported, and the others are kept', (settings, why, left) => {
    const { changed, said } = changes({ ...settings } as Record<string, string>);
    expect(said).toEqual([expect.stringContaining(why)]);
    expect(changed).toEqual(left);
  });

  it('that this machine cannot use are skipped, because the panel would be unreachable', () => {
    const reason = message('import.notUsableHere', { why: verbatim('it is not there') });
    const hostProblems = [
      { key: 'webCertFile', reason },
      { key: 'webKeyFile', reason },
    ];
    const { changed, said } = changes({ webCertFile: '/a.pem', webKeyFile: '/b.pem' }, { hostProblems });
    expect(changed).toEqual(THEIRS);
    expect(said).toHaveLength(2);
  });

  it('do not take the port of an inbound', () => {
    const { of, said } = imported({
      users,
      inbounds: [xuiInbound(1, { port: 9000 })],
      settings: { webPort: '9000' },
    });
    expect(of('SettingsChanged')).toEqual([{ changes: THEIRS }]);
    expect(said).toEqual([
      'settings: skipped: setting webPort: its value is not accepted: port 9000 is used by inbound inbound-20001',
    ]);
  });
});

describe('imported accounts', () => {
  it('are skipped if a login is impossible, and an unusable password is reported', () => {
    const rows = [
      { id: 1, username: 'root', password: 'x' },
      { id: 2, username: 'root', password: 'x' },
      { id: 3, username: '', password: 'x' },
      { id: 4, username: 'amy', password: '' },
    ];
    const passwords = rows.map(({ id }) => ({
      user: id,
      hash: `hash-${id}`,
      was: id === 4 ? ('useless' as const) : ('clear' as const),
    }));
    const { of, said } = imported({ users: rows }, { passwords });
    expect(of('UserCreated').map(({ user, credentials }) => [user, credentials.username])).toEqual([
      [1, 'root'],
      [4, 'amy'],
    ]);
    expect(said).toEqual([
      'users: changed: user root: its password was stored unencrypted and is hashed now',
      'users: skipped: user root: another account has this name',
      'users: skipped: user 3: it has no name',
      'users: changed: user amy: its password cannot be used: set one with portolan admin reset-password',
    ]);
  });

  it('own their inbounds; the first account owns those without an owner', () => {
    const { of } = imported({ users, inbounds: [xuiInbound(1, { user_id: 9 })] });
    expect(of('InboundAdded')[0]?.owner).toBe(1);
  });
});

describe('imported nodes and geo sources', () => {
  it('are skipped and reported if they are invalid', () => {
    const node = { name: 'n', scheme: 'http', address: 'h', port: 1, base_path: '', api_token: 't', enable: 1 };
    const source = { geo_type: 'geoip', alias: 'a', url: 'https://example.com/a.dat' };
    const { of, said } = imported({
      users,
      unique: false,
      nodes: [
        { id: 1, ...node },
        { id: 2, ...node },
        { id: 3, ...node, name: 'far', address: 'a b' },
        { id: 4, ...node, name: 'further', port: 0 },
      ],
      custom_geo_resources: [
        { id: 1, ...source },
        { id: 2, ...source, alias: '../x' },
        { id: 3, ...source, alias: 'b', url: 'file:///etc/passwd' },
        { id: 4, ...source, geo_type: 'other' },
      ],
    });
    expect(of('NodeAdded').map(({ node: id }) => id)).toEqual([1]);
    expect(of('GeoSourceAdded').map(({ source: id }) => id)).toEqual([1]);
    expect(said).toEqual([
      'nodes: skipped: node n: another node has its name',
      'nodes: skipped: node far: invalid host "a b"',
      'nodes: skipped: node further: node port must be 1-65535',
      'custom_geo_resources: skipped: geo source ../x: its type or alias is not valid',
      'custom_geo_resources: skipped: geo source b: its URL is not valid',
      'custom_geo_resources: skipped: geo source a: its type or alias is not valid',
    ]);
  });

  it('are validated by the rules for added ones', () => {
    const node = { scheme: 'http', address: 'node.example', port: 1, base_path: 'a/', api_token: 't', enable: 1 };
    const { of, said } = imported({
      users,
      nodes: [
        { id: 1, ...node, name: 'a\u202eb', remark: 'c\u2066d' },
        { id: 2, ...node, name: 'token', api_token: 'a\u0000b' },
        { id: 3, ...node, name: 'path', base_path: '/../x' },
        { id: 4, ...node, name: 'x'.repeat(101) },
        { id: 5, ...node, name: 'TOKEN' },
        { id: 6, ...node, name: 'four', address: '0x7f000001' },
      ],
    });
    expect(of('NodeAdded').map(({ spec, secret }) => [spec.name, spec.remark, spec.host, secret.token])).toEqual([
      ['ab', 'cd', 'node.example', 't'],
      ['token', '', 'node.example', ''],
      ['four', '', '127.0.0.1', 't'],
    ]);
    expect(said).toEqual([
      expect.stringMatching(/^nodes: changed: node .*: its name contained characters that cannot be displayed$/),
      'nodes: changed: node token: its token is not imported: it contains characters that an HTTP header cannot carry',
      'nodes: skipped: node path: the base path "/../x" is not a valid URL path',
      expect.stringMatching(/^nodes: skipped: node x+: the name is longer than 100 characters$/),
      'nodes: skipped: node TOKEN: another node has its name',
    ]);
  });
});
