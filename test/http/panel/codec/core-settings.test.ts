import { describe, expect, it } from 'vitest';
import { pairProblem } from '../../../../src/adapters/tls/certificates.js';
import { CoreError } from '../../../../src/commands/ports/core.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { coreControlHandlers } from '../../../../src/http/panel/handlers/core/control.js';
import { coreSettingHandlers } from '../../../../src/http/panel/handlers/core/settings.js';
import { inboundHandlers } from '../../../../src/http/panel/handlers/inbounds/inbounds.js';
import type { CoreConfig } from '../../../../src/lib/core-config.js';
import type { JsonObject } from '../../../../src/lib/json.js';
import { message } from '../../../../src/messages/message.js';
import { defaultTemplate } from '../../../../src/projections/core/template.js';
import { makeCertificate } from '../../../kit/real/certificate.js';
import type { CoreStub } from '../../../kit/stub-core.js';
import { startPanel } from './panel.js';

type Panel = ReturnType<typeof startPanel>;
const core = (panel: Panel, name: keyof typeof tables.coreSettings, body?: unknown) =>
  panel.call(tables.coreSettings, coreSettingHandlers, name, { body });

describe('getConfigJson', () => {
  const whole = ({ template, inbounds }: CoreConfig): JsonObject => ({
    dns: template['dns'] ?? null,
    inbounds: [...inbounds.values()].map(({ config, users }) => ({
      ...config,
      emails: [...users.values()].map((user) => user.email),
    })),
  });
  const clients = [{ email: 'anna@x', id: '11111111-1111-4111-8111-111111111111', enable: true }];
  const asked = async (running: CoreStub) => {
    const panel = startPanel({ core: { config: { assemble: whole }, ...running } });
    const settings = JSON.stringify({ clients, decryption: 'none' });
    const body = { port: 443, protocol: 'vless', settings };
    expect(await panel.call(tables.inbounds, inboundHandlers, 'add', { body })).toMatchObject({ success: true });
    return (await panel.call(tables.coreControl, coreControlHandlers, 'getConfigJson')).obj as JsonObject;
  };

  it('shows what the core was started with and accepted since, not the requested configuration', async () => {
    const applied = new Map([
      ['inbound-443', { tag: 'inbound-443', port: 444 }],
      ['gone', { tag: 'gone', port: 1 }],
    ]);
    const template = { dns: { servers: ['192.0.2.53'] } };
    const shown = await asked({
      process: { running: { run: 'r', version: '26', pid: 1 }, appliedTemplate: () => template },
      inbounds: { applied: () => applied },
    });
    expect(shown).toMatchObject({ dns: { servers: [{ address: '192.0.2.53' }] } });
    expect(shown['inbounds']).toStrictEqual([
      { tag: 'inbound-443', port: 444, emails: ['anna@x'] },
      { tag: 'gone', port: 1, emails: [] },
    ]);
  });

  it('shows the requested configuration while no core runs', async () => {
    const shown = await asked({ process: { running: null, appliedTemplate: () => ({ dns: {} }) } });
    expect(shown['dns']).toMatchObject({ queryStrategy: (defaultTemplate['dns'] as JsonObject)['queryStrategy'] });
    expect(shown['inbounds']).toMatchObject([{ tag: 'inbound-443', port: 443, emails: ['anna@x'] }]);
  });
});

describe('a template with certificates as lines', () => {
  it('is rejected if they are unusable, and the message does not repeat them', async () => {
    const panel = startPanel({ pairProblem, core: { config: { assemble: ({ template }) => template } } });
    const save = (certificates: readonly object[]) => {
      const streamSettings = { network: 'tcp', security: 'tls', tlsSettings: { certificates } };
      const inbound = { tag: 't', port: 443, protocol: 'vless', settings: { decryption: 'none' }, streamSettings };
      return core(panel, 'update', { coreSetting: JSON.stringify({ ...defaultTemplate, inbounds: [inbound] }) });
    };
    expect(await save([{ certificate: ['my secret'], key: ['my secret'] }])).toStrictEqual({
      success: false,
      msg: 'The core template is not valid: The certificate lines do not contain a PEM certificate',
      obj: null,
    });
    expect(panel.log.events).toStrictEqual([]);
    const { certPem, keyPem, remove } = await makeCertificate();
    remove();
    expect(await save([{ certificate: [certPem], key: keyPem.split('\n') }])).toMatchObject({ success: true });
  });
});

describe('check', () => {
  it('tests a template, saves nothing, and shows what the core would run', async () => {
    const assemble = ({ template }: CoreConfig): JsonObject => template;
    const ignoredSettings = () => [message('core.memberNotObject', { key: 'stats' })];
    const panel = startPanel({ core: { config: { assemble, ignoredSettings } } });
    const coreSetting = JSON.stringify({ ...defaultTemplate, dns: { servers: ['192.0.2.53'] } });
    expect(await core(panel, 'check', { coreSetting })).toMatchObject({
      success: true,
      obj: {
        tested: true,
        warnings: ['"stats" must be an object'],
        config: { dns: { servers: [{ address: '192.0.2.53' }] } },
      },
    });
    expect(await core(panel, 'check', { coreSetting: '{"log":5}' })).toMatchObject({
      success: false,
      msg: 'The core template is not valid: "log" must be an object',
    });
    expect(await core(panel, 'check', {})).toMatchObject({ success: false });
    expect(panel.log.events).toStrictEqual([]);
  });

  it('says what the core refuses, and that nothing was tested without a core', async () => {
    const checked = async (error: CoreError) => {
      const testTemplate = () => Promise.reject(error);
      const panel = startPanel({ core: { config: { assemble: ({ template }) => template, testTemplate } } });
      return core(panel, 'check', { coreSetting: JSON.stringify(defaultTemplate) });
    };
    const refused = await checked(new CoreError('invalid', message('core.memberNotObject', { key: 'x' })));
    expect(refused).toMatchObject({ success: false, msg: expect.stringContaining('"x" must be an object') });
    const untested = await checked(new CoreError('missing', message('core.memberNotObject', { key: 'x' })));
    expect(untested).toMatchObject({ success: true, obj: { tested: false } });
  });
});

describe('a template with a block of the wrong type', () => {
  const save = async (block: string, value: unknown) => {
    const panel = startPanel({ core: { config: { assemble: ({ template }) => template } } });
    const answer = await core(panel, 'update', { coreSetting: JSON.stringify({ ...defaultTemplate, [block]: value }) });
    return { answer, events: panel.log.events.length };
  };

  it.each(['log', 'api', 'stats', 'policy', 'metrics', 'Metrics', 'routing'])('%s', async (block) => {
    for (const value of [5, true, 'x', [], [{}]]) {
      const refused = {
        success: false,
        msg: `The core template is not valid: "${block}" must be an object`,
        obj: null,
      };
      expect(await save(block, value)).toStrictEqual({ answer: refused, events: 0 });
    }
    for (const value of [null, {}]) expect(await save(block, value)).toMatchObject({ answer: { success: true } });
  });
});

describe('resetOutboundsTraffic', () => {
  const used = (panel: Panel) =>
    panel.dispatch({
      type: 'RecordTraffic',
      data: {
        run: 'r',
        clients: [],
        inbounds: [],
        outbounds: [
          ['all', 1, 2],
          ['x', 3, 4],
        ],
      },
    });

  it('accepts every word but one as a tag', async () => {
    const panel = startPanel();
    used(panel);
    expect(await core(panel, 'resetOutboundsTraffic', { tag: 'all' })).toMatchObject({ success: true });
    expect((await core(panel, 'getOutboundsTraffic')).obj).toMatchObject([
      { tag: 'all', total: 0 },
      { tag: 'x', total: 7 },
    ]);
    await core(panel, 'resetOutboundsTraffic', { tag: '-alltags-' });
    expect((await core(panel, 'getOutboundsTraffic')).obj).toMatchObject([{ total: 0 }, { total: 0 }]);
  });

  it('requires a tag, and does nothing for an outbound without traffic', async () => {
    const panel = startPanel();
    used(panel);
    const before = panel.log.events.length;
    expect(await core(panel, 'resetOutboundsTraffic')).toMatchObject({ success: false, msg: 'tag is required' });
    expect(await core(panel, 'resetOutboundsTraffic', { tag: 'nobody' })).toMatchObject({
      success: false,
      msg: 'Outbound nobody not found',
    });
    expect(await core(panel, 'resetOutboundsTraffic', { tag: 'blocked' })).toMatchObject({ success: true });
    expect(panel.log.events).toHaveLength(before);
  });
});

it('a template that breaks a rule of the panel is rejected with the place, before the core tests it', async () => {
  const panel = startPanel({
    core: {
      config: {
        assemble: () => {
          throw new CoreError(
            'invalid',
            message('core.templateUnusable', { why: message('core.memberTwice', { key: 'LOG' }) }),
          );
        },
        testTemplate: () => Promise.reject(new Error('asked')),
      },
    },
  });
  expect(await core(panel, 'update', { coreSetting: '{"log":{},"LOG":{}}' })).toStrictEqual({
    success: false,
    msg: 'The core template is not valid: it contains "LOG" twice',
    obj: null,
  });
  expect(panel.log.events).toStrictEqual([]);
});
