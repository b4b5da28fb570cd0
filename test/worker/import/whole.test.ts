import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash as bcrypt } from 'bcryptjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareDataDirectory } from '../../../src/adapters/data-directory/data-directory.js';
import { scryptPasswords } from '../../../src/adapters/passwords/passwords.js';
import { RefusedFile } from '../../../src/commands/ports/refused-file.js';
import { defaultSettings } from '../../../src/events/settings/settings.js';
import { wireInbound } from '../../../src/http/panel/codec/inbound-wire.js';
import { message } from '../../../src/messages/message.js';
import { defaultTemplate } from '../../../src/projections/core/template.js';
import { LogReadModels } from '../../../src/projections/read-models.js';
import { historyOf } from '../../../src/projections/why/history.js';
import { openJournal } from '../../../src/store/journal.js';
import { examineXui, importXui } from '../../../src/worker/import-xui.js';
import { admin, T0 } from '../../kit/builders.js';
import { readAll, temporaryFolder } from '../../kit/log.js';
import { makeCertificate } from '../../kit/real/certificate.js';
import { coreBinary, withoutCore } from '../../kit/real/core-process.js';
import { type XuiContent, xuiClient, xuiInbound, xuiStats } from '../../kit/xui-database.js';
import { inEnglish, xuiFile } from './kit.js';

const options = { requestedBy: admin, now: T0 };
const content: XuiContent = {
  users: [{ id: 1, username: 'root', password: `$2a$04$${'a'.repeat(53)}` }],
  inbounds: [xuiInbound(3, { clients: [xuiClient(1)] })],
  client_traffics: [xuiStats(1, 3, 'user1', { up: 3, down: 4 })],
  settings: { tgBotToken: '1:x', webPort: '5000' },
};

async function whole(file: string, more: object = {}) {
  const directory = prepareDataDirectory(join(temporaryFolder(), 'data'));
  const report = await importXui(file, directory, { ...options, ...more });
  const { log, complaint } = openJournal(directory, { readonly: true });
  const events = readAll(log);
  log.close();
  return { directory, report, events, complaint };
}

describe('an import', () => {
  it('creates a complete log with its key and its anchor', async () => {
    const { events, complaint, report, directory } = await whole(xuiFile(content));
    expect(complaint).toBe(null);
    expect(events.map(({ type }) => type)).toEqual([
      ...['PanelImported', 'UserCreated', 'InboundAdded', 'SettingsChanged', 'SecretSettingChanged'],
      ...['ClientAdded', 'ClientHistoryImported'],
    ]);
    const [first, ...rest] = events;
    expect(first?.meta).toMatchObject({ at: T0, actor: { kind: 'system', id: 'import', name: 'import', ip: null } });
    expect(rest.every(({ meta }) => meta.causationId === first?.id)).toBe(true);
    expect(first?.data).toMatchObject({
      file: report.file,
      details: { requestedBy: { kind: 'user', name: admin.name } },
    });
    // Values that are secret in this panel but not in the other one.
    expect(events.find(({ type }) => type === 'SecretSettingChanged')?.data).toMatchObject({ key: 'chatBotToken' });
    expect(readdirSync(directory.run).filter((name) => /^(xui|template)-/.test(name))).toEqual([]);
  });

  it('keeps clients and inbounds with their traffic and comments', async () => {
    const own = { up: 3, down: 4, all_time: 50, last_online: T0 - 5000 };
    const file = xuiFile({
      ...content,
      inbounds: [xuiInbound(3, { clients: [xuiClient(1)], up: 5, down: 6, all_time: 90 })],
      client_traffics: [xuiStats(1, 3, 'user1', own)],
      outbound_traffics: [{ id: 1, tag: 'direct', up: 8, down: 9, total: 17 }],
    });
    const { directory } = await whole(file);
    const { log } = openJournal(directory, { readonly: true });
    const read = new LogReadModels(log);
    const [inbound] = read.inbounds.all().map((one) => wireInbound(read, one));
    expect(inbound).toMatchObject({ id: 3, up: 5, down: 6, allTime: 90 });
    expect(inbound?.clientStats).toMatchObject([{ up: 3, down: 4, allTime: 50, lastOnline: T0 - 5000, enable: true }]);
    expect(JSON.parse(inbound?.settings ?? '')).toMatchObject({
      clients: [{ email: 'user1', subId: 'sub1', created_at: 1_700_000_000_000, updated_at: 1_700_000_000_001 }],
    });
    expect([...read.usage.outbounds()]).toEqual([['direct', { up: 8, down: 9 }]]);
    expect(historyOf(log, 1).map(({ what }) => what)).toContainEqual(
      message('history.clientImported', { up: 3, down: 4 }),
    );
    log.close();
  });

  it('hashes a plain-text password, so that it stays valid', async () => {
    const users = [{ id: 1, username: 'root', password: 'in clear' }];
    const { events, report } = await whole(xuiFile({ ...content, users }));
    expect(inEnglish(report.findings)).toMatchObject([{ item: 'user root', outcome: 'changed' }]);
    const created = events.find((event) => event.type === 'UserCreated');
    const hash = created?.data.credentials.passwordHash ?? '';
    expect(hash).toMatch(/^\$scrypt\$/);
    expect(await scryptPasswords().verify('in clear', hash)).toBe(true);
  });

  it('keeps a bcrypt hash, but not one that is too expensive to verify', async () => {
    const hash = await bcrypt('correct horse', 4);
    const users = [
      { id: 1, username: 'root', password: hash },
      { id: 2, username: 'amy', password: hash.replace('$04$', '$31$') },
    ];
    const { events, report } = await whole(xuiFile({ ...content, users }));
    const hashes = events.flatMap((event) =>
      event.type === 'UserCreated' ? [event.data.credentials.passwordHash] : [],
    );
    expect(hashes[0]).toBe(hash);
    expect(hashes[1]).toMatch(/^\$scrypt\$/);
    expect(inEnglish(report.findings)).toMatchObject([{ item: 'user amy', outcome: 'changed' }]);
  });

  it('is rejected if the directory has a log, and adds nothing', async () => {
    const { directory, events } = await whole(xuiFile(content));
    await expect(importXui(xuiFile(content), directory, options)).rejects.toThrow(RefusedFile);
    const { log } = openJournal(directory, { readonly: true });
    expect(log.head().position).toBe(events.length);
    log.close();
  });

  it('of an invalid file leaves no event', async () => {
    const directory = prepareDataDirectory(join(temporaryFolder(), 'data'));
    const bad = xuiFile({ ...content, after: 'CREATE VIEW evil AS SELECT 1' });
    await expect(importXui(bad, directory, options)).rejects.toThrow('the view "evil"');
    expect(readdirSync(directory.root)).not.toContain('events.db');
  });

  it('has the same report as a dry run, which changes nothing', async () => {
    const file = xuiFile(content);
    const scratch = temporaryFolder();
    const before = await examineXui(file, scratch, options);
    expect(readdirSync(scratch)).toEqual([]);
    expect((await whole(file)).report).toEqual(before);
  });

  it('skips addresses and files that this machine does not have, unless a panel here keeps its own', async () => {
    const settings = { webListen: '198.51.100.7', webCertFile: '/nowhere/a.pem', webKeyFile: '/nowhere/a.key' };
    const file = xuiFile({ ...content, settings });
    const alone = await whole(file);
    expect(inEnglish(alone.report.findings).map(({ item }) => item)).toEqual([
      'setting webCertFile',
      'setting webKeyFile',
      'setting webListen',
    ]);
    const beside = await whole(file, { host: defaultSettings });
    expect(inEnglish(beside.report.findings)).toEqual([]);
    expect(beside.events.find(({ type }) => type === 'SettingsChanged')?.data).toEqual({
      changes: { ...settings, subPort: 2096 },
    });
  });
});

describe('certificates of inbounds', () => {
  it('are reported if they are unusable and the inbound runs here', async () => {
    const good = await makeCertificate();
    onTestFinished(() => good.remove());
    const tls = (certificateFile: string, keyFile: string) => ({
      stream: { security: 'tls', tlsSettings: { certificates: [{ certificateFile, keyFile }] } },
    });
    const gone = tls('/srv/cert/a.example/fullchain.pem', '/srv/cert/a.example/privkey.pem');
    const { report, events } = await whole(
      xuiFile({
        ...content,
        nodes: [{ id: 1, name: 'n', scheme: 'https', address: 'n.example.com', port: 443, api_token: 't', enable: 1 }],
        inbounds: [
          xuiInbound(3, { ...gone, clients: [xuiClient(1)] }),
          xuiInbound(4, { ...tls(good.certFile, good.keyFile) }),
          xuiInbound(5, { ...gone, enable: 0 }),
          xuiInbound(6, { ...gone, node_id: 1 }),
        ],
      }),
      { host: defaultSettings },
    );
    const why = 'its certificate /srv/cert/a.example/fullchain.pem cannot be used on this machine';
    expect(inEnglish(report.findings).filter(({ reason: said }) => said.includes('certificate'))).toEqual([
      {
        table: 'inbounds',
        item: 'inbound 3 (inbound 3)',
        outcome: 'noted',
        reason: `${why}: The certificate file does not exist`,
      },
    ]);
    // It stays on: files that are put there let it in again.
    expect(events.filter((event) => event.type === 'InboundAdded').map(({ data }) => data.enabled)).toEqual([
      ...[true, true, false, true],
    ]);
  });

  it('are checked also if they are inline, in inbounds and in the template', async () => {
    const [good, other] = [await makeCertificate(), await makeCertificate()];
    for (const { remove } of [good, other]) remove();
    const lines = (pem: string) => pem.trim().split('\n');
    const foreign = { certificate: lines(good.certPem), key: lines(other.keyPem) };
    const sound = { certificate: lines(good.certPem), key: lines(good.keyPem) };
    const tls = (pair: object) => ({ security: 'tls', tlsSettings: { certificates: [pair] } });
    const template = {
      outbounds: [
        {
          tag: 'out',
          protocol: 'freedom',
          settings: {},
          streamSettings: tls({ certificate: ['my secret'], key: ['x'] }),
        },
      ],
    };
    const { report } = await whole(
      xuiFile({
        ...content,
        settings: { xrayTemplateConfig: JSON.stringify(template) },
        nodes: [{ id: 1, name: 'n', scheme: 'https', address: 'n.example.com', port: 443, api_token: 't', enable: 1 }],
        inbounds: [
          xuiInbound(3, { stream: tls(foreign) }),
          xuiInbound(4, { stream: tls(sound) }),
          xuiInbound(5, { stream: tls(foreign), node_id: 1 }),
        ],
      }),
      { host: defaultSettings },
    );
    const why = 'its certificate cannot be used: The key does not belong to the certificate';
    expect(inEnglish(report.findings).filter(({ reason: said }) => said.includes('certificate'))).toEqual([
      {
        table: 'settings',
        item: 'the core template',
        outcome: 'noted',
        reason: 'a certificate in it cannot be used: The certificate lines do not contain a PEM certificate',
      },
      { table: 'inbounds', item: 'inbound 3 (inbound 3)', outcome: 'noted', reason: why },
      { table: 'inbounds', item: 'inbound 5 (inbound 5)', outcome: 'noted', reason: why },
    ]);
  });
});

const SUITE = 'the template of another panel';
describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const rule = { type: 'field', domain: ['example.com'], outboundTag: 'blocked' };
  const own = (rules: readonly object[], more: object = {}) => ({
    log: { access: './access.log', loglevel: 'warning' },
    api: { tag: 'api', services: ['HandlerService'] },
    inbounds: [
      { tag: 'api', listen: '127.0.0.1', port: 62_789, protocol: 'tunnel', settings: { address: '127.0.0.1' } },
    ],
    outbounds: [
      { tag: 'direct', protocol: 'freedom', settings: {} },
      { tag: 'blocked', protocol: 'blackhole', settings: {} },
    ],
    routing: { domainStrategy: 'AsIs', rules: [{ type: 'field', inboundTag: ['api'], outboundTag: 'api' }, ...rules] },
    ...more,
  });
  const templateOf = async (template: unknown, url = '', geo = temporaryFolder()) => {
    const text = typeof template === 'string' ? template : JSON.stringify(template);
    const settings = { xrayTemplateConfig: text, xrayOutboundTestUrl: url };
    const core = { binary: coreBinary() ?? null, geo };
    const { events, report } = await whole(xuiFile({ ...content, settings }), { core });
    const changed = events.find((event) => event.type === 'CoreTemplateChanged');
    return { template: changed?.data.template, url: changed?.data.outboundTestUrl, said: inEnglish(report.findings) };
  };

  it('is kept if the core accepts it, also inside an API response', async () => {
    const kept = own([rule]);
    expect(await templateOf(kept, 'https://example.com/204')).toEqual({
      template: kept,
      url: 'https://example.com/204',
      said: [],
    });
    expect((await templateOf({ xraySetting: kept })).template).toEqual(kept);
  });

  it('needs no geo files for the default rule', async () => {
    const { template, said } = await templateOf(
      own([{ type: 'field', ip: ['geoip:private'], outboundTag: 'blocked' }, rule]),
    );
    const { rules } = (template as { routing: { rules: { ip?: string[] }[] } }).routing;
    expect(rules[1]?.ip).toContain('192.168.0.0/16');
    expect(rules[2]).toEqual(rule);
    expect(said).toMatchObject([{ outcome: 'changed', item: 'the core template' }]);
  });

  it('loses only rules that need missing files and lists, each with a report', async () => {
    const geo = temporaryFolder();
    writeFileSync(
      join(geo, 'geoip.dat'),
      Buffer.from('\x0a\x0e\x0a\x02US\x12\x08\x0a\x04\x01\x02\x03\x04\x10\x20', 'latin1'),
    );
    const to = (outboundTag: string, over: object) => ({ type: 'field', ...over, outboundTag });
    const kept = [rule, to('blocked', { ip: ['geoip:us', '10.0.0.0/8'] })];
    const dns = {
      servers: ['1.1.1.1', { address: '8.8.8.8', domains: ['geosite:cn'] }],
      hosts: { 'geosite:x': '0.0.0.0' },
    };
    const { template, said } = await templateOf(
      own(
        [
          to('direct', { domain: ['geosite:openai', 'domain:chatgpt.com'] }),
          to('blocked', { domain: ['ext:geosite_ads.dat:ads'], ip: ['10.0.0.0/8'] }),
          ...kept,
          to('blocked', { ip: 'geoip:us,geoip:nowhere' }),
          to('direct', { ip: ['geoip:us'], source: ['geoip:nowhere'] }),
          to('direct', { ip: ['!geoip:us', '!geoip:nowhere'] }),
          to('direct', { ip: ['geoip:!us', 'geoip:!nowhere'] }),
        ],
        { dns },
      ),
      '',
      geo,
    );
    const { routing, dns: asked } = template as ReturnType<typeof own> & { dns: typeof dns };
    expect(routing.rules).toEqual([
      own([]).routing.rules[0],
      to('direct', { domain: ['domain:chatgpt.com'] }),
      ...kept,
      to('blocked', { ip: ['geoip:us'] }),
    ]);
    expect(asked).toEqual({ servers: ['1.1.1.1'], hosts: {} });
    const [first, ...each] = said.map(({ table, item, outcome, reason }) => `${table}: ${outcome}: ${item}: ${reason}`);
    expect(first).toMatch(
      /^settings: changed: the core template: geo files and lists that do not exist on this machine are removed/,
    );
    const file = 'it needs geosite.dat, which does not exist on this machine';
    expect(each).toEqual([
      `core template: changed: rule 2 (geosite:openai, domain:chatgpt.com → direct): geosite:openai is removed from it: ${file}`,
      'core template: skipped: rule 3 (ext:geosite_ads.dat:ads, 10.0.0.0/8 → blocked): it needs geosite_ads.dat, which does not exist on this machine: add it again when the file exists',
      'core template: changed: rule 6 (geoip:us, geoip:nowhere → blocked): geoip:nowhere is removed from it: geoip.dat has no such list',
      'core template: skipped: rule 7 (geoip:us, geoip:nowhere → direct): geoip.dat has no such list: add it again when the file exists',
      'core template: skipped: rule 8 (!geoip:us, !geoip:nowhere → direct): geoip.dat has no such list: add it again when the file exists',
      'core template: skipped: rule 9 (geoip:!us, geoip:!nowhere → direct): geoip.dat has no such list: add it again when the file exists',
      `core template: skipped: name server 2 (8.8.8.8): ${file}: add it again when the file exists`,
      `core template: skipped: the address of geosite:x: ${file}: add it again when the file exists`,
    ]);
  });

  it.each([
    ['that is no JSON', '{"outbounds": [', 'it is not valid JSON'],
    ['that is a list', '[]', 'it is not a JSON object'],
    ['that is nested without end', `{"dns":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'it is nested deeper than'],
    [
      'that the core refuses',
      own([], { outbounds: [{ tag: 'x', protocol: 'no-such' }] }),
      'the default template is used',
    ],
    [
      'that opens a port',
      own([], { inbounds: [{ tag: 'mine', port: 1, protocol: 'socks' }] }),
      'the default template is used',
    ],
  ])('%s is replaced by the default one, with a report', async (_what, template, why) => {
    const done = await templateOf(template);
    expect(done.template).toBe(undefined);
    expect(done.said).toMatchObject([{ outcome: 'skipped', reason: expect.stringContaining(why) }]);
  });

  it('is the default one if only the test URL was set; an invalid URL is skipped', async () => {
    expect(await templateOf('', 'https://example.com/204')).toMatchObject({ template: defaultTemplate, said: [] });
    const bad = await templateOf('', 'ftp://example.com');
    expect(bad.template).toBe(undefined);
    expect(bad.said).toMatchObject([{ outcome: 'skipped', item: 'setting xrayOutboundTestUrl' }]);
  });

  it('reports addresses that this panel does not query', async () => {
    const node = { scheme: 'https', port: 443, api_token: 't', enable: 1 };
    const geo = { geo_type: 'geosite', url: 'http://127.0.0.1:1/a.dat' };
    const { events, report } = await whole(
      xuiFile({
        ...content,
        nodes: [
          { id: 1, ...node, name: 'cloud', address: '169.254.169.254' },
          { id: 2, ...node, name: 'own', address: '10.0.0.1', allow_private_address: 1 },
          { id: 3, ...node, name: 'far', address: 'node.example.com' },
        ],
        custom_geo_resources: [
          { id: 1, ...geo, alias: 'here' },
          { id: 2, ...geo, alias: 'there', url: 'https://example.com/a.dat' },
        ],
        settings: { externalTrafficInformURI: 'http://localhost:9/in' },
      }),
    );
    expect(inEnglish(report.findings).map(({ table, item, outcome: what }) => [table, item, what])).toEqual([
      ['nodes', 'node cloud', 'noted'],
      ['custom_geo_resources', 'geo source here', 'noted'],
      ['settings', 'setting externalTrafficInformURI', 'noted'],
    ]);
    expect(inEnglish(report.findings)[0]?.reason).toMatch(
      /^its address leads to this machine or a private network and is blocked/,
    );
    expect(events.filter(({ type }) => type === 'NodeAdded')).toHaveLength(3);
  });
});
