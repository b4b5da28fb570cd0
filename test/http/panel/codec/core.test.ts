import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PanelEvent, RecordedEvent } from '../../../../src/events/catalog.js';
import { CoreFailed, CoreStarted, CoreStopped } from '../../../../src/events/core.js';
import { realityPublicKey } from '../../../../src/http/panel/codec/reality.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { coreControlHandlers } from '../../../../src/http/panel/handlers/core/control.js';
import { coreSettingHandlers } from '../../../../src/http/panel/handlers/core/settings.js';
import { inboundHandlers } from '../../../../src/http/panel/handlers/inbounds/inbounds.js';
import { keygenHandlers } from '../../../../src/http/panel/handlers/inbounds/keygen.js';
import { serverHandlers } from '../../../../src/http/panel/handlers/server.js';
import { settingHandlers } from '../../../../src/http/panel/handlers/settings/settings.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { recorded } from '../../../kit/spec.js';
import { failing, invalid, startPanel, webWith } from './panel.js';

type Panel = ReturnType<typeof startPanel>;
const started = { type: 'RecordCoreStarted', data: { run: 'r1', version: '26.7.28', reason: 'start' } } as const;
const control = (panel: Panel, name: keyof typeof tables.coreControl) =>
  panel.call(tables.coreControl, coreControlHandlers, name);
const core = (panel: Panel, name: keyof typeof tables.coreSettings, body?: unknown) =>
  panel.call(tables.coreSettings, coreSettingHandlers, name, { body });
const setting = (panel: Panel, name: keyof typeof tables.settings, body?: unknown) =>
  panel.call(tables.settings, settingHandlers, name, { body });
const event = (happened: PanelEvent): RecordedEvent | null => recorded([happened])[0] ?? null;

describe('status', () => {
  it('has the names of both dialects and integers', async () => {
    const panel = startPanel();
    panel.dispatch(started);
    panel.advance(90_500);
    const { obj } = await panel.call(tables.server, serverHandlers, 'status');
    expect(obj).toMatchObject({
      core: { state: 'running', version: '26.7.28', errorMsg: '', errorMsgCode: null },
      xray: { state: 'running', version: '26.7.28', errorMsg: '', errorMsgCode: null },
      load: { load1: 0.5, load5: 0.4, load15: 0.3 },
      loads: [0.5, 0.4, 0.3],
      mem: { current: 1, total: 8 },
      netIO: { up: 11, down: 3 },
      uptime: 101,
      publicIP: { ipv4: 'N/A', ipv6: 'N/A' },
      appStats: { threads: 11, mem: 1000, uptime: 90 },
    });
    expect(tables.server.status.reply.safeParse(obj).error).toBeUndefined();
  });

  it('has the error of the core', async () => {
    const panel = startPanel();
    panel.dispatch({ type: 'RecordCoreFailed', data: { run: null, reason: verbatim('no binary') } });
    const { obj } = await panel.call(tables.server, serverHandlers, 'status');
    const core = { state: 'error', errorMsg: 'no binary', errorMsgCode: null, version: 'Unknown' };
    expect(obj).toMatchObject({ core });
  });

  it('has the code of the reason beside the text', async () => {
    const panel = startPanel();
    panel.dispatch({ type: 'RecordCoreFailed', data: { run: null, reason: message('core.missing') } });
    const { obj } = await panel.call(tables.server, serverHandlers, 'status');
    expect(obj).toMatchObject({ core: { state: 'error', errorMsgCode: 'core.missing' } });
  });
});

describe('stopCoreService', () => {
  it('waits for the core to end', async () => {
    const asked: unknown[] = [];
    const panel = startPanel({
      outcome: async (position, types) => {
        asked.push(position, types);
        return event(CoreStopped({ run: 'r1', reason: 'request' }));
      },
    });
    panel.dispatch(started);
    expect((await control(panel, 'stopCoreService')).msg).toBe('Xray has been successfully stopped.');
    expect(asked).toStrictEqual([2, ['CoreStopped', 'CoreFailed']]);
  });

  it('fails if no core runs, also the second time', async () => {
    const panel = startPanel();
    for (let n = 0; n < 2; n += 1) {
      expect(await control(panel, 'stopCoreService')).toMatchObject({ success: false, msg: 'The core is not running' });
    }
  });
});

describe('restartCoreService', () => {
  it('keeps the running configuration when the new one is invalid', async () => {
    const panel = startPanel({ core: { config: { test: invalid('bad routing') } } });
    expect((await control(panel, 'restartCoreService')).msg).toBe(
      'The core does not accept this configuration: bad routing',
    );
    expect(panel.log.events).toStrictEqual([]);
  });

  it('keeps it when the core does not respond, and reports when there is none', async () => {
    const silent = startPanel({ core: { config: { test: failing('unreachable', 'The core gave no answer') } } });
    expect((await control(silent, 'restartCoreService')).msg).toBe(
      'The operation failed in the core: The core gave no answer',
    );
    const none = startPanel({ core: { config: { test: failing('missing', 'no core is installed') } } });
    expect((await control(none, 'restartCoreService')).msg).toMatch(/^No core executable is installed/);
    expect([...silent.log.events, ...none.log.events]).toStrictEqual([]);
  });

  it('reports the result of the start', async () => {
    const outcomes = [
      event(CoreStarted({ run: 'r1', version: '26.7.28', reason: 'start' })),
      event(CoreFailed({ run: null, reason: verbatim('port taken') })),
      null,
    ];
    const panel = startPanel({ outcome: async () => outcomes.shift() ?? null });
    expect((await control(panel, 'restartCoreService')).msg).toBe('Xray has been successfully relaunched.');
    expect((await control(panel, 'restartCoreService')).msg).toContain('port taken');
    expect((await control(panel, 'restartCoreService')).success).toBe(false);
  });
});

it('getConfigJson has every member that py3xui reads', async () => {
  const template = { dns: { servers: ['localhost'] }, outbounds: [{ protocol: 'freedom' }] };
  const panel = startPanel({ core: { config: { assemble: () => template } } });
  const { obj } = await control(panel, 'getConfigJson');
  expect(obj).toMatchObject({
    stats: null,
    reverse: null,
    transport: null,
    observatory: null,
    burstObservatory: null,
    dns: {
      servers: [{ address: 'localhost', port: 53, domains: [] }],
      tag: 'dns',
      enableParallelQuery: false,
      queryStrategy: 'UseIP',
    },
    outbounds: [{ protocol: 'freedom', settings: {}, tag: '' }],
    metrics: { tag: '', listen: '' },
    log: { maskAddress: '' },
    routing: { domainStrategy: 'AsIs', rules: [] },
  });
});

describe('the core template', () => {
  const valid = { outbounds: [{ tag: 'direct', protocol: 'freedom' }] };

  it('is read in the format of the specification, or in that of 3x-ui', async () => {
    const panel = startPanel();
    await panel.call(tables.inbounds, inboundHandlers, 'add', { body: { port: 443, protocol: 'vless' } });
    const spec = (await core(panel, 'read')).obj as Record<string, string>;
    expect(JSON.parse(String(spec['coreSetting']))).toHaveProperty('outbounds');
    expect(spec).toMatchObject({ inboundTags: '["inbound-443"]', clientReverseTags: '[]' });
    expect(spec['outboundTestUrl']).toMatch(/^https:/);
    panel.dispatch({ type: 'ChangeSettings', data: { changes: { apiDialect: '3x-ui' } } });
    expect(JSON.parse(String((await core(panel, 'read')).obj))).toMatchObject({ inboundTags: ['inbound-443'] });
  });

  it.each([['coreSetting'], ['xraySetting'], ['content']])('is changed by the form field %s', async (name) => {
    const panel = startPanel();
    const body = { [name]: JSON.stringify(valid), outboundTestUrl: 'http://probe.example/204' };
    expect(await core(panel, 'update', body)).toMatchObject({
      success: true,
      msg: 'The parameters have been changed.',
    });
    expect(panel.read.settings.template()).toStrictEqual({
      template: valid,
      outboundTestUrl: 'http://probe.example/204',
    });
  });

  it('is rejected with a test URL that the panel may not request; the stored URL is not checked again', async () => {
    const asked: string[] = [];
    const problem = async (url: string) => {
      asked.push(url);
      return verbatim('it is private');
    };
    const panel = startPanel({ web: webWith(problem) });
    const refused = await core(panel, 'update', { coreSetting: valid, outboundTestUrl: 'http://private.example/' });
    expect(refused).toMatchObject({
      success: false,
      msg: 'Setting outboundTestUrl: leads to this machine or to a private network; set PORTOLAN_ALLOW_PRIVATE_OUTBOUND=true to allow it',
    });
    expect(panel.log.events).toStrictEqual([]);
    const old = { template: valid, outboundTestUrl: 'http://private.example/' };
    panel.dispatch({ type: 'ChangeCoreTemplate', data: old });
    expect(await core(panel, 'update', { coreSetting: valid, outboundTestUrl: old.outboundTestUrl })).toMatchObject({
      success: true,
    });
    expect(asked).toStrictEqual(['http://private.example/']);
  });

  it('is saved with a list of its ignored members', async () => {
    const panel = startPanel({ core: { config: { ignoredSettings: () => [verbatim('"api" is replaced')] } } });
    expect((await core(panel, 'update', { coreSetting: valid })).obj).toStrictEqual({
      warnings: ['"api" is replaced'],
    });
  });

  it('stays the same if only the URL of outbound tests is sent', async () => {
    const panel = startPanel({
      core: { config: { ignoredSettings: () => [verbatim('x')], testTemplate: invalid('asked') } },
    });
    const change = (outboundTestUrl: string) => core(panel, 'update', { outboundTestUrl });
    const before = panel.read.desired.template();
    expect(await change('http://probe.example/204')).toStrictEqual({
      success: true,
      msg: 'The parameters have been changed.',
      obj: null,
    });
    expect(panel.read.settings.template()).toStrictEqual({
      template: before,
      outboundTestUrl: 'http://probe.example/204',
    });
    const emptied = await core(panel, 'update', { coreSetting: '', outboundTestUrl: 'http://other.example/' });
    for (const { msg } of [await change(' '), emptied])
      expect(msg).toBe('The core template is not valid: coreSetting is missing');
    expect(panel.read.settings.template()).toStrictEqual({
      template: before,
      outboundTestUrl: 'http://probe.example/204',
    });
  });

  it('is extracted from a reply that is sent back', async () => {
    const panel = startPanel();
    const wrapped = { xraySetting: { coreSetting: JSON.stringify(valid), inboundTags: '[]' }, inboundTags: [] };
    await core(panel, 'update', { coreSetting: JSON.stringify(wrapped) });
    expect(panel.read.settings.template()?.template).toStrictEqual(valid);
  });

  it.each([
    [{}, 'The core template is not valid: coreSetting is missing'],
    [{ coreSetting: '{' }, 'coreSetting: is not valid JSON'],
    [{ coreSetting: '[]' }, 'coreSetting: must be a JSON object'],
    [
      { coreSetting: valid, outboundTestUrl: 'ftp://x' },
      'Setting outboundTestUrl: must begin with http:// or https://',
    ],
    [{ coreSetting: valid, outboundTestUrl: 'nonsense' }, 'Setting outboundTestUrl: is not a URL'],
  ])('is rejected: %j', async (body, msg) => {
    const panel = startPanel();
    expect(await core(panel, 'update', body)).toMatchObject({ success: false, msg });
    expect(panel.log.events).toStrictEqual([]);
  });

  it('is not stored if the core does not respond', async () => {
    const silent = failing('unreachable', 'The core gave no answer in 15 seconds (xray)');
    const panel = startPanel({ core: { config: { testTemplate: silent } } });
    expect(await core(panel, 'update', { coreSetting: valid })).toMatchObject({
      success: false,
      msg: 'The operation failed in the core: The core gave no answer in 15 seconds (xray)',
    });
    expect(panel.log.events).toStrictEqual([]);
  });

  it('is stored untested if there is no core, and the reply says so', async () => {
    const panel = startPanel({ core: { config: { testTemplate: failing('missing', 'no core is installed') } } });
    expect(await core(panel, 'update', { coreSetting: valid })).toMatchObject({
      success: true,
      msg: 'The settings have been saved. They were not tested, because no core is installed.',
    });
    expect(panel.read.settings.template()?.template).toStrictEqual(valid);
  });

  it('is not stored if the core rejects it', async () => {
    const panel = startPanel({ core: { config: { testTemplate: invalid('unknown outbound') } } });
    expect((await core(panel, 'update', { coreSetting: valid })).msg).toContain('unknown outbound');
    expect(panel.log.events).toStrictEqual([]);
  });
});

it('outbound counters are listed, and one or all are reset', async () => {
  const panel = startPanel();
  const outbounds = [['direct', 1, 2]] as const;
  panel.dispatch({ type: 'RecordTraffic', data: { run: 'r', clients: [], inbounds: [], outbounds } });
  expect((await core(panel, 'getOutboundsTraffic')).obj).toStrictEqual([
    { id: 1, tag: 'direct', up: 1, down: 2, total: 3 },
  ]);
  expect((await core(panel, 'resetOutboundsTraffic', { tag: 'nobody' })).success).toBe(false);
  expect((await core(panel, 'resetOutboundsTraffic', { tag: 'direct' })).success).toBe(true);
  expect((await core(panel, 'resetOutboundsTraffic', { tag: '-alltags-' })).success).toBe(true);
  expect((await core(panel, 'getOutboundsTraffic')).obj).toMatchObject([{ total: 0 }]);
});

describe('settings', () => {
  it('show flags instead of secrets', async () => {
    const panel = startPanel();
    expect((await setting(panel, 'all')).obj).toMatchObject({ subPort: 10882, hasApiToken: false });
    const token = (await setting(panel, 'getApiToken')).obj;
    expect(token).toMatch(/^[A-Za-z0-9]{48}$/);
    expect((await setting(panel, 'getApiToken')).obj).toBe(token);
    const all = await setting(panel, 'all');
    expect(all.obj).toMatchObject({ hasApiToken: true });
    expect(JSON.stringify(all)).not.toContain(token);
    const renewed = (await setting(panel, 'regenerateApiToken')).obj;
    expect(renewed).not.toBe(token);
    expect((await setting(panel, 'getApiToken')).obj).toBe(renewed);
  });

  it('are changed by JSON and by form', async () => {
    const panel = startPanel();
    const form = {
      subPort: '2096',
      subEnable: 'false',
      trustedProxyCIDRs: '10.0.0.0/8',
      hasApiToken: true,
    };
    expect((await setting(panel, 'update', Object.assign(Object.create(null), form))).success).toBe(true);
    expect(panel.read.settings.current()).toMatchObject({
      subPort: 2096,
      subEnable: false,
      trustedProxyCIDRs: ['10.0.0.0/8'],
    });
    expect((await setting(panel, 'update', (await setting(panel, 'all')).obj)).success).toBe(true);
  });

  it('are rejected as a whole', async () => {
    const panel = startPanel();
    expect((await setting(panel, 'update', { subTitle: 'x', subPort: '70000' })).msg).toMatch(/^Setting subPort: /);
    expect((await setting(panel, 'update', { subTitle: 'x', subPort: '1e3' })).msg).toMatch(/^Setting subPort: /);
    expect(panel.read.settings.current().subTitle).toBe('');
  });

  it('include the address of the subscription server', async () => {
    const panel = startPanel({ requestHost: '2001:db8::1' });
    expect((await setting(panel, 'defaultSettings')).obj).toMatchObject({ subURI: 'http://[2001:db8::1]:10882/sub/' });
  });
});

it('generated keys are different each time', async () => {
  const panel = startPanel();
  const uuid = () => panel.call(tables.keygen, keygenHandlers, 'getNewUUID');
  expect((await uuid()).obj).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
  panel.dispatch({ type: 'ChangeSettings', data: { changes: { apiDialect: '3x-ui' } } });
  expect((await uuid()).obj).toHaveProperty('uuid');
});

it('the public half of a REALITY key is computed', () => {
  const { d = '', x } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  expect(realityPublicKey(d)).toBe(x);
  expect(realityPublicKey(d)).toBe(x);
  expect(realityPublicKey('too short')).toBe('');
});
