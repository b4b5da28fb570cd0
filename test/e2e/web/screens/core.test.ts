import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { type Admin, loopbackTemplate, must, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import {
  GOOD_LICENSE,
  startTunnelServer,
  startVpnServer,
  type TunnelServer,
  type VpnServer,
} from '../../../kit/real/servers/provider-servers.js';
import { download } from '../../../kit/real/socks.js';
import { startTargets, type Targets } from '../../../kit/real/targets.js';
import { fillCode, startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { deedsOf, headOf, recorded, until } from '../../support.js';

const found = chromiumFor('the test of the core in the web panel');
const SUITE = 'the core in the web panel';

interface Template {
  readonly outbounds: readonly { readonly tag: string }[];
  readonly routing: {
    readonly rules: readonly { readonly outboundTag?: string; readonly domain?: readonly string[] }[];
    readonly balancers?: readonly object[];
  };
  readonly dns?: { readonly servers?: readonly string[] };
}

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let web: WebSession;
  let socks: number;
  let tunnel: TunnelServer;
  let vpn: VpnServer;

  beforeAll(async () => {
    [targets, tunnel, vpn] = await Promise.all([startTargets(), startTunnelServer(), startVpnServer()]);
    const env = {
      PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true',
      PORTOLAN_WGPROV_URL: tunnel.url,
      PORTOLAN_VPNPROV_URL: vpn.url,
    };
    panel = await startPanel({ template: loopbackTemplate(), env });
    admin = await panel.admin();
    socks = await freePort();
    const settings = JSON.stringify({ auth: 'noauth', udp: false });
    const inbound = { enable: true, remark: 'in', listen: '127.0.0.1', port: socks, protocol: 'socks', settings };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, streamSettings: '{}', sniffing: '{}' }));
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    await Promise.all([panel?.cleanUp(), targets?.stop(), tunnel?.stop(), vpn?.stop()]);
  });

  const dialog = () => web.page.getByRole('dialog');
  const field = (name: string) => dialog().getByLabel(name, { exact: true }).and(web.page.locator('input'));
  const button = (name: string) => web.page.getByRole('button', { name, exact: true });
  const tab = (name: string) => web.page.getByRole('tab', { name, exact: true }).click();
  const item = (text: string) => web.page.getByRole('listitem').filter({ hasText: text });
  // The event stores any JSON object; the tests read these members of it.
  const stored = () => recorded(panel.dataDir, 'CoreTemplateChanged').at(-1)?.data.template as unknown as Template;
  const reaches = async (host: string): Promise<boolean> => {
    const url = targets.url.replace('127.0.0.1', host);
    return (await download(socks, `${url}/small`, { totalMs: 3_000 })).status === 200;
  };
  /** Fills a list of tags. */
  const tags = async (name: string, ...values: string[]): Promise<void> => {
    for (const value of values) {
      await field(name).fill(value);
      await field(name).press('Enter');
    }
  };
  const save = async (): Promise<void> => {
    const changes = recorded(panel.dataDir, 'CoreTemplateChanged').length;
    await button('Check and save').click();
    await until('it is stored', () => recorded(panel.dataDir, 'CoreTemplateChanged').length === changes + 1);
    await web.page.getByRole('region', { name: 'You have' }).waitFor({ state: 'detached' });
  };

  /** An inbound with one client; the id of the client is its credential. */
  const addVless = async (on: Admin) => {
    const port = await freePort();
    const id = randomUUID();
    const settings = JSON.stringify({ decryption: 'none', clients: [{ id, email: 'link@example', enable: true }] });
    const inbound = { enable: true, remark: 'linked', listen: '127.0.0.1', port, protocol: 'vless', settings };
    const streamSettings = JSON.stringify({ network: 'tcp', security: 'none' });
    await must(on.post('/panel/api/inbounds/add', { ...inbound, streamSettings, sniffing: '{}' }));
    return { port, id };
  };

  it('stops the core and starts it again, and says what that costs', async () => {
    await web.open('core', 'Core');
    await until('traffic flows', () => reaches('127.0.0.1'));
    const head = headOf(panel.dataDir);
    await button('Stop').click();
    await dialog().getByText('connected clients are cut off').waitFor();
    await dialog().getByRole('button', { name: 'Stop' }).click();
    await web.page.getByRole('main').getByText('Stopped', { exact: true }).waitFor();
    expect(await reaches('127.0.0.1')).toBe(false);
    await button('Start').click();
    await web.page.getByRole('main').getByText('Running', { exact: true }).waitFor();
    await until('traffic flows', () => reaches('127.0.0.1'));
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['CoreStopRequested', 'CoreRestartRequested']);
    await web.closeToasts();
  });

  it('blocks an address by a rule made in the form, and takes that back', async () => {
    await tab('Routing');
    await button('Add rule').click();
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await web.sees('Enter at least one condition');
    await tags('Addresses', '127.0.0.1/32');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await web.sees('Choose the outbound or the balancer');
    await dialog().getByLabel('To outbound').selectOption('blocked');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await item('ip: 127.0.0.1/32').waitFor();
    // Nothing is stored yet.
    expect(await reaches('127.0.0.1')).toBe(true);
    await save();
    expect(stored().routing.rules).toMatchObject([{ ip: ['127.0.0.1/32'], outboundTag: 'blocked' }]);
    await until('it is blocked', async () => !(await reaches('127.0.0.1')));
    await button('Undo').first().click();
    await until('traffic flows', () => reaches('127.0.0.1'));
    expect(stored().routing.rules).toStrictEqual([]);
    await item('ip: 127.0.0.1/32').waitFor({ state: 'detached' });
    await web.closeToasts();
  });

  it('puts rules in order by the keyboard', async () => {
    for (const domain of ['one.example', 'two.example', 'three.example']) {
      await button('Add rule').click();
      await tags('Domains', domain);
      await dialog().getByLabel('To outbound').selectOption('blocked');
      await dialog().getByRole('button', { name: 'Apply' }).click();
      await dialog().waitFor({ state: 'hidden' });
    }
    await button('Move rule 3').focus();
    await web.page.keyboard.press('ArrowUp');
    await web.page.keyboard.press('ArrowUp');
    expect(await web.page.getByRole('listitem').first().textContent()).toContain('three.example');
    await web.menu('Actions for rule 3', 'Remove');
    await save();
    await web.closeToasts();
    expect(stored().routing.rules.map(({ domain }) => domain)).toStrictEqual([['three.example'], ['one.example']]);
  });

  it('adds an outbound and a balancer, changes DNS, and stores them at once', async () => {
    await tab('Outbounds');
    await button('Add outbound').click();
    await field('Name').fill('direct');
    await dialog().getByLabel('Protocol').selectOption('socks');
    await field('Address').fill('127.0.0.1');
    await field('Port').fill(String(socks));
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await web.sees('The name direct is taken.');
    await field('Name').fill('second');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await item(`socks · 127.0.0.1:${socks}`).waitFor();
    await tab('Balancers');
    await button('Add balancer').click();
    await field('Name').fill('both');
    await tags('Outbounds', 'direct', 'second');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await item('random · direct, second').waitFor();
    await tab('DNS');
    const servers = web.page.getByLabel('Servers', { exact: true }).and(web.page.locator('input'));
    await servers.fill('1.1.1.1');
    await servers.press('Enter');
    await save();
    await web.closeToasts();
    expect(stored()).toMatchObject({
      dns: { servers: ['1.1.1.1'] },
      routing: { balancers: [{ tag: 'both', selector: ['direct', 'second'], strategy: { type: 'random' } }] },
    });
    expect(stored().outbounds.map(({ tag: name }) => name)).toStrictEqual(['direct', 'blocked', 'second']);
  });

  it('tests an outbound', async () => {
    await tab('Outbounds');
    await web.page.getByLabel('Test URL').fill(`${targets.url}/small`);
    await save();
    await web.closeToasts();
    await button('Test direct').click();
    await item('direct')
      .first()
      .getByText(/\d+ ms/)
      .waitFor();
  });

  it('makes outbounds of the links of clients, and one of them carries traffic', async () => {
    const { port, id } = await addVless(admin);
    const link = `vless://${id}@127.0.0.1:${port}?type=tcp&security=none&encryption=none#Far%20away`;
    await tab('Outbounds');
    await button('From a link').click();
    await web.page.getByLabel('Share links', { exact: true }).fill(`${link}\nhttps://example.com/not-a-link`);
    await dialog().getByText('Not a share link that the core can use').waitFor();
    await button('Add 1 outbound').click();
    await item(`vless · 127.0.0.1:${port}`).waitFor();
    await button('Test Far-away').click();
    await item('Far-away')
      .getByText(/\d+ ms/)
      .waitFor();
    await button('Discard').click();
  });

  it('registers with the WireGuard provider, takes a license, and adds the outbound', async () => {
    await web.open('core?tab=providers', 'Core');
    const head = headOf(panel.dataDir);
    await button('Register').click();
    await web.page.getByLabel('License key').fill('a-wrong-license');
    await button('Apply the license').click();
    await web.sees('Invalid license');
    expect(await web.page.getByLabel('License key').inputValue()).toBe('a-wrong-license');
    await web.page.getByLabel('License key').fill(GOOD_LICENSE);
    await button('Apply the license').click();
    await web.sees('The license is in use.');
    expect(tunnel.asked.map(({ method }) => method)).toStrictEqual(['POST', 'PUT', 'PUT']);
    await button('Add as outbound').first().click();
    await button('Update the outbound').waitFor();
    await tab('Outbounds');
    await item('wireguard · engage.example.com:2408').waitFor();
    // The key of the replaced value is destroyed with it.
    expect(deedsOf(panel.dataDir, head)).toStrictEqual([
      ...['SecretSettingChanged', 'SecretSettingChanged', 'DataKeyDestroyed'],
    ]);
  });

  it('adds a server of the VPN provider, the least busy first, and forgets the accounts', async () => {
    await tab('Providers');
    await web.page
      .getByLabel('Access token', { exact: true })
      .and(web.page.locator('input[type=password]'))
      .fill(vpn.token);
    await button('Connect the account').click();
    await web.page.getByLabel('Country').selectOption({ label: 'Switzerland' });
    const servers = web.page.getByLabel('Server · load');
    await servers.waitFor();
    expect(await servers.locator('option').allTextContents()).toStrictEqual([
      'Switzerland #3 · 3%',
      'Switzerland #8 · 8%',
      'Switzerland #40 · 40%',
    ]);
    await button('Add as outbound').click();
    await button('Check').click();
    await web.sees('The core accepts this configuration.');
    await save();
    await web.closeToasts();
    expect(stored().outbounds.slice(-2)).toMatchObject([
      {
        tag: 'warp',
        protocol: 'wireguard',
        settings: { reserved: [11, 22, 33], peers: [{ publicKey: tunnel.publicKey }] },
      },
      { tag: 'nordvpn', settings: { secretKey: vpn.privateKey, peers: [{ endpoint: '192.0.2.10:51820' }] } },
    ]);
    const head = headOf(panel.dataDir);
    for (const left of [2, 1]) {
      await button('Delete the registration').first().click();
      await dialog().getByRole('button', { name: 'Delete the registration' }).click();
      await until('it is gone', () => recorded(panel.dataDir, 'DataKeyDestroyed', head).length === 3 - left);
      await expect.poll(() => button('Delete the registration').count()).toBe(left - 1);
    }
    await button('Register').waitFor();
    await button('Connect the account').waitFor();
    expect(deedsOf(panel.dataDir, head)).toStrictEqual([
      ...['SecretSettingChanged', 'DataKeyDestroyed', 'SecretSettingChanged', 'DataKeyDestroyed'],
    ]);
  });

  it('shows why the core refuses a template, and keeps the text', async () => {
    await web.open('core', 'Core');
    await tab('Template');
    const head = headOf(panel.dataDir);
    const editor = web.page.getByRole('textbox', { name: 'Edit' });
    const broken = { ...loopbackTemplate(), outbounds: [{ tag: 'direct', protocol: 'carrier-pigeon' }] };
    await fillCode(editor, JSON.stringify(broken));
    await web.page.getByText('Changes', { exact: true }).click();
    await web.page.locator('.cm-changedLine, .cm-deletedChunk').first().waitFor();
    await button('Check').click();
    await web.page.getByRole('region').getByRole('alert').getByText('carrier-pigeon').waitFor();
    await button('Check and save').click();
    await web.page.getByRole('region').getByRole('alert').getByText('carrier-pigeon').waitFor();
    expect(deedsOf(panel.dataDir, head)).toStrictEqual([]);
    await button('Discard').click();
    await web.sees('Nothing is changed.');
    await web.page.getByText('Running configuration', { exact: true }).click();
    await web.page.getByRole('textbox', { name: 'Running configuration' }).waitFor();
    await web.sees('The core runs exactly this template');
  });

  it('points at slips, and shows what would change in the running core', async () => {
    await web.open('core?tab=template', 'Core');
    const editor = web.page.getByRole('textbox', { name: 'Edit' });
    const slip = { ...loopbackTemplate(), log: { loglevle: 'warning' } };
    await fillCode(editor, JSON.stringify(slip));
    await web.page.locator('.cm-lintRange-warning').first().hover();
    await web.sees('Did you mean “loglevel”?');
    await fillCode(editor, JSON.stringify({ ...loopbackTemplate(), dns: { servers: ['192.0.2.53'] } }));
    await web.page.getByText('Running configuration', { exact: true }).click();
    await web.sees('Marked: what changes in the running core');
    await web.page.locator('.cm-changedLine, .cm-insertedLine').first().waitFor();
    await button('Discard').click();
  });

  it('does not overwrite silently what another admin saved meanwhile', async () => {
    await tab('Routing');
    await web.page.getByLabel('Domain strategy').selectOption('IPOnDemand');
    const theirs = loopbackTemplate({ dns: { servers: ['8.8.8.8'] } });
    await must(admin.form('/panel/core/update', { coreSetting: JSON.stringify(theirs) }));
    const head = headOf(panel.dataDir);
    await web.sees('Another admin changed the configuration meanwhile');
    expect(deedsOf(panel.dataDir, head)).toStrictEqual([]);
    await button('Discard my changes').click();
    await tab('DNS');
    await web.sees('8.8.8.8');
  });

  it('shows the logs as they come, filters and downloads them', async () => {
    await web.open('core/logs', 'Logs');
    await web.page.getByText('Panel', { exact: true }).click();
    await web.page.getByRole('main').locator('pre').getByText(/\w/).first().waitFor();
    await web.page.getByRole('searchbox').fill('no line contains this text');
    await web.sees('No line contains this.');
    await web.page.getByRole('searchbox').fill('');
    const [file] = await Promise.all([web.page.waitForEvent('download'), button('Download').click()]);
    expect(file.suggestedFilename()).toBe('panel.log');
    for (const screen of [
      'core',
      'core?tab=routing',
      'core?tab=providers',
      'core?tab=outbounds',
      'core?tab=template',
      'core/logs',
    ])
      expect([screen, await web.overflowOnPhone(screen)]).toStrictEqual([screen, 0]);
    expect(web.complaints).toStrictEqual([]);
  });
});
