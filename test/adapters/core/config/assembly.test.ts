import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assemble, logFiles } from '../../../../src/adapters/core/config/assembly.js';
import type { CoreInbound } from '../../../../src/commands/ports/core.js';
import type { JsonObject } from '../../../../src/lib/json.js';
import { certificate, configOf, inboundOf, numberOf } from '../kit.js';

const paths = {
  runDir: '/data/run',
  logDir: '/data/logs',
  assetDir: '/data/geo',
  socket: '/data/run/core.sock',
  trace: '/data/run/trace.log',
  metrics: null,
};
const from = (template: JsonObject, inbounds: readonly CoreInbound[] = []) =>
  assemble(configOf(inbounds, template), paths);
const plain = from({});

/** As the panel makes it, with the admin's site. */
function dataDirectory(): string {
  const data = mkdtempSync(join(tmpdir(), 'portolan-assembly-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  for (const folder of ['keys', 'run', 'certs', 'backups', 'www/deep'])
    mkdirSync(join(data, folder), { recursive: true });
  symlinkSync(join(data, 'keys'), join(data, 'www', 'link'));
  return data;
}

describe('the assembled configuration', () => {
  it('has the API of the panel on a Unix socket, counters for all clients, and the two default outbounds', () => {
    expect(plain).toMatchObject({
      api: { tag: 'api', listen: '/data/run/core.sock,0600' },
      stats: {},
      policy: { levels: { 0: { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true } } },
      inbounds: [],
    });
    expect((plain['outbounds'] as readonly JsonObject[]).map(({ protocol }) => protocol)).toStrictEqual([
      'freedom',
      'blackhole',
      'blackhole',
    ]);
  });

  it('opens a metrics port, which the panel chooses, only if the template requests metrics', () => {
    const metrics = '127.0.0.1:4711';
    const made = (template: JsonObject): unknown => assemble(configOf([], template), { ...paths, metrics })['metrics'];
    expect(made({})).toBeUndefined();
    expect(made({ MetricS: { tag: 'x', listen: '0.0.0.0:1' } })).toStrictEqual({ tag: 'metrics_out', listen: metrics });
  });

  it('keeps the other settings of a template', () => {
    const outbounds = [
      { tag: 'far', protocol: 'socks' },
      { tag: 'direct', protocol: 'freedom' },
    ];
    const config = from({
      dns: { servers: ['1.1.1.1'] },
      policy: { levels: { 0: { connIdle: 120, StatsUserUplink: false }, 1: { handshake: 2 } } },
      outbounds,
      observatory: { subjectSelector: ['far'] },
      routing: {
        domainStrategy: 'AsIs',
        rules: [
          { type: 'field', inboundTag: ['api'], outboundTag: 'api' },
          { ip: ['1.1.1.1'], outboundTag: 'far' },
        ],
      },
    });
    expect((config['outbounds'] as readonly JsonObject[]).slice(0, 2)).toStrictEqual(outbounds);
    expect(config['dns']).toStrictEqual({ servers: ['1.1.1.1'] });
    expect((config['policy'] as JsonObject)['levels']).toStrictEqual({
      0: { connIdle: 120, statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true },
      1: { handshake: 2 },
    });
    expect((config['api'] as { services: string[] }).services).toContain('ObservatoryService');
    expect((config['routing'] as { rules: JsonObject[] }).rules).toStrictEqual([
      { ip: ['1.1.1.1'], outboundTag: 'far', ruleTag: 'rule#0.0' },
    ]);
  });

  it.each<[string, JsonObject]>([
    ['an api of its own', { API: { tag: 'api', listen: '0.0.0.0:62789' } }],
    ['the same with odd letters', { ſtats: null, Stats: { x: 1 }, Metrics: { listen: '0.0.0.0:1' } }],
    [
      'rules to the api and the metrics of another panel',
      { routing: { Rules: [{ inboundTag: ['m'], OutboundTag: 'metrics_out' }, { outboundTag: 'api' }] } },
    ],
    [
      'a prototype that is no member',
      JSON.parse('{"__proto__":{"dns":{"servers":["1.1.1.1"]},"env":{}}}') as JsonObject,
    ],
    [
      'the api inbound of another panel',
      { inBounds: [{ tag: 'api', port: 62789, listen: '0.0.0.0', protocol: 'tunnel' }] },
    ],
    ['unknown blocks', { _comment: 'x', unknown: { listen: '0.0.0.0:1' } }],
  ])('ignores %s', (_, template) => {
    expect(from(template)).toStrictEqual(plain);
  });

  it.each<[string, JsonObject]>([
    ['environment variables', { Env: { XRAY_LOCATION_ASSET: '/' } }],
    ['downloads of files', { geoData: { assets: [] } }],
    ['removed blocks', { transport: {} }],
    ['reverse', { reverse: {} }],
    ['the same block twice', { log: {}, LOG: { access: '/etc/passwd' } }],
    ['a port', { INBOUNDS: [{ tag: 'x', port: 1, protocol: 'socks' }] }],
    ['a webhook', { routing: { rules: [{ outboundTag: 'x', WebHook: { url: 'http://127.0.0.1' } }] } }],
    [
      'a webhook with an odd letter',
      { routing: { rules: [{ outboundTag: 'x', webhoo\u212a: { url: 'http://127.0.0.1' } }] } },
    ],
    [
      'a key outside of the data directory',
      {
        outbounds: [
          { streamSettings: { tlsSettings: { certificates: [{ CertificateFile: '/data/../etc/shadow' }] } } },
        ],
      },
    ],
    ['a key log', { outbounds: [{ streamSettings: { tlsSettings: { masterKeyLog: '/data/x' } } }] }],
    ['our own outbound', { outbounds: [{ tag: 'portolan-cut', protocol: 'freedom' }] }],
    [
      'an outbound twice',
      {
        outbounds: [
          { tag: 'a', protocol: 'freedom' },
          { Tag: 'a', protocol: 'freedom' },
        ],
      },
    ],
    ['outbounds that are no list', { outbounds: { 0: {} } }],
    ['a level that is another 0', { policy: { levels: { '00': { statsUserUplink: false } } } }],
    ['a level twice', { policy: { Levels: { 0: {} }, levels: {} } }],
    ['the key of a file twice', { outbounds: [{ a: { keyFile: '/data/x', KeyFile: '/data/y' } }] }],
    ['a way into our metrics', { outbounds: [{ streamSettings: { sockopt: { DialerProxy: 'metrics_out' } } }] }],
    ['another one', { outbounds: [{ ProxySettings: { Tag: 'metrics_out' } }] }],
    ['a rule into our void', { routing: { rules: [{ outboundTag: 'portolan-cut' }] } }],
    ['a balancer that would take ours too', { routing: { balancers: [{ tag: 'b', selector: ['pro', 'met'] }] } }],
    ['one that would take all', { routing: { balancers: [{ tag: 'b', Selector: [''] }] } }],
    ['an observatory that would watch ours', { burstObservatory: { subjectSelector: ['p'] } }],
    ['a fallback to ours', { routing: { balancers: [{ tag: 'b', selector: ['x'], fallbackTag: 'portolan-cut' }] } }],
    ['a socket of the panel', { outbounds: [{ dest: '/data/run/control.sock' }] }],
  ])('rejects %s', (_, template) => {
    expect(() => from(template)).toThrow(expect.objectContaining({ name: 'CoreError', kind: 'invalid' }));
  });

  it('blocks proxied connections to the metrics, whatever the outbounds allow', () => {
    const allow = { action: 'allow' };
    const outbounds = [
      { tag: 'a', Protocol: 'Direct', SETTINGS: { FinalRules: [allow], redirect: '127.0.0.1:1' } },
      { tag: 'b', protocol: 'freedom' },
      { tag: 'c', protocol: 'socks', settings: {} },
      { tag: 'd', protocol: 'freedom', settings: { finalRules: 7 } },
      JSON.parse('{"tag":"e","protocol":"freedom","settings":{"__proto__":{"finalRules":7}}}') as JsonObject,
    ];
    const config = assemble(configOf([], { outbounds }), { ...paths, metrics: '127.0.0.1:4711' });
    const closed = { action: 'block', port: '4711', ip: ['0.0.0.0/8', '127.0.0.0/8', '::/127'] };
    const [a, b, c, d, e] = config['outbounds'] as readonly JsonObject[];
    expect(e).toMatchObject({ settings: { finalRules: [closed] } });
    expect([a, b, c, d]).toStrictEqual([
      { tag: 'a', Protocol: 'Direct', settings: { redirect: '127.0.0.1:1', finalRules: [closed, allow] } },
      { tag: 'b', protocol: 'freedom', settings: { finalRules: [closed] } },
      outbounds[2],
      outbounds[3],
    ]);
  });

  it('distinguishes a rule of a template from a disconnect rule of the panel that has the same tag', () => {
    const rules = [{ ruleTag: 'cut>>>in>>>alice@x', outboundTag: 'direct' }];
    expect((from({ routing: { rules } })['routing'] as JsonObject)['rules']).toMatchObject([
      { ruleTag: 'cutinalice@x#0.0' },
    ]);
  });

  it('turns log paths into plain names under logs/', () => {
    const files = (log: JsonObject) => logFiles({ LoG: log }, paths);
    expect(files({ access: '/etc/cron.d/../mine.log', Error: '../../x/e.log', loglevel: 'ERROR' })).toStrictEqual({
      access: '/data/logs/mine.log',
      accessKept: true,
      error: '/data/logs/e.log',
      level: 'error',
    });
    for (const access of [
      'none',
      '',
      'core-output.log',
      'panel.log',
      '/dev/stdout',
      '..',
      'a/..',
      '.hidden.log',
      '/proc/self/fd/1',
      'x.log\0',
    ]) {
      expect(files({ access }).access).toBe('/data/logs/access.log');
    }
    expect(files({ access: 'none' }).accessKept).toBe(false);
    expect(files({ access: 'same.log', error: 'same.log' })).toMatchObject({
      access: '/data/logs/access.log',
      error: '/data/logs/error.log',
    });
  });

  it('rejects inbounds with reserved names, and paths outside of their folder', () => {
    const one = { port: 1, protocol: 'vless', settings: {} };
    expect(() => from({}, [inboundOf({ ...one, tag: 'api' })])).toThrow(/tag "api"/);
    expect(() => from({}, [inboundOf({ ...one, tag: 'a>>>b' })])).toThrow(/tag/);
    const masquerade = { hysteriaSettings: { masquerade: { type: 'file', dir: '/etc' } } };
    expect(() => from({}, [inboundOf({ ...one, tag: 'a', streamSettings: masquerade })])).toThrow(/folder www/);
    const certificates = { tlsSettings: { certificates: [{ certificateFile: '/etc/letsencrypt/a.pem' }] } };
    expect(() => from({}, [inboundOf({ ...one, tag: 'a', streamSettings: certificates })])).not.toThrow();
  });

  it.each<[string, JsonObject, boolean]>([
    ['a fallback to the core', { settings: { fallbacks: [{ dest: '/data/run/core.sock' }] } }, false],
    ['one by another way', { settings: { fallbacks: [{ Dest: '/data/x/../run/core.sock' }] } }, false],
    ['one by a relative name', { settings: { fallbacks: [{ type: 'unix', dest: 'core.sock' }] } }, false],
    ['one to another program', { settings: { fallbacks: [{ dest: '/var/run/docker.sock' }] } }, false],
    ['REALITY to the core', { streamSettings: { realitySettings: { Target: '/data/run/core.sock' } } }, false],
    ['a socket in the place of the log', { streamSettings: {}, listen: '/data/events.db' }, false],
    ['a fallback to a site', { settings: { fallbacks: [{ dest: '/data/site.sock', xver: 1 }] } }, true],
    ['one to a port', { settings: { fallbacks: [{ dest: 80 }, { dest: '127.0.0.1:81', type: 'tcp' }] } }, true],
    ['one to an abstract name', { settings: { fallbacks: [{ dest: '@site' }] } }, true],
    ['a fallback into the keys', { settings: { fallbacks: [{ dest: '/data/keys/x.sock' }] } }, false],
    ['a socket of its own', { listen: '/data/in.sock,0666' }, true],
  ])('allows inbounds only Unix sockets of their own: %s', (_, more, fine) => {
    const one = inboundOf({ tag: 'a', port: 1, protocol: 'vless', settings: {}, ...more });
    if (fine) expect(() => from({}, [one])).not.toThrow();
    else expect(() => from({}, [one])).toThrow(/Inbound a cannot be used.*\.sock file inside the data directory/);
  });

  it.each<[string, JsonObject]>([
    ['the keys', { type: 'file', DIR: 'DATA/keys' }],
    ['the data directory', { type: 'file', dir: 'DATA' }],
    ['the folder beside the site', { type: 'file', dir: 'DATA/www/../backups' }],
    ['a link out of the site', { type: 'file', dir: 'DATA/www/link' }],
    ['the folder in which the core runs', { Type: 'File' }],
    ['the same by an empty name', { type: 'file', dir: '' }],
    ['a relative folder', { type: 'file', dir: 'www' }],
  ])('limits a masquerade to the folder of the site: not %s', (_, masquerade) => {
    const data = dataDirectory();
    const shown = (site: JsonObject): JsonObject =>
      assemble(
        configOf([
          inboundOf({
            tag: 'a',
            port: 1,
            protocol: 'vless',
            settings: {},
            streamSettings: { x: { Masquerade: site } },
          }),
        ]),
        { ...paths, runDir: join(data, 'run') },
      );
    const patched = JSON.parse(JSON.stringify(masquerade).replace('DATA', data)) as JsonObject;
    expect(() => shown(patched)).toThrow(/Inbound a cannot be used.*(folder www|folder of its files)/);
    for (const dir of ['www', 'www/deep', 'www/later'])
      expect(() => shown({ type: 'file', dir: join(data, dir) })).not.toThrow();
  });

  it('allows no file of the panel as a certificate, and in a template only certificates', async () => {
    const data = dataDirectory();
    const { cert, key } = await certificate();
    const other = await certificate();
    mkdirSync(join(data, 'tls'));
    for (const [name, text] of Object.entries({ cert, key, other: other.key }))
      writeFileSync(join(data, 'tls', name), text);
    writeFileSync(join(data, 'keys', 'master.key'), cert);
    symlinkSync(join(data, 'keys', 'master.key'), join(data, 'tls', 'link'));
    const tls = (certificateFile: string, keyFile: string): JsonObject => ({
      tlsSettings: {
        certificates: [
          { certificateFile: join(data, certificateFile), ...(keyFile ? { keyFile: join(data, keyFile) } : {}) },
        ],
      },
    });
    const there = { ...paths, runDir: join(data, 'run') };
    const outbound = (streamSettings: JsonObject): JsonObject =>
      assemble(configOf([], { outbounds: [{ tag: 'a', protocol: 'freedom', streamSettings }] }), there);
    const inbound = (streamSettings: JsonObject): JsonObject =>
      assemble(configOf([inboundOf({ tag: 'a', port: 1, protocol: 'vless', settings: {}, streamSettings })]), there);
    for (const made of [outbound, inbound]) {
      expect(() => made(tls('tls/cert', 'tls/key'))).not.toThrow();
      for (const own of [
        'keys/master.key',
        'tls/link',
        'certs/panel.pem',
        'events.db-wal',
        'head.json',
        'run/x',
        'backups/x',
      ])
        expect(() => made(tls(own, 'tls/key')), own).toThrow(/the panel's own files/);
    }
    expect(() => outbound(tls('tls/cert', ''))).not.toThrow();
    for (const [file, secret] of [
      ['tls/cert', 'tls/other'],
      ['tls/key', ''],
      ['tls/none', 'tls/key'],
      ['tls', 'tls/key'],
    ] as const)
      expect(() => outbound(tls(file, secret)), file).toThrow(/does not match the certificate/);
  });

  it('removes a reverse tag that is the name of an outbound, which the core would delete with the client', () => {
    const one = { tag: 'a', port: 1, protocol: 'vless', settings: { decryption: 'none' } };
    const id = '11111111-1111-4111-8111-111111111111';
    const clients = ['own', 'direct', 'portolan-cut'].map((tag) => ({ email: `${tag}@x`, id, reverse: { tag } }));
    const outbounds = [{ tag: 'direct', protocol: 'freedom' }];
    const [inbound] = from({ outbounds }, [inboundOf(one, clients)])['inbounds'] as [{ settings: JsonObject }];
    expect((inbound.settings['clients'] as readonly JsonObject[]).map(({ reverse }) => reverse)).toStrictEqual([
      { tag: 'own' },
      undefined,
      undefined,
    ]);
  });

  it('has the names of clients in the core, or their emails in the version for people, also in rules', () => {
    const vless = { tag: 'v', port: 1, protocol: 'vless', settings: { decryption: 'none' } };
    const id = '11111111-2222-4333-8444-000000000001';
    const config = configOf([inboundOf(vless, [{ email: 'a', id }])], {
      routing: { rules: [{ user: ['a.b'], outboundTag: 'x' }] },
    });
    const [own, shown] = (['core', 'people'] as const).map((names) => assemble(config, paths, names));
    const clients = (email: string) => [{ settings: { clients: [{ email }] } }];
    expect(own?.['inbounds']).toMatchObject(clients(`${numberOf('a')}:a`));
    expect(shown?.['inbounds']).toMatchObject(clients('a'));
    expect(own?.['routing']).toMatchObject({ rules: [{ user: ['a.b', 'regexp:^\\d+:a\\.b$'] }] });
    expect(shown?.['routing']).toMatchObject({ rules: [{ user: ['a.b'] }] });
  });

  it('gives accounts a level with counters, and rejects clients with the server key of Shadowsocks 2022', () => {
    const ss = {
      tag: 's',
      port: 1,
      protocol: 'shadowsocks',
      settings: { method: '2022-blake3-aes-256-gcm', password: 'x', Users: [{ email: 'evil' }] },
    };
    const [inbound] = from({}, [inboundOf(ss)])['inbounds'] as [
      { settings: { clients: { email: string; password: string }[] } },
    ];
    expect(inbound.settings).not.toHaveProperty('Users');
    expect(
      inbound.settings.clients.map(({ email, password }) => [email, Buffer.from(password, 'base64').length]),
    ).toStrictEqual([['portolan-placeholder', 32]]);
    const classic = { tag: 's', port: 1, protocol: 'shadowsocks', settings: { method: 'aes-256-gcm' } };
    expect(from({}, [inboundOf(classic, [{ email: 'a', password: 'p', level: 3 }])])['inbounds']).toMatchObject([
      { settings: { clients: [{ email: `${numberOf('a')}:a`, password: 'p', method: 'aes-256-gcm', level: 0 }] } },
    ]);
  });
});
