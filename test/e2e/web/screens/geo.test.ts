import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { geositeFile } from '../../../kit/geo.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { loopbackTemplate, must, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { type ReleaseServer, startReleaseServer } from '../../../kit/real/servers/release-server.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { headOf, recorded, until } from '../../support.js';

const found = chromiumFor('the test of the geo files in the web panel');
const SUITE = 'geo files in the web panel';

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let lists: ReleaseServer;
  let panel: PanelProcess;
  let web: WebSession;

  beforeAll(async () => {
    lists = await startReleaseServer();
    panel = await startPanel({ env: lists.env, template: loopbackTemplate() });
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
    await lists?.stop();
  });

  const dialog = () => web.page.getByRole('dialog');
  const field = (name: string) => web.page.getByRole('textbox', { name });
  const item = (name: string) => web.page.getByRole('listitem').filter({ hasText: name });

  it('adds a source, shows its file, and keeps the form when the panel refuses it', async () => {
    lists.put('/mine.dat', geositeFile('ADS', 'ads.example'));
    await web.open('geo', 'Geo files');
    await web.sees('No sources yet.');
    await web.page.getByRole('button', { name: 'Add source' }).click();
    await field('Alias').fill('My list');
    await field('URL').fill('mine.dat');
    await dialog().getByRole('button', { name: 'Add source' }).click();
    await web.sees('The URL must start with https:// or http://.');
    await field('URL').fill(`${lists.url}/not-there.dat`);
    await dialog().getByRole('button', { name: 'Add source' }).click();
    await dialog().getByRole('alert').waitFor();
    expect(await field('Alias').inputValue()).toBe('My list');

    await field('URL').fill(`${lists.url}/mine.dat`);
    await web.sees('ext:geosite_my_list.dat:tag');
    await dialog().getByRole('button', { name: 'Add source' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await item('geosite_my_list.dat').getByText('Current').waitFor();
    await item('geosite_my_list.dat').getByText('1 list').waitFor();
    expect(recorded(panel.dataDir, 'GeoSourceAdded').at(-1)?.data).toMatchObject({
      type: 'geosite',
      alias: 'my_list',
      url: `${lists.url}/mine.dat`,
    });
  });

  it('shows why an update failed, and that the last good file stays', async () => {
    lists.put('/mine.dat', Buffer.from('this is no list'), new Date('2026-11-20'));
    await web.menu('Actions for my_list', 'Update now');
    await item('geosite_my_list.dat').getByText('Download failed').waitFor();
    await item('geosite_my_list.dat').getByText('The last good file stays in use.').waitFor();
    lists.put('/mine.dat', geositeFile('ADS', 'more.example'), new Date('2026-11-21'));
    await web.page.getByRole('button', { name: 'Update all' }).first().click();
    await item('geosite_my_list.dat').getByText('Current').waitFor();
    expect(recorded(panel.dataDir, 'GeoSourceFailed')).toHaveLength(1);
  });

  it('stores the schedule, and takes that back', async () => {
    const head = headOf(panel.dataDir);
    await web.page.getByRole('combobox', { name: 'Update all by schedule' }).selectOption({ label: 'Another time…' });
    await field('Cron expression').fill('99 4 * * *');
    await web.closeToasts();
    await web.page.getByRole('button', { name: 'Save' }).click();
    await web.page.getByRole('alert').first().waitFor();
    await web.closeToasts();
    await field('Cron expression').fill('30 3 * * *');
    await web.page.getByRole('button', { name: 'Save' }).click();
    await until('it is stored', () => recorded(panel.dataDir, 'SettingsChanged', head).length === 1);
    await web.page.getByRole('button', { name: 'Undo' }).click();
    await web.sees('The change was undone.');
    const changes = recorded(panel.dataDir, 'SettingsChanged', head).map(({ data }) => data.changes);
    expect(changes).toMatchObject([{ geoUpdateSchedule: '30 3 * * *' }, { geoUpdateSchedule: '' }]);
  });

  it('does not delete a list that a rule uses, and deletes it when none does', async () => {
    const admin = await panel.admin();
    const rules = [{ type: 'field', domain: ['ext:geosite_my_list.dat:ads'], outboundTag: 'blocked' }];
    const template = loopbackTemplate({ routing: { domainStrategy: 'AsIs', rules } });
    const store = (value: object) => must(admin.form('/panel/core/update', { coreSetting: JSON.stringify(value) }));
    await store(template);
    await web.closeToasts();
    await web.menu('Actions for my_list', 'Delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await web.sees('The core uses geosite_my_list.dat');
    await web.closeToasts();
    await store(loopbackTemplate());
    await web.menu('Actions for my_list', 'Delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await web.sees('No sources yet.');
    expect(recorded(panel.dataDir, 'GeoSourceDeleted')).toHaveLength(1);
  });

  it('updates a built-in file, and says which one failed and why', async () => {
    await web.page.getByRole('button', { name: 'Update geoip_RU.dat' }).click();
    await item('geoip_RU.dat').getByText('Failed').waitFor();
    expect(await web.overflowOnPhone('geo')).toBe(0);
    expect(web.complaints).toStrictEqual([]);
  });
});
