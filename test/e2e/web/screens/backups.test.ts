import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash as bcrypt } from 'bcryptjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verbatim } from '../../../../src/messages/message.js';
import { render } from '../../../../src/messages/render.js';
import { scratchFolder } from '../../../kit/log.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { loopbackTemplate, must, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { replacedStates } from '../../../kit/replaced-states.js';
import { makeXui, xuiClient, xuiInbound, xuiStats } from '../../../kit/xui-database.js';
import { deedsOf, headOf, recorded } from '../../support.js';

const found = chromiumFor('the test of the backups in the web panel');
const SUITE = 'backups in the web panel';
const OLD = { username: 'root', password: 'of the old panel' };

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let folder: string;
  let panel: PanelProcess;
  let web: WebSession;

  beforeAll(async () => {
    folder = scratchFolder();
    panel = await startPanel({ launcher: true });
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
    rmSync(folder, { recursive: true, force: true });
  });

  const button = (name: string | RegExp) => web.page.getByRole('button', { name });
  const row = (name: string) => web.page.getByRole('row', { name: new RegExp(`^${name}`) });
  const cells = async (name: string) => row(name).last().getByRole('cell').allTextContents();
  const check = async (name: string, buffer: Buffer) => {
    await web.page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
    await button('Check the file').click();
  };
  const confirm = async () => {
    await button('Replace the state').click();
    await web.page.getByRole('dialog').getByRole('button', { name: 'Replace the state' }).click();
  };
  const logIn = async ({ username, password }: typeof OLD) => {
    await web.page.locator('input[name=username]').fill(username);
    await web.page.locator('input[name=password]').fill(password);
    await button('Log in').click();
  };

  /** Makes a backup on the screen. */
  const backUp = async () => {
    await web.open('backups', 'Backups');
    // A former backup has the same message.
    await web.closeToasts();
    await button('Back up now').click();
    await web.sees('The backup was made and verified.');
  };

  it('makes a backup, lists it, and downloads it', async () => {
    await web.open('backups', 'Backups');
    await web.sees('No backups yet.');
    await backUp();
    const [verified] = recorded(panel.dataDir, 'BackupVerified');
    const name = verified?.data.name ?? '';
    const [download] = await Promise.all([
      web.page.waitForEvent('download'),
      web.page.getByRole('link', { name: `Download ${name}` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    const kept = readFileSync(join(panel.dataDir, 'backups', name));
    expect(readFileSync(await download.path()).equals(kept)).toBe(true);
  });

  it('refuses a file that is no backup before anything happens', async () => {
    await web.open('backups', 'Backups');
    const head = headOf(panel.dataDir);
    await button('Check the file').click();
    await web.sees('Choose a file.');
    const buffer = Buffer.from('any');
    await web.page.locator('input[type=file]').setInputFiles({ name: 'any.db', mimeType: 'text/plain', buffer });
    await button('Show as curl').click();
    await web.page.getByRole('region', { name: 'Show as curl' }).getByText("-F 'db=@any.db'").waitFor();
    await check('holiday.jpg', Buffer.from('certainly no database'));
    await web.sees('This file cannot be used');
    await web.sees('It is not an SQLite database');
    await web.sees('Nothing has changed.');
    expect(deedsOf(panel.dataDir, head)).toEqual([]);
    await button('Choose another file').click();
    await button('Check the file').waitFor();
  });

  it('says why a backup cannot be sent to the chat bot, and leads to its settings', async () => {
    await web.open('backups', 'Backups');
    const reason = web.page.getByText('The chat bot is off.');
    await reason.waitFor();
    expect(await button('Send a backup').isDisabled()).toBe(true);
    expect(await button('Send a backup').getAttribute('aria-describedby')).toBe(await reason.getAttribute('id'));
    await web.page.getByRole('link', { name: 'Enable it in the settings' }).click();
    await web.page.getByRole('group', { name: 'Bot token' }).waitFor();
  });

  it('shows what a backup contains, and restores exactly that', async () => {
    await backUp();
    const [made] = recorded(panel.dataDir, 'BackupVerified').slice(-1);
    const admin = await panel.admin();
    const settings = JSON.stringify({ auth: 'noauth', udp: false });
    const inbound = { enable: true, remark: 'in', listen: '127.0.0.1', protocol: 'socks', settings };
    const port = await freePort();
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, port, streamSettings: '{}', sniffing: '{}' }));
    const head = headOf(panel.dataDir);
    await button(`Restore ${made?.data.name}`).click();
    await button('Replace the state').waitFor();
    expect(await cells('Inbounds')).toEqual(['1', '0']);
    expect(await cells('Admins')).toEqual(['1', '1']);
    await web.sees(/events were recorded since this backup/);
    expect(deedsOf(panel.dataDir, head)).toEqual([]);
    // The report is still there after a reload.
    await web.page.reload();
    await button('Replace the state').waitFor();
    await confirm();
    await web.sees('The panel restarts with the new state');
    await web.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await logIn(panel);
    await web.sees('The state was restored');
    const after = await panel.admin();
    expect(await must(after.get<unknown[]>('/panel/api/inbounds/list'))).toEqual([]);
    const [before = ''] = replacedStates(panel.dataDir);
    expect(recorded(join(panel.dataDir, 'backups', before), 'StateReplaced')).toMatchObject([
      { data: { source: 'portolan' }, meta: { actor: { kind: 'user', name: panel.username } } },
    ]);
    expect(recorded(panel.dataDir, 'StateImported')).toMatchObject([{ data: { source: 'portolan' } }]);
  });

  it('says when the panel did not start with the new state, and keeps the former one', async () => {
    await backUp();
    const admin = await panel.admin();
    await must(admin.post('/panel/setting/update', { subTitle: 'Still here' }));
    const head = headOf(panel.dataDir);
    await button(/^Restore portolan-/)
      .first()
      .click();
    await button('Replace the state').waitFor();
    // The disk damages the state that was checked.
    const staged = join(panel.dataDir, 'staged');
    const [folder = ''] = readdirSync(staged);
    writeFileSync(join(staged, folder, 'events.db'), 'this is no log');
    await confirm();
    await web.sees('The panel restarts with the new state');
    await web.page.getByRole('alert').filter({ hasText: 'The former state is back' }).waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['StateReplaced']);
    const [returned] = recorded(panel.dataDir, 'StateReplacementRolledBack', head);
    expect(render(returned?.data.reason ?? verbatim(''), 'en')).toMatch(/not a database/);
    const after = await panel.admin();
    expect(await must(after.post('/panel/setting/all'))).toMatchObject({ subTitle: 'Still here' });
  });

  it('shows the numbers of a 3x-ui database, which are those of the import, and moves to its address', async () => {
    await web.open('backups', 'Backups');
    const file = join(folder, 'x-ui.db');
    makeXui(file, {
      users: [{ id: 1, username: OLD.username, password: await bcrypt(OLD.password, 4) }],
      inbounds: [
        xuiInbound(4, { port: await freePort(), tag: 'inbound-old', clients: [xuiClient(1), xuiClient(2)] }),
        xuiInbound(6, { protocol: 'mtproto' }),
      ],
      client_traffics: [xuiStats(1, 4, 'user1', { up: 5 * 1024 ** 3 }), xuiStats(2, 4, 'user2')],
      settings: { webBasePath: '/old/', xrayTemplateConfig: JSON.stringify(loopbackTemplate()) },
    });
    await check('x-ui.db', readFileSync(file));
    await button('Replace the state').waitFor();
    await web.sees('Database of 3x-ui 3.0');
    expect(await cells('Inbounds')).toEqual(['2', '1', '1']);
    expect(await cells('Clients')).toEqual(['2', '2', '0']);
    expect((await cells('Traffic of clients')).slice(0, 2)).toEqual(['5 GB', '5 GB']);
    await web.sees('1 not imported');
    await web.sees('protocol "mtproto" is unknown to this panel');
    await web.sees('The address of the panel changes to');
    await confirm();
    await web.page.waitForURL(`http://127.0.0.1:${panel.ports.panel}/old/#/backups`);
    await logIn(OLD);
    await web.page.getByRole('heading', { level: 1, name: 'Backups' }).waitFor();
    expect(recorded(panel.dataDir, 'PanelImported')).toMatchObject([
      {
        data: {
          before: { inbounds: 2, clients: 2 },
          after: { inbounds: 1, clients: 2, clientUp: 5 * 1024 ** 3 },
          skipped: { inbounds: 1, clients: 0 },
        },
      },
    ]);
    expect(web.complaints.filter((text) => !/status of (401|404)|ERR_/.test(text))).toStrictEqual([]);
  });
});
