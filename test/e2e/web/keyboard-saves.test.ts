import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { geositeFile } from '../../kit/geo.js';
import { chromiumFor } from '../../kit/real/chromium.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { loopbackTemplate, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { type ReleaseServer, startReleaseServer } from '../../kit/real/servers/release-server.js';
import { startWebSession, type WebSession } from '../../kit/real/web-session.js';
import { deedsOf, headOf, recorded } from '../support.js';
import { type Keyboard, keyboardOf } from './keyboard-of.js';

const found = chromiumFor('the test of saving by keyboard in the web panel');
const SUITE = 'saving by keyboard alone in the web panel';
const PASSWORD = 'a longer and better one';

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let lists: ReleaseServer;
  let panel: PanelProcess;
  let web: WebSession;
  let keys: Keyboard;

  beforeAll(async () => {
    lists = await startReleaseServer();
    const rules = ['one', 'two'].map((name) => ({
      ...{ type: 'field', domain: [`full:${name}.example`], outboundTag: 'blocked' },
    }));
    const template = loopbackTemplate({ routing: { domainStrategy: 'AsIs', rules } });
    panel = await startPanel({ env: lists.env, template });
    web = await startWebSession(found ?? '', panel);
    keys = keyboardOf(web.page);
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
    await lists?.stop();
  });

  const heading = (name: string) => web.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  /** Opens a screen with the shortcut `g` and its key, and returns the position of the log. */
  const go = async (key: string, name: string): Promise<number> => {
    await keys.press('g', key);
    await heading(name);
    return headOf(panel.dataDir);
  };
  const expectDeeds = async (since: number, ...types: readonly string[]): Promise<void> => {
    await expect.poll(() => deedsOf(panel.dataDir, since)).toStrictEqual(types);
  };
  const noDialog = () => web.page.getByRole('dialog').waitFor({ state: 'hidden' });
  /** The name of a button that also contains its explanation. */
  const fullName = async (start: RegExp): Promise<string> =>
    (await web.page.getByRole('button', { name: start }).textContent())?.trim() ?? '';
  const choose = async (tab: string, from: string): Promise<void> => {
    await keys.moveTo(from);
    while ((await keys.focused()) !== tab) await keys.press('ArrowRight');
  };

  it('does the first set-up', async () => {
    await heading('Overview');
    const before = headOf(panel.dataDir);
    await keys.use('Begin');
    await heading('First set-up');
    await keys.type('Current password', panel.password);
    await keys.type('New password', PASSWORD);
    await keys.type('Repeat the new password', PASSWORD);
    await keys.use('Change the password');
    await expectDeeds(before, 'UserCredentialsChanged', 'DataKeyDestroyed', 'LoggedIn');

    const path = headOf(panel.dataDir);
    await keys.use(await fullName(/A secret base path/));
    await keys.use('Save the path');
    await expectDeeds(path, 'SettingsChanged');

    const inbound = headOf(panel.dataDir);
    await keys.use(await fullName(/The first inbound/));
    await keys.choose('Kind', 'Shadowsocks');
    await keys.type('Port', String(await freePort()));
    await keys.type('Name of the first client', 'ishmael');
    await keys.use('Create the inbound');
    await web.page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    await expectDeeds(inbound, 'InboundAdded', 'ClientAdded');
  });

  it('adds an inbound from a preset', async () => {
    const before = await go('i', 'Inbounds');
    await keys.use('Add inbound');
    await heading('Add inbound');
    await keys.use(await fullName(/^Shadowsocks 2022/));
    await heading('Shadowsocks 2022');
    await keys.type('Port', String(await freePort()));
    await keys.type('Name', 'Harbour');
    await keys.type('First client', 'queequeg');
    await keys.use('Add inbound');
    await web.page.getByText('The inbound is ready').waitFor();
    await expectDeeds(before, 'InboundAdded', 'ClientAdded');
    expect(recorded(panel.dataDir, 'InboundAdded', before)[0]?.data).toMatchObject({ spec: { remark: 'Harbour' } });
  });

  it('edits an inbound', async () => {
    const before = await go('i', 'Inbounds');
    await keys.fromMenu('Actions for Harbour', 'Edit');
    await heading('Harbour');
    await keys.type('Name', 'Lighthouse');
    await keys.use('Save');
    await expectDeeds(before, 'InboundUpdated');
    await web.page.getByText('Lighthouse').first().waitFor();
  });

  it('adds a node', async () => {
    const before = await go('n', 'Nodes');
    await keys.use('Add node');
    await keys.type('Name', 'Oslo');
    await keys.type('URL of its panel', `http://127.0.0.1:${await freePort()}/`);
    await keys.type('API token', 'token');
    await keys.moveTo('Allow a private address');
    await keys.press('Space');
    await keys.use('Add node');
    await noDialog();
    // No panel answers there, which the panel finds out meanwhile.
    const deeds = () => deedsOf(panel.dataDir, before).filter((type) => type !== 'NodeWentOffline');
    await expect.poll(deeds).toStrictEqual(['NodeAdded']);
  });

  it('changes a setting', async () => {
    const before = await go('s', 'Settings');
    await keys.use('Display');
    await keys.type('Rows per page', '50');
    await keys.use('Review and save');
    await keys.confirm('Save');
    await expectDeeds(before, 'SettingsChanged');
    expect(recorded(panel.dataDir, 'SettingsChanged', before)[0]?.data.changes).toStrictEqual({ pageSize: 50 });
  });

  it('makes a backup', async () => {
    const before = await go('b', 'Backups');
    await keys.use('Back up now');
    await web.sees('The backup was made and verified.');
    expect(recorded(panel.dataDir, 'BackupVerified', before)).toHaveLength(1);
  });

  it('adds a source of geo files', async () => {
    lists.put('/mine.dat', geositeFile('ADS', 'ads.example'));
    const before = await go('w', 'Geo files');
    await keys.use('Add source');
    await keys.type('Alias', 'mine');
    await keys.type('URL', `${lists.url}/mine.dat`);
    await keys.use('Add source');
    await noDialog();
    await expectDeeds(before, 'GeoSourceAdded', 'GeoSourceDownloaded');
  });

  it('moves a routing rule up, adds an outbound, and saves both', async () => {
    const before = await go('x', 'Core');
    await choose('Routing', 'State');
    await keys.moveTo('Move rule 2');
    await keys.press('ArrowUp');
    // The focus moves with the rule.
    await expect.poll(() => keys.focused()).toBe('Move rule 1');
    await choose('Outbounds', 'Routing');
    await keys.use('Add outbound');
    await keys.type('Name', 'second');
    await keys.choose('Protocol', 'socks');
    await keys.type('Address', '127.0.0.1');
    await keys.type('Port', '1080');
    await keys.use('Apply');
    await noDialog();
    await keys.use('Check and save');
    await expectDeeds(before, 'CoreTemplateChanged');
    expect(recorded(panel.dataDir, 'CoreTemplateChanged', before)[0]?.data.template).toMatchObject({
      routing: { rules: [{ domain: ['full:two.example'] }, { domain: ['full:one.example'] }] },
      outbounds: [{ tag: 'direct' }, { tag: 'blocked' }, { tag: 'second', protocol: 'socks' }],
    });
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
