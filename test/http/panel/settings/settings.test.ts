import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portProblem } from '../../../../src/adapters/host/port-problem.js';
import { certificateProblem } from '../../../../src/adapters/tls/certificates.js';
import { createWeb } from '../../../../src/adapters/web/web.js';
import { message } from '../../../../src/messages/message.js';
import { makeCertificate } from '../../../kit/real/certificate.js';
import { startPanel } from '../../kit/panel.js';
import type { FlatServices } from '../../kit/services.js';

const ALL = '/panel/setting/all';
const UPDATE = '/panel/setting/update';
const SECRETS = {
  twoFactorToken: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  chatBotToken: '1:canary-bot',
  chatBotProxy: 'socks5://user:canary-proxy@127.0.0.1:1080',
  ldapPassword: 'canary-ldap',
  backupPassphrase: 'canary-backup',
  wgprov: '{"canary":"wg"}',
  vpnprov: '{"canary":"vpn"}',
};
const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

const start = async (settings: Record<string, unknown> = {}, parts: Partial<FlatServices> = {}) => {
  const panel = await startPanel({ settings, parts });
  const browser = await panel.browser().login();
  const all = async () => (await browser.post(ALL)).json?.obj as Record<string, unknown>;
  const update = (body: unknown) => browser.post(UPDATE, body);
  const errors = async (body: unknown) => {
    const { json } = await update(body);
    expect(json?.success).toBe(false);
    expect(panel.appended()).toEqual([]);
    const { errors } = (json as { obj: { errors: { key: string; why: string; code: string }[] } }).obj;
    const values = / \(value: ("[^"]*"|-?\d[\de.+]*)\)/g;
    expect((json as { msg: string }).msg.replaceAll(values, '')).toBe(
      errors.map(({ key, why }) => `Setting ${key}: ${why}`).join('; '),
    );
    for (const { code } of errors) expect(code).toMatch(/^[a-z]+\.[a-zA-Z]+$/);
    return errors.map(({ key, why }) => ({ key, why }));
  };
  return { panel, browser, all, update, errors };
};

describe('all settings', () => {
  it('contain no secrets, but whether each is set, under the names of both dialects', async () => {
    const empty = await (await start()).all();
    const { all } = await start(SECRETS);
    const full = await all();
    for (const view of [empty, full]) {
      for (const key of [...Object.keys(SECRETS), 'apiToken', 'tgBotToken', 'tgBotProxy']) expect(view[key]).toBe('');
      expect(view['hasApiToken']).toBe(false);
    }
    const flags = [
      ...['hasTwoFactorToken', 'hasChatBotToken', 'hasChatBotProxy', 'hasLdapPassword', 'hasBackupPassphrase'],
      ...['hasWgprov', 'hasVpnprov', 'hasTgBotToken', 'hasTgBotProxy', 'hasWarpSecret', 'hasNordSecret'],
    ];
    for (const flag of flags) expect([flag, empty[flag], full[flag]]).toEqual([flag, false, true]);
    expect(JSON.stringify(full)).not.toMatch(/canary|GEZDG/);
  });

  it('have the names of 3x-ui beside those of Portolan', async () => {
    const view = await (await start({ chatBotCpu: 55, chatBotChatId: '1,2', restartCoreOnClientDisable: false })).all();
    expect(view).toMatchObject({
      ...{ chatBotCpu: 55, tgCpu: 55, chatBotChatId: '1,2', tgBotChatId: '1,2' },
      ...{ restartCoreOnClientDisable: false, restartXrayOnClientDisable: false },
      ...{ tgBotEnable: false, tgBotAPIServer: '', tgRunTime: '@daily', tgBotBackup: false, tgBotLoginNotify: true },
      ...{ tgLang: 'en-US', trustedProxyCIDRs: ['127.0.0.0/8', '::1/128'], environment: {} },
    });
    const other = await (await start({ apiDialect: '3x-ui' })).all();
    expect(other['trustedProxyCIDRs']).toBe('127.0.0.0/8,::1/128');
  });

  it('show which values come from the environment', async () => {
    const overrides = { webPort: { variable: 'PORTOLAN_PORT', value: 8080 } };
    const { all, update } = await start({}, { overrides });
    expect((await all())['environment']).toEqual(overrides);
    const answer = await update({ webPort: 9090, subPort: 9091 });
    expect(answer.json).toMatchObject({ success: true, obj: { restart: ['subPort'], environment: overrides } });
    expect((await all())['webPort']).toBe(9090);
  });
});

describe('a change', () => {
  it('appends one event with the changed values, and one for each secret', async () => {
    const { panel, update } = await start();
    const body = { pageSize: 50, subTitle: '', tgCpu: 70, ldapPassword: 'canary', chatBotToken: '', tgLang: 'en-US' };
    expect((await update(body)).json).toEqual({
      ...{ success: true, msg: 'The parameters have been changed.', obj: null },
      code: 'settings.saved',
    });
    expect(panel.appended()).toMatchObject([
      { type: 'SettingsChanged', data: { changes: { pageSize: 50, chatBotCpu: 70 } } },
      { type: 'SecretSettingChanged', data: { key: 'ldapPassword', keyVersion: 1 } },
    ]);
    expect(panel.read.settings.secrets().ldapPassword).toBe('canary');
  });

  it('reports which settings need a restart', async () => {
    const { update } = await start();
    expect((await update({ webPort: 9090, pageSize: 5 })).json).toEqual({
      success: true,
      msg: 'The parameters have been changed. Some of them take effect after a restart of the panel.',
      code: 'settings.savedRestartNeeded',
      obj: { restart: ['webPort'] },
    });
    expect((await update({ webBasePath: '/p/', subPath: '/q/' })).json?.obj).toEqual({ restart: ['webBasePath'] });
    expect((await update({ subPath: '/r/' })).json?.obj).toBeNull();
    const domains = { webDomain: 'panel.example', subDomain: 'sub.example' };
    expect((await update(domains)).json?.obj).toEqual({ restart: ['webDomain', 'subDomain'] });
    expect((await update({ webDomain: '' })).json?.success).toBe(true);
  });

  it('under two names uses the value that differs from the stored one', async () => {
    const { panel, update, errors } = await start({ chatBotCpu: 80 });
    await update({ chatBotCpu: 80, tgCpu: 70 });
    await update({ chatBotCpu: 60, tgCpu: 70 });
    expect(panel.read.settings.current().chatBotCpu).toBe(60);
    await update({ chatBotCpu: '50', tgCpu: 50, tgBotToken: '', chatBotToken: 'a' });
    expect([panel.read.settings.current().chatBotCpu, panel.read.settings.secrets().chatBotToken]).toEqual([50, 'a']);
    const why = 'is given under two names with different values';
    expect(await errors({ chatBotCpu: 1, tgCpu: 2, tgBotToken: 'x', chatBotToken: 'y', pageSize: 1 })).toEqual([
      { key: 'chatBotCpu', why },
      { key: 'chatBotToken', why },
    ]);
  });

  it.each([
    { tgCpu: 50, chatBotCpu: 60 },
    { chatBotCpu: 60, tgCpu: 50 },
    { tgCpu: '50', chatBotCpu: '60' },
    { tgCpu: 50, chatBotCpu: 101 },
    { tgCpu: 'x', chatBotCpu: 60 },
    { tgRunTime: '@hourly', chatBotRunTime: '@weekly' },
  ])('under two names with different values is rejected: %j', async (body) => {
    const { errors, browser, panel } = await start();
    const [problem, ...others] = await errors(body);
    expect([problem?.why, others]).toEqual(['is given under two names with different values', []]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: browser.cookie };
    const form = new URLSearchParams(
      Object.entries(body).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const answer = await panel.call('POST', UPDATE, {
      headers: { ...headers, 'x-csrf-token': browser.token },
      body: form,
    });
    expect(answer.json).toMatchObject({ success: false });
    expect(panel.appended()).toEqual([]);
  });

  it('with several errors reports all of them under the names of the caller, and changes nothing', async () => {
    const { errors, all } = await start();
    const before = await all();
    const body = { webPort: 0, tgCpu: 101, nonsense: 1, subTitle: 'x', ldapPassword: 'canary', constructor: 2 };
    expect(await errors(body)).toEqual([
      { key: 'webPort', why: 'must be 1 to 65535' },
      { key: 'tgCpu', why: 'must be 0 to 100' },
      { key: 'nonsense', why: 'does not exist' },
      { key: 'constructor', why: 'does not exist' },
    ]);
    expect(await all()).toEqual(before);
  });

  it('names the invalid values, and no secret', async () => {
    const { update } = await start();
    const { json } = await update({ webPort: 'canary-port', tgCpu: 101, ldapPassword: 7, tgBotToken: 'a\nb' });
    expect((json as { msg: string }).msg.split('; ')).toStrictEqual([
      'Setting webPort: must be a whole number (value: "canary-port")',
      'Setting tgCpu: must be 0 to 100 (value: 101)',
      'Setting ldapPassword: must be a string',
      'Setting tgBotToken: must be one line',
    ]);
  });

  it('has the code of each reason, the same in every language', async () => {
    const { browser } = await start();
    const body = { webPort: 0, nonsense: 1 };
    const errorsIn = async (language: string) => {
      const { json } = await browser.post(UPDATE, body, { 'accept-language': language });
      return (json as { obj: { errors: { key: string; why: string; code: string }[] } }).obj.errors;
    };
    const [english, russian] = [await errorsIn('en'), await errorsIn('ru')];
    const codes = [
      { key: 'webPort', code: 'input.notBetween' },
      { key: 'nonsense', code: 'settings.unknown' },
    ];
    expect(english).toMatchObject(codes);
    expect(russian).toMatchObject(codes);
    expect(russian.map(({ why }) => why)).not.toEqual(english.map(({ why }) => why));
  });

  it('has at most 500 settings', async () => {
    const { panel, update } = await start();
    const { json } = await update(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`k${n}`, n])));
    expect(json).toMatchObject({ success: false, msg: 'The input is not valid: may have at most 500 settings' });
    expect(panel.appended()).toEqual([]);
  });

  it('reports at most a hundred errors, with truncated keys', async () => {
    const { errors } = await start();
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}`.padEnd(1000, 'x'), n]));
    const named = await errors(many);
    expect(named).toHaveLength(100);
    expect(Math.max(...named.map(({ key }) => key.length))).toBe(64);
  });

  it.each([
    ['secret', 'x'],
    ['xrayTemplateConfig', '{}'],
    ['warp2', null],
  ])('of %s is rejected, because the setting does not exist', async (key, value) => {
    expect(await (await start()).errors({ [key]: value })).toEqual([{ key, why: 'does not exist' }]);
  });

  it('ignores read-only members, and rejects an API token', async () => {
    const { panel, update, errors } = await start();
    const readOnly = {
      hasApiToken: true,
      hasNordSecret: 'x',
      environment: { webPort: 1 },
      apiToken: '',
      twoFactorCode: '',
    };
    expect((await update(readOnly)).json?.success).toBe(true);
    expect(panel.appended()).toEqual([]);
    expect(await errors({ apiToken: 'x'.repeat(48) })).toEqual([
      { key: 'apiToken', why: 'can only be changed through /panel/setting/secret' },
    ]);
  });

  it.each([
    ['a list', ['x']],
    ['a text', 'x'],
    ['nothing', undefined],
  ])('that is %s changes nothing', async (_, body) => {
    const { panel, update } = await start();
    expect((await update(body)).json?.success).toBe(true);
    expect(panel.appended()).toEqual([]);
  });

  it('of a wrong type is rejected by its key', async () => {
    const { errors } = await start();
    const wrong = [{ x: 1 }, [[1]], 1e308, true, 'x\ny', '😀'];
    for (const value of wrong)
      expect(await errors({ webListen: value, subUpdates: value })).toMatchObject([
        { key: 'webListen' },
        { key: 'subUpdates' },
      ]);
  });

  it('is checked against the machine before it is stored', async () => {
    const asked: unknown[] = [];
    const { errors, update } = await start(
      {},
      {
        serverPortProblem: async (listen, port) => {
          asked.push([listen, port]);
          return port === 8080 ? 'taken' : listen === '10.9.9.9' ? 'no such address' : port < 1024 ? 'forbidden' : null;
        },
        certificateProblem: async (certificate, key) =>
          certificate === '/good.pem'
            ? key === '/good.key'
              ? null
              : message('certificate.keyMismatch')
            : message('certificate.expired', { date: '2020-01-01' }),
      },
    );
    const body = { webPort: 8080, subListen: '10.9.9.9', webCertFile: '/old.pem', webKeyFile: '/good.key' };
    expect(await errors({ ...body, subCertFile: '/good.pem', subKeyFile: '/x.key', pageSize: -1 })).toEqual([
      { key: 'pageSize', why: 'must be 0 to 10000' },
      { key: 'webPort', why: 'is used by another program: choose another port, or stop that program' },
      {
        key: 'subListen',
        why: 'is not an address of this machine: choose one of its addresses, or leave it empty for all',
      },
      { key: 'webCertFile', why: 'The certificate expired on 2020-01-01' },
      { key: 'subKeyFile', why: 'The key does not belong to the certificate' },
    ]);
    expect(await errors({ webPort: 80 })).toEqual([
      { key: 'webPort', why: 'cannot be used by the account that runs the panel: choose a port from 1024' },
    ]);
    expect(asked).toEqual([
      ['', 8080],
      ['10.9.9.9', 10_882],
      ['', 80],
    ]);
    await update({ pageSize: 5, subTitle: 'x' });
    expect(asked).toHaveLength(3);
  });

  it('to a port in use, and to files that do not match, is rejected by the real machine', async () => {
    const { errors, update } = await start(
      {},
      { serverPortProblem: (listen, port) => portProblem(listen, port, false), certificateProblem },
    );
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as { port: number };
    const [one, other, old] = await Promise.all([
      makeCertificate(),
      makeCertificate(),
      makeCertificate(['old.example'], { notBefore: new Date(0), notAfter: new Date(86_400_000) }),
    ]);
    onTestFinished(() => [one, other, old].forEach(({ remove }) => remove()));
    expect(await errors({ webPort: port })).toEqual([
      { key: 'webPort', why: 'is used by another program: choose another port, or stop that program' },
    ]);
    expect(await errors({ webListen: '203.0.113.77' })).toEqual([
      {
        key: 'webListen',
        why: 'is not an address of this machine: choose one of its addresses, or leave it empty for all',
      },
    ]);
    const pair = (cert: string, key: string) => ({ webCertFile: cert, webKeyFile: key });
    expect(await errors(pair(one.certFile, other.keyFile))).toMatchObject([{ key: 'webKeyFile' }]);
    expect(await errors(pair(old.certFile, old.keyFile))).toMatchObject([{ key: 'webCertFile' }]);
    expect(await errors(pair(`${one.certFile}.gone`, one.keyFile))).toMatchObject([{ key: 'webCertFile' }]);
    expect(await errors(pair(one.certFile, `${one.keyFile}.gone`))).toMatchObject([{ key: 'webKeyFile' }]);
    expect(await errors(pair(one.certFile, ''))).toMatchObject([{ key: 'webKeyFile' }]);
    expect((await update(pair(one.certFile, one.keyFile))).json?.success).toBe(true);
  });

  it('of the trusted proxies needs a confirmation to trust every address', async () => {
    const { panel, update, errors } = await start();
    expect(await errors({ trustedProxyCIDRs: '10.0.0.0/8,0.0.0.0/0' })).toMatchObject([{ key: 'trustedProxyCIDRs' }]);
    for (const trustEveryProxy of ['false', 'yes', 1, null])
      expect(await errors({ trustedProxyCIDRs: ['::/0'], trustEveryProxy })).toMatchObject([
        { key: 'trustedProxyCIDRs' },
      ]);
    expect((await update({ trustedProxyCIDRs: ['::/0'], trustEveryProxy: true })).json?.success).toBe(true);
    expect(panel.read.settings.current().trustedProxyCIDRs).toEqual(['::/0']);
  });

  it.each(['http://127.0.0.1/x', 'http://[::ffff:10.0.0.1]/', 'http://localhost:8080/', 'http://0x7f.1/'])(
    'cannot report traffic to a private address: %s',
    async (uri) => {
      const { errors, update, panel } = await start({}, { web: createWeb({ allowPrivate: false }) });
      const why = 'leads to this machine or to a private network; set PORTOLAN_ALLOW_PRIVATE_OUTBOUND=true to allow it';
      const both = { externalTrafficInformEnable: true, externalTrafficInformURI: uri };
      expect(await errors(both)).toEqual([{ key: 'externalTrafficInformURI', why }]);
      // While reporting is disabled, any URL may be stored.
      expect((await update({ externalTrafficInformURI: uri })).json?.success).toBe(true);
      panel.appended();
      expect(await errors({ externalTrafficInformEnable: true })).toEqual([{ key: 'externalTrafficInformURI', why }]);
      const open = await start({}, { web: createWeb({ allowPrivate: true }) });
      expect((await open.update(both)).json?.success).toBe(true);
    },
  );

  it('may set a traffic receiver whose host cannot be resolved now', async () => {
    const nowhere = () => Promise.reject(new Error('ENOTFOUND'));
    const { update } = await start({}, { web: createWeb({ allowPrivate: false, resolve: nowhere }) });
    const changes = { externalTrafficInformEnable: true, externalTrafficInformURI: 'https://away.example/' };
    expect((await update(changes)).json?.success).toBe(true);
  });

  it('cannot send the bot token to a server without TLS or at a private address', async () => {
    const web = createWeb({ allowPrivate: false, resolve: async () => [{ address: '9.9.9.9', family: 4 }] });
    const guarded = await start({}, { web });
    const why = 'must begin with https://: the token of the bot is sent there';
    expect(await guarded.errors({ chatBotAPIServer: 'http://bot.example' })).toEqual([
      { key: 'chatBotAPIServer', why },
    ]);
    expect((await guarded.update({ chatBotAPIServer: 'https://bot.example/path' })).json?.success).toBe(true);
    for (const chatBotAPIServer of ['https://127.0.0.1', 'http://localhost:8081', 'https://[fd00::1]'])
      expect(await guarded.errors({ chatBotAPIServer })).toMatchObject([{ key: 'chatBotAPIServer' }]);
    const open = await start({}, { web: createWeb({ allowPrivate: true }) });
    for (const chatBotAPIServer of ['http://localhost:8081', 'http://10.0.0.5:8081', 'http://[fd00::1]:8081'])
      expect((await open.update({ chatBotAPIServer })).json?.success).toBe(true);
    expect(await open.errors({ chatBotAPIServer: 'http://9.9.9.9' })).toEqual([{ key: 'chatBotAPIServer', why }]);
  });

  it('cannot send a stored secret to another server', async () => {
    const { update, errors, panel } = await start(SECRETS);
    const why = 'must be entered again, because the address that it is sent to changes';
    expect(
      await errors({ tgBotAPIServer: 'https://evil.example', ldapHost: 'evil.example', ldapPassword: '' }),
    ).toEqual([
      { key: 'ldapPassword', why },
      { key: 'chatBotToken', why },
    ]);
    expect((await update({ ldapHost: 'new.example', ldapPassword: SECRETS.ldapPassword })).json?.success).toBe(true);
    expect(types(panel.appended())).toEqual(['SettingsChanged']);
  });

  it('that is repeated with its Idempotency-Key is made once and has the same reply', async () => {
    const { panel, browser } = await start();
    const send = () => browser.post(UPDATE, { webPort: 9090, ldapPassword: 'x' }, { 'idempotency-key': 'k' });
    const first = await send();
    expect(types(panel.appended())).toEqual(['SettingsChanged', 'SecretSettingChanged']);
    expect((await send()).json).toEqual(first.json);
    expect(panel.appended()).toEqual([]);
  });
});

describe('one secret', () => {
  const SECRET = '/panel/setting/secret';

  it.each([
    ['ldapPassword', 'new'],
    ['chatBotToken', '2:new'],
    ['backupPassphrase', 'sail by the moon'],
    ['chatBotProxy', 'socks5://127.0.0.1:1'],
    ['wgprov', '{"new":1}'],
    ['twoFactorToken', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  ] as const)('%s can be set and removed', async (key, value) => {
    const { panel, browser } = await start(SECRETS);
    expect((await browser.post(SECRET, { key, value })).json?.success).toBe(true);
    expect(types(panel.appended())).toEqual(['SecretSettingChanged', 'DataKeyDestroyed']);
    expect(panel.read.settings.secrets()[key]).toBe(value);
    expect((await browser.post(SECRET, { key, value: '' })).json?.success).toBe(true);
    expect(panel.read.settings.secrets()[key]).toBe('');
    expect(JSON.stringify(panel.log.stored.rows(0, 100))).not.toContain(value);
  });

  it('also has the name of 3x-ui', async () => {
    const { panel, browser } = await start();
    for (const [key, value] of [
      ['tgBotToken', 'a'],
      ['tgBotProxy', 'socks5://b'],
      ['warp', '{}'],
      ['nord', '{}'],
    ])
      expect((await browser.post(SECRET, { key, value })).json?.success).toBe(true);
    expect(panel.read.settings.secrets()).toMatchObject({
      chatBotToken: 'a',
      chatBotProxy: 'socks5://b',
      wgprov: '{}',
      vpnprov: '{}',
    });
    const bad = await browser.post(SECRET, { key: 'tgBotProxy', value: 'http://x' });
    const why = 'must begin with socks5:// or be empty';
    expect(bad.json?.obj).toEqual({ errors: [{ key: 'tgBotProxy', why, code: 'settings.notSocksProxy' }] });
  });

  it('can be the API token, which replaces the old one', async () => {
    const { panel, browser } = await start();
    const old = String((await browser.get('/panel/setting/getApiToken')).json?.obj);
    const value = 'Z'.repeat(32);
    expect((await browser.post(SECRET, { key: 'apiToken', value })).json?.success).toBe(true);
    expect(types(panel.appended())).toEqual(['ApiTokenIssued', 'DataKeyDestroyed']);
    expect((await browser.get('/panel/setting/getApiToken')).json?.obj).toBe(value);
    const call = (token: string) =>
      panel.call('GET', '/panel/api/inbounds/list', { headers: { authorization: `Bearer ${token}` } });
    expect((await call(value)).status).toBe(200);
    expect((await call(old)).status).toBe(404);
    await browser.post(SECRET, { key: 'apiToken', value });
    expect(panel.appended()).toEqual([]);
  });

  it.each(['', 'x'.repeat(31), 'x'.repeat(201), `${'x'.repeat(40)} `, `${'x'.repeat(40)}\n`, 'é'.repeat(40)])(
    'cannot be the API token %.45j',
    async (value) => {
      const { panel, browser } = await start();
      expect((await browser.post(SECRET, { key: 'apiToken', value })).json).toMatchObject({
        success: false,
        obj: { errors: [{ key: 'apiToken' }] },
      });
      expect(panel.appended()).toEqual([]);
    },
  );

  it.each(['secret', 'webPort', '__proto__', 'constructor', 'hasApiToken', 'twoFactorEnable', '', 'x'.repeat(5000)])(
    'cannot have the key %.20j',
    async (key) => {
      const { panel, browser } = await start();
      const { json } = await browser.post(SECRET, { key, value: 'x' });
      expect(json).toMatchObject({ success: false, obj: { errors: [{ why: 'is not a secret setting' }] } });
      expect(json?.msg.length).toBeLessThan(200);
      expect(panel.appended()).toEqual([]);
    },
  );

  it.each([
    [{ key: 'ldapPassword' }, 'value: is missing'],
    [{ key: 'ldapPassword', value: null }, 'value: must be a string'],
    [{ key: 'ldapPassword', value: ['x'] }, 'value: must be a string'],
    [{ key: ['ldapPassword'], value: 'x' }, 'key: must be a string'],
  ])('is not changed by %j', async (body, why) => {
    const { panel, browser } = await start(SECRETS);
    const { json } = await browser.post(SECRET, body);
    expect([json?.success, json?.msg]).toEqual([false, `The input is not valid: ${why}`]);
    expect(panel.appended()).toEqual([]);
  });

  it('can be changed only from a browser', async () => {
    const { panel } = await start();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    for (const path of [SECRET, '/panel/api/setting/secret']) {
      const headers = { authorization: 'Bearer secret-token' };
      expect((await panel.call('POST', path, { headers, body: 'key=ldapPassword&value=x' })).status).toBe(404);
    }
  });
});

describe('the settings that pages show beside the inbounds', () => {
  const defaults = async (settings: Record<string, unknown>, parts: Partial<FlatServices> = {}) => {
    const { browser } = await start(settings, parts);
    return (await browser.post('/panel/setting/defaultSettings')).json?.obj as Record<string, unknown>;
  };

  it('have their current values', async () => {
    const settings = {
      ...{ expireDiff: 3, trafficDiff: 4, pageSize: 50, webCertFile: '/c', webKeyFile: '/k', chatBotEnable: true },
      ...{ subTitle: 'T', remarkModel: '-io', datepicker: 'jalalian', chatBotToken: '1:a' },
    };
    expect(await defaults(settings)).toEqual({
      ...{ expireDiff: 3, trafficDiff: 4, pageSize: 50, defaultCert: '/c', defaultKey: '/k' },
      ...{ chatBotEnable: true, tgBotEnable: true, subEnable: true, subJsonEnable: false, subClashEnable: true },
      ...{ subTitle: 'T', remarkModel: '-io', datepicker: 'jalalian', ipLimitEnable: true },
      ...{ subURI: 'http://127.0.0.1:10882/sub/', subJsonURI: '', subClashURI: 'http://127.0.0.1:10882/clash/' },
    });
  });

  it('include the subscription addresses as the caller reaches them', async () => {
    const secure = { subCertFile: '/c', subKeyFile: '/k', subJsonEnable: true, subDomain: 'sub.example' };
    expect(await defaults(secure, { subPort: () => 443 })).toMatchObject({
      subURI: 'https://sub.example/sub/',
      subJsonURI: 'https://sub.example/json/',
    });
    expect((await defaults(secure, { subPort: () => 80 }))['subURI']).toBe('https://sub.example:80/sub/');
    expect((await defaults({}, { subPort: () => 80 }))['subURI']).toBe('http://127.0.0.1/sub/');
    const given = { subURI: 'https://cdn.example/s/', subClashEnable: false, subClashURI: 'https://cdn.example/c/' };
    expect(await defaults(given)).toMatchObject(given);
    expect((await defaults({ subEnable: false }))['subURI']).toBe('');
    const several = { subURI: 'https://one.example/s/, https://two.example/s/' };
    expect((await defaults(several))['subURI']).toBe('https://one.example/s/');
  });
});
