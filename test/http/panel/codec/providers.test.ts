import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProviders } from '../../../../src/adapters/providers/providers.js';
import { createWeb } from '../../../../src/adapters/web/web.js';
import { tables } from '../../../../src/http/panel/contract/index.js';
import { coreSettingHandlers } from '../../../../src/http/panel/handlers/core/settings.js';
import {
  GOOD_LICENSE,
  startTunnelServer,
  startVpnServer,
  type TunnelServer,
  type VpnServer,
} from '../../../kit/real/servers/provider-servers.js';
import { NOW, startPanel } from './panel.js';

type Name = 'wgprov' | 'vpnprov';
const PUBLIC = Buffer.alloc(32, 7).toString('base64');
const PRIVATE = Buffer.alloc(32, 9).toString('base64');

let tunnel: TunnelServer;
let vpn: VpnServer;
beforeAll(async () => {
  tunnel = await startTunnelServer();
  vpn = await startVpnServer();
});
afterAll(async () => {
  await tunnel?.stop();
  await vpn?.stop();
});

function open(urls = { tunnel: tunnel.url, vpn: vpn.url }) {
  const panel = startPanel({ providers: createProviders(createWeb({ allowPrivate: true }), urls, () => NOW) });
  const ask = (name: Name, action: string, body: object = {}) =>
    panel.call(tables.coreSettings, coreSettingHandlers, name, { params: { action }, body });
  return { ...panel, wg: (action: string, body?: object) => ask('wgprov', action, body), ask };
}
const textOf = ({ obj }: { obj: unknown }): Record<string, unknown> =>
  JSON.parse(String(obj)) as Record<string, unknown>;

describe('the tunnel provider', () => {
  const keys = { privateKey: PRIVATE, publicKey: PUBLIC };

  it('registers a device, stores the account as a secret, and returns it to the page', async () => {
    const panel = open();
    const answer = await panel.wg('reg', keys);
    const data = {
      access_token: tunnel.token(),
      device_id: expect.any(String) as string,
      license_key: 'q0000000-q0000000-q0000000',
      private_key: PRIVATE,
      client_id: 'CxYh',
    };
    expect(answer).toMatchObject({ success: true, obj: expect.any(String) as string });
    expect(textOf(answer)).toMatchObject({
      data,
      config: { config: { peers: [{ public_key: tunnel.publicKey, endpoint: { host: 'engage.example.com:2408' } }] } },
    });
    expect(tunnel.asked.at(-1)).toMatchObject({ body: { key: PUBLIC, type: 'PC', tos: new Date(NOW).toISOString() } });
    expect(textOf(await panel.wg('data'))).toStrictEqual(data);
    expect(panel.log.events.map(({ type }) => type)).toStrictEqual(['SecretSettingChanged']);
  });

  it('shows the device, changes its license and deletes it', async () => {
    const panel = open();
    await panel.wg('reg', keys);
    expect(textOf(await panel.wg('config'))).toMatchObject({ config: { client_id: 'CxYh' } });
    const changed = await panel.wg('license', { license: ` ${GOOD_LICENSE} ` });
    expect(textOf(changed)).toMatchObject({ license_key: GOOD_LICENSE, private_key: PRIVATE, client_id: 'CxYh' });
    expect((await panel.wg('data')).obj).toBe(changed.obj);
    expect(await panel.wg('del')).toStrictEqual({ success: true, msg: '', obj: '' });
    expect((await panel.wg('data')).obj).toBe('');
    expect(panel.log.events.map(({ type }) => type)).toStrictEqual([
      'SecretSettingChanged',
      'SecretSettingChanged',
      'DataKeyDestroyed',
      'SecretSettingChanged',
      'DataKeyDestroyed',
    ]);
  });

  it.each([
    ['reg', {}, 'privateKey is required'],
    ['reg', { privateKey: PRIVATE }, 'publicKey is required'],
    ['reg', { privateKey: PRIVATE, publicKey: 'short' }, 'The request to the provider failed: 1003 Bad registration'],
    ['config', {}, 'This panel is not registered with the provider: register it first'],
    ['license', {}, 'license is required'],
    ['license', { license: GOOD_LICENSE }, 'This panel is not registered with the provider: register it first'],
  ])('reports why it fails: %s %j', async (action, body, msg) => {
    const panel = open();
    expect(await panel.wg(action, body)).toStrictEqual({ success: false, msg, obj: null });
    expect(panel.log.events).toStrictEqual([]);
  });

  it('keeps the old license if the new one is rejected', async () => {
    const panel = open();
    await panel.wg('reg', keys);
    const before = panel.log.events.length;
    for (const license of ['nonsense', 'a1B2c3D4-e5F6g7H8-i9J0k1L3'])
      expect((await panel.wg('license', { license })).msg).toMatch(/^The request to the provider failed: 100[45] /);
    expect(panel.log.events).toHaveLength(before);
  });

  it.each([
    { device_id: '\ud800', access_token: 'x' },
    { device_id: 'x', access_token: 'a\r\nb' },
    { device_id: 'x', access_token: '\u2028' },
  ])('reports a damaged stored account: %j', async (stored) => {
    const panel = open();
    panel.dispatch({ type: 'ChangeSettings', data: { changes: { wgprov: JSON.stringify(stored) } } });
    const msg = 'The request to the provider failed: the stored registration is damaged: delete it and register again';
    expect(await panel.wg('config')).toStrictEqual({ success: false, msg, obj: null });
    expect(await panel.wg('license', { license: GOOD_LICENSE })).toStrictEqual({ success: false, msg, obj: null });
  });

  it('rejects an unknown action', async () => {
    expect(await open().wg('steal')).toMatchObject({
      success: false,
      msg: expect.stringContaining('action') as string,
    });
  });
});

describe('the VPN provider', () => {
  it('lists countries and all servers of a country, the least busy first', async () => {
    const { ask } = open();
    expect(JSON.parse(String((await ask('vpnprov', 'countries')).obj))).toMatchObject([{ id: 208 }, { id: 209 }]);
    const loads = async (countryId: string) =>
      (textOf(await ask('vpnprov', 'servers', { countryId }))['servers'] as { load: number }[]).map(({ load }) => load);
    expect(await loads('208')).toStrictEqual([3, 8, 40]);
    expect(await loads('209')).toStrictEqual([1, 2]);
    expect(await loads('7')).toStrictEqual([]);
    for (const countryId of ['', '-1', '1e3', '208&limit=1', '../x'])
      expect((await ask('vpnprov', 'servers', { countryId })).success).toBe(false);
  });

  it('stores the key of an account, by token or as sent', async () => {
    const panel = open();
    const account = { private_key: vpn.privateKey, token: vpn.token };
    expect(textOf(await panel.ask('vpnprov', 'reg', { token: vpn.token }))).toStrictEqual(account);
    expect(textOf(await panel.ask('vpnprov', 'data'))).toStrictEqual(account);
    const key = Buffer.alloc(32, 7).toString('base64');
    expect((await panel.ask('vpnprov', 'setKey', { key: ` ${key} ` })).obj).toBe(`{"private_key":"${key}","token":""}`);
    expect((await panel.ask('vpnprov', 'del')).obj).toBe('');
    expect((await panel.ask('vpnprov', 'data')).obj).toBe('');
    expect(panel.log.events.filter(({ type }) => type === 'SecretSettingChanged')).toHaveLength(3);
  });

  it.each(['mine', 'A'.repeat(43), Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64'), 'é'])(
    'stores no invalid key: %s',
    async (key) => {
      const { ask, log } = open();
      const { success, msg } = await ask('vpnprov', 'setKey', { key });
      expect([success, msg]).toEqual([false, 'key: must be a WireGuard key: 32 bytes in base64']);
      expect(log.events).toStrictEqual([]);
    },
  );

  it('reports what is missing or rejected, without the token', async () => {
    const { ask, log } = open();
    expect((await ask('vpnprov', 'reg')).msg).toBe('token is required');
    expect((await ask('vpnprov', 'setKey')).msg).toBe('key is required');
    const wrong = await ask('vpnprov', 'reg', { token: 'canary-token' });
    expect(wrong.msg).toBe('The request to the provider failed: it responded with status 401');
    expect(log.events).toStrictEqual([]);
  });
});

it('a provider that is unreachable or replies with something else is reported with a message', async () => {
  const away = open({ tunnel: 'http://127.0.0.1:1', vpn: `${vpn.url}/elsewhere` });
  expect((await away.wg('reg', { privateKey: PRIVATE, publicKey: PUBLIC })).msg).toBe(
    'The request to the provider failed: 127.0.0.1 could not be reached',
  );
  expect((await away.ask('vpnprov', 'countries')).msg).toBe(
    'The request to the provider failed: it responded with status 404',
  );
});
