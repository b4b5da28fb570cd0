import { describe, it } from 'vitest';
import { DataKeyDestroyed } from '../../../src/events/panel.js';
import { type SecretKey, SecretSettingChanged, SettingsChanged } from '../../../src/events/settings/settings.js';
import { UserCreated } from '../../../src/events/user.js';
import { message } from '../../../src/messages/message.js';
import { inboundAdded, userId } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const change = (changes: Record<string, unknown>) => ({ type: 'ChangeSettings', data: { changes } }) as const;

describe('ChangeSettings', () => {
  it('records only what changed', () => {
    given()
      .when(change({ webPort: 8080, subPort: 10882, sessionMaxAge: 60 }))
      .then(SettingsChanged({ changes: { webPort: 8080, sessionMaxAge: 60 } }));
  });

  it('does nothing if all values are the same', () => {
    given(SettingsChanged({ changes: { webPort: 8080 } }))
      .when(change({ webPort: 8080, trustedProxyCIDRs: '127.0.0.0/8, ::1/128' }))
      .thenNothing();
    given().when(change({})).thenNothing();
  });

  it.each([
    ['webBasePath', 'panel', '/panel/'],
    ['webBasePath', '', '/'],
    ['subPath', '//sub//', '/sub/'],
    ['trustedProxyCIDRs', '10.0.0.0/8,192.168.0.1', ['10.0.0.0/8', '192.168.0.1']],
  ])('normalizes %s = %j', (key, value, stored) => {
    given(SettingsChanged({ changes: { webBasePath: '/old/', subPath: '/old/' } }))
      .when(change({ [key]: value }))
      .then(SettingsChanged({ changes: { [key]: stored } }));
  });

  it.each([
    ['webPort', 0],
    ['webPort', 65536],
    ['webPort', '2053x'],
    ['webListen', 'everywhere'],
    ['webBasePath', '/a b/'],
    ['webBasePath', '/a/../b/'],
    ['webBasePath', '/<script>/'],
    ['trustedProxyCIDRs', '10.0.0.0/33'],
    ['chatBotLang', 'tlh-KL'],
    ['chatBotLang', 'en'],
    ['datepicker', 'stardate'],
    ['subTitle', 'x'.repeat(201)],
    ['subSupportUrl', 'https://x\r\nSet-Cookie: a=b'],
    ['subSupportUrl', `https://x/${'x'.repeat(2000)}`],
    ['subProfileUrl', `https://x/${'x'.repeat(2000)}`],
    ['subSupportUrl', 'javascript:alert(1)'],
    ['subSupportUrl', ' javascript:alert(1)'],
    ['subSupportUrl', '//evil.example'],
    ['subSupportUrl', 'https://root:pass@example.com'],
    ['subProfileUrl', 'data:text/html,x'],
    ['subProfileUrl', 'happ://add/x'],
    ['subAnnounce', 'See javascript:alert(1)'],
    ['subAnnounce', 'ftp://example.com'],
    ['subRoutingRules', 'vbscript:x'],
    ['subRoutingRules', 'file:///etc/passwd'],
    ['subURI', 'tg://resolve'],
    ['subURI', 'https://exa\nmple.com'],
    ['subRoutingRules', 'x'.repeat(4097)],
    ['subRoutingRules', 'héllo'],
    ['subURI', `https://x.example/${'x'.repeat(2031)}`],
    ['chatBotChatId', '1'.repeat(1001)],
    ['chatBotChatId', '1=root 2'],
    ['chatBotChatId', '1='],
    ['chatBotChatId', '-5=root'],
    ['chatBotChatId', `1${' '.repeat(500)}=${', '.repeat(200)}x`],
    ['chatBotProxy', `socks5://${'x'.repeat(2040)}`],
    ['trustedProxyCIDRs', Array.from({ length: 257 }, () => '10.0.0.1')],
    ['trustedProxyCIDRs', Array.from({ length: 257 }, () => '10.0.0.1').join()],
    ['subURI', 'javascript:alert(1)'],
    ['subURI', 'https://one.example/, javascript:alert(1)'],
    ['subURI', 'https://one.example/, https://root:pass@two.example/'],
    ['subURI', Array.from({ length: 9 }, (_, i) => `https://${i}.example/`).join()],
    ['subDomain', 'a b'],
    ['apiDialect', '4x-ui'],
    ['pollSeconds', 0],
    ['sessionMaxAge', -1],
    ['measuredRetentionHours', 0],
    ['subEnable', 'yes'],
  ])('rejects %s = %j', (key, value) => {
    given()
      .when(change({ [key]: value }))
      .thenRejects('SETTING_INVALID');
  });

  it('stores the addresses of subscriptions as a list, and one address as it is', () => {
    given()
      .when(change({ subURI: 'https://one.example/s,https://two.example/\n https://one.example/s' }))
      .then(SettingsChanged({ changes: { subURI: 'https://one.example/s, https://two.example/' } }));
    given()
      .when(change({ subURI: ' https://one.example/a,b/ ' }))
      .then(SettingsChanged({ changes: { subURI: 'https://one.example/a,b/' } }));
  });

  it('stores the number of the admin to whom a chat belongs', () => {
    const maria = UserCreated({ user: userId(3), epoch: 0, credentials: { username: 'maria', passwordHash: '' } });
    given(maria)
      .when(change({ chatBotChatId: '71 , 72 = maria,-5' }))
      .then(SettingsChanged({ changes: { chatBotChatId: '71, 72=3, -5' } }));
    given(maria, SettingsChanged({ changes: { chatBotChatId: '72=3' } }))
      .when(change({ chatBotChatId: '72=maria' }))
      .thenNothing();
  });

  it('rejects a chat of an unknown admin, but keeps one whose admin was deleted since', () => {
    const why = message('settings.chatAdminUnknown', { name: 'maria' });
    given()
      .when(change({ chatBotChatId: '72=maria' }))
      .thenRejects('SETTING_INVALID', { problems: [{ key: 'chatBotChatId', why }] });
    given(SettingsChanged({ changes: { chatBotChatId: '72=3' } }))
      .when(change({ chatBotChatId: '72=3, 73' }))
      .then(SettingsChanged({ changes: { chatBotChatId: '72=3, 73' } }));
  });

  it('changes nothing if one value is rejected', () => {
    given()
      .when(change({ webPort: 8080, pollSeconds: 99 }))
      .thenRejects('SETTING_INVALID');
  });

  it.each(['nonsense', '__proto__', 'toString', 'constructor'])('rejects the unknown setting %s', (key) => {
    given()
      .when(change(Object.fromEntries([[key, 1]])))
      .thenRejects('SETTING_INVALID', { problems: [{ key, why: message('settings.unknown') }] });
  });

  it.each([
    { subPort: 2053 },
    { webPort: 10882 },
    { webPort: 7, subPort: 7 },
    { subPort: 2053, subListen: '127.0.0.1' },
    { subPort: 2053, webListen: '10.0.0.1', subListen: '0.0.0.0' },
  ])('rejects one port for both servers: %j', (changes) => {
    given()
      .when(change(changes))
      .thenRejects('SETTING_INVALID', {
        problems: [{ key: 'subPort', why: message('settings.portShared') }],
      });
  });

  it('rejects the port of an inbound', () => {
    given(inboundAdded({ spec: { port: 8443 } }))
      .when(change({ webPort: 8443 }))
      .thenRejects('SETTING_INVALID', {
        problems: [{ key: 'webPort', why: message('settings.portOfInbound', { port: 8443, tag: 'in-1' }) }],
      });
    const changes = { webPort: 8443 };
    given(inboundAdded({ spec: { port: 8443, listen: '/run/x.sock' } }))
      .when(change(changes))
      .then(SettingsChanged({ changes }));
    given(inboundAdded({ spec: { port: 8443, protocol: 'hysteria2' } }))
      .when(change(changes))
      .then(SettingsChanged({ changes }));
  });

  it('accepts one port for both servers on two addresses', () => {
    const changes = { subPort: 2053, webListen: '10.0.0.1', subListen: '10.0.0.2' };
    given().when(change(changes)).then(SettingsChanged({ changes }));
  });

  it('reports all invalid values at once, and changes nothing', () => {
    given()
      .when(change({ webPort: 0, subUpdates: 0, pageSize: 50 }))
      .thenRejects('SETTING_INVALID', {
        problems: [
          { key: 'webPort', why: message('input.notBetween', { min: 1, max: 65535 }), value: 0 },
          { key: 'subUpdates', why: message('input.notBetween', { min: 1, max: 8760 }), value: 0 },
        ],
      });
  });

  it.each([
    ['10.0.0.0/8,foo', 'foo'],
    [['10.0.0.0/8', '10.0.0.0/33'], '10.0.0.0/33'],
    ['010.0.0.0/8', '010.0.0.0/8'],
    ['10.0.0.1/8,foo', '10.0.0.1/8 is an address inside of 10.0.0.0/8'],
    ['2001:db8::1/32', '2001:db8::1/32 is an address inside of 2001:db8::/32'],
    ['x'.repeat(1000), 'x'.repeat(64)],
  ])('quotes the invalid network of %.40j', (trustedProxyCIDRs, what) => {
    const [cidr = '', network] = what.split(' is an address inside of ');
    const why =
      network === undefined
        ? message('settings.cidrInvalid', { cidr })
        : message('settings.cidrInsideNetwork', { cidr, network });
    const problems = [{ key: 'trustedProxyCIDRs', why, value: trustedProxyCIDRs }];
    given().when(change({ trustedProxyCIDRs })).thenRejects('SETTING_INVALID', { problems });
  });

  it('accepts unchanged values that newer rules would reject', () => {
    const old = {
      trustedProxyCIDRs: ['10.0.0.1/8'],
      chatBotLang: 'tlh-KL',
      ldapSyncCron: '61 * * * *',
      ldapEnable: true,
    };
    given(SettingsChanged({ changes: old }))
      .when(change({ ...old, pageSize: 50 }))
      .then(SettingsChanged({ changes: { pageSize: 50 } }));
  });

  describe('an incomplete or unusable value', () => {
    const schedule = message('settings.scheduleNeverFires');
    it.each([
      [{ chatBotRunTime: '61 * * * *' }, 'chatBotRunTime', schedule],
      [{ ldapSyncCron: '@every 0s' }, 'ldapSyncCron', schedule],
      [{ ldapUserFilter: '(((' }, 'ldapUserFilter', message('settings.notLdapFilter')],
      [{ ldapEnable: true }, 'ldapHost', message('settings.ldapHostMissing')],
      [{ chatBotEnable: true }, 'chatBotToken', message('settings.botTokenMissing')],
      [{ chatBotEnable: true, chatBotToken: '' }, 'chatBotToken', message('settings.botTokenMissing')],
      [{ backupPassphrase: 'eleven char' }, 'backupPassphrase', message('settings.passphraseTooShort', { min: 12 })],
    ])('is rejected: %j', (changes, key, why) => {
      given()
        .when(change(changes))
        .thenRejects('SETTING_INVALID', { problems: [{ key, why }] });
    });

    it('is kept if it was stored by an older release: a short passphrase', () => {
      const short = SecretSettingChanged({ key: 'backupPassphrase', keyVersion: 1, secret: { value: 'short' } });
      given(short)
        .when(change({ backupPassphrase: 'short', pageSize: 50 }))
        .then(SettingsChanged({ changes: { pageSize: 50 } }));
      given(short)
        .when(change({ backupPassphrase: '' }))
        .then(
          SecretSettingChanged({ key: 'backupPassphrase', keyVersion: 2, secret: { value: '' } }),
          DataKeyDestroyed({ key: 'setting/backupPassphrase/1', reason: 'rotated' }),
        );
    });

    it('is accepted together with what it requires', () => {
      const token = SecretSettingChanged({ key: 'chatBotToken', keyVersion: 1, secret: { value: '1:a' } });
      const bot = SettingsChanged({ changes: { chatBotEnable: true } });
      given(token)
        .when(change({ chatBotEnable: true }))
        .then(bot);
      given()
        .when(change({ chatBotEnable: true, chatBotToken: '1:a' }))
        .then(bot, token);
      const ldap = { ldapEnable: true, ldapHost: 'ldap.example', ldapUserFilter: '' };
      given()
        .when(change(ldap))
        .then(SettingsChanged({ changes: ldap }));
      given(SettingsChanged({ changes: ldap }))
        .when(change({ ldapHost: '' }))
        .thenRejects('SETTING_INVALID');
      for (const lang of ['ru-RU', 'pt-BR'])
        given()
          .when(change({ chatBotLang: lang }))
          .then(SettingsChanged({ changes: { chatBotLang: lang } }));
    });
  });

  it('requires a separate path for each kind of subscription', () => {
    given()
      .when(change({ subJsonPath: 'sub' }))
      .thenRejects('SETTING_INVALID', { problems: [{ key: 'subJsonPath', why: message('settings.pathOfLinks') }] });
  });

  describe('secrets', () => {
    it('are recorded as separate events, and the former value is destroyed', () => {
      const first = SecretSettingChanged({ key: 'chatBotToken', keyVersion: 1, secret: { value: '1:a' } });
      given()
        .when(change({ chatBotToken: '1:a', pageSize: 50 }))
        .then(SettingsChanged({ changes: { pageSize: 50 } }), first);
      given(first)
        .when(change({ chatBotToken: '2:b' }))
        .then(
          SecretSettingChanged({ key: 'chatBotToken', keyVersion: 2, secret: { value: '2:b' } }),
          DataKeyDestroyed({ key: 'setting/chatBotToken/1', reason: 'rotated' }),
        );
      given(first)
        .when(change({ chatBotToken: '1:a' }))
        .thenNothing();
    });

    it('are validated like any other setting', () => {
      given()
        .when(change({ twoFactorToken: 'not base32!', wgprov: '[]' }))
        .thenRejects('SETTING_INVALID', {
          problems: [
            { key: 'twoFactorToken', why: message('settings.notBase32') },
            { key: 'wgprov', why: message('settings.notJsonObject') },
          ],
        });
    });
  });

  describe('the destination of a stored secret', () => {
    const stored = (key: SecretKey, value: string) => SecretSettingChanged({ key, keyVersion: 1, secret: { value } });
    const again = (key: string) => ({
      problems: [{ key, why: message('settings.secretDestinationChanged') }],
    });
    const cases = [
      ['ldapPassword', { ldapHost: 'evil.example' }],
      ['ldapPassword', { ldapPort: 636 }],
      ['ldapPassword', { ldapUseTLS: true }],
      ['chatBotToken', { chatBotAPIServer: 'https://evil.example' }],
    ] as const;

    it.each(cases)('of %s changes only together with the secret: %j', (key, changes) => {
      const secret = stored(key, 'canary');
      given(secret).when(change(changes)).thenRejects('SETTING_INVALID', again(key));
      // The same, another or an empty secret: the caller knows it, or gains nothing.
      given(secret)
        .when(change({ ...changes, [key]: 'canary' }))
        .then(SettingsChanged({ changes }));
      const rotated = DataKeyDestroyed({ key: `setting/${key}/1`, reason: 'rotated' });
      for (const value of ['other', ''])
        given(secret)
          .when(change({ ...changes, [key]: value }))
          .then(SettingsChanged({ changes }), SecretSettingChanged({ key, keyVersion: 2, secret: { value } }), rotated);
    });

    it.each(cases)('without %s changes freely: %j', (key, changes) => {
      given().when(change(changes)).then(SettingsChanged({ changes }));
      given(stored(key, '')).when(change(changes)).then(SettingsChanged({ changes }));
    });
  });

  describe('the proxy of the bot', () => {
    const stored = (key: SecretKey, value: string) => SecretSettingChanged({ key, keyVersion: 1, secret: { value } });
    const token = stored('chatBotToken', 'canary');
    const server = (chatBotAPIServer: string) => SettingsChanged({ changes: { chatBotAPIServer } });
    const chatBotProxy = 'socks5://evil.example:1080';
    const proxied = stored('chatBotProxy', chatBotProxy);

    it('changes only together with the token if the connection is not encrypted', () => {
      for (const address of ['http://api.example', 'HTTP://api.example']) {
        given(token, server(address))
          .when(change({ chatBotProxy }))
          .thenRejects('SETTING_INVALID', {
            problems: [{ key: 'chatBotToken', why: message('settings.secretDestinationChanged') }],
          });
        given(token, server(address))
          .when(change({ chatBotProxy, chatBotToken: 'canary' }))
          .then(proxied);
        given(token, server(address), proxied).when(change({ chatBotProxy })).thenNothing();
      }
    });

    it('changes freely with TLS or without a token', () => {
      given(token).when(change({ chatBotProxy })).then(proxied);
      given(token, server('https://api.example')).when(change({ chatBotProxy })).then(proxied);
      given(server('http://api.example')).when(change({ chatBotProxy })).then(proxied);
    });
  });

  describe('a certificate', () => {
    it.each([
      ['webCertFile', 'webKeyFile'],
      ['subCertFile', 'subKeyFile'],
    ])('needs both parts: %s, %s', (certificate, key) => {
      given()
        .when(change({ [certificate]: '/c.pem' }))
        .thenRejects('SETTING_INVALID', { problems: [{ key, why: message('settings.keyMissing') }] });
      given()
        .when(change({ [key]: '/k.pem' }))
        .thenRejects('SETTING_INVALID', {
          problems: [{ key: certificate, why: message('settings.certificateMissing') }],
        });
      const both = { [certificate]: '/c.pem', [key]: '/k.pem' };
      given()
        .when(change(both))
        .then(SettingsChanged({ changes: both }));
      const none = { [certificate]: '', [key]: '' };
      given(SettingsChanged({ changes: both }))
        .when(change(none))
        .then(SettingsChanged({ changes: none }));
      given(SettingsChanged({ changes: both }))
        .when(change({ [key]: '' }))
        .thenRejects('SETTING_INVALID', { problems: [{ key, why: message('settings.keyMissing') }] });
    });
  });

  describe('trust in every proxy', () => {
    const allAddresses = [
      '0.0.0.0/0',
      '::/0',
      '128.0.0.0/1',
      '0.0.0.0/1',
      '2000::/3',
      '::/2',
      '::ffff:0:0/96',
      '::/80',
    ];
    const quarters = '0.0.0.0/2,64.0.0.0/2,128.0.0.0/2,192.0.0.0/2';

    it.each([...allAddresses, quarters])('requires an explicit confirmation: %s', (cidr) => {
      const changes = { trustedProxyCIDRs: ['127.0.0.1', ...cidr.split(',')] };
      given().when(change(changes)).thenRejects('SETTING_INVALID');
      given()
        .when({ type: 'ChangeSettings', data: { changes, trustEveryProxy: true } })
        .then(SettingsChanged({ changes }));
      given(SettingsChanged({ changes }))
        .when(change({ ...changes, pageSize: 50 }))
        .then(SettingsChanged({ changes: { pageSize: 50 } }));
    });

    it.each(['10.0.0.0/8', '0.0.0.0/8', '128.0.0.0/2', '::1/128', '2400::/12', 'fc00::/7'])(
      'is not assumed for %s',
      (cidr) => {
        const changes = { trustedProxyCIDRs: [cidr] };
        given().when(change(changes)).then(SettingsChanged({ changes }));
      },
    );
  });

  it.each(['@every 1h30m', '@every 5m', '@daily', '*/5 * * * *', '0 30 4 * * 1'])('accepts the schedule %s', (text) => {
    given()
      .when(change({ ldapSyncCron: text }))
      .then(SettingsChanged({ changes: { ldapSyncCron: text } }));
  });

  it.each(['', '@every ', '@never', 'x', '* * *', '; rm'])('rejects the schedule %j', (text) => {
    given()
      .when(change({ ldapSyncCron: text }))
      .thenRejects('SETTING_INVALID');
  });
});
