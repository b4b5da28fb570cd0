import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../../kit/real/certificate.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { Admin, must, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { deedsOf, headOf, recorded, until } from '../../support.js';

const found = chromiumFor('the test of the settings in the web panel');
const SECRET = 'canary-7-passphrase';

describe.skipIf(found === null)('the settings in the web panel', () => {
  let panel: PanelProcess;
  let web: WebSession;
  let certificate: TestCertificate;

  beforeAll(async () => {
    certificate = await makeCertificate(['panel.example']);
    panel = await startPanel();
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
    certificate?.remove();
  });

  const dialog = () => web.page.getByRole('dialog');
  const button = (name: string | RegExp) => web.page.getByRole('button', { name });
  const field = (name: string) => web.page.getByLabel(name, { exact: true });
  const row = (key: string) => web.page.locator(`[data-field="${key}"]`);
  const submit = async (): Promise<void> => {
    await button('Review and save').click();
    await dialog().getByRole('button', { name: 'Save' }).click();
  };
  /** The review closes when the changes are stored, and when the panel refuses them. */
  const save = async (): Promise<void> => {
    await submit();
    await dialog().waitFor({ state: 'hidden' });
  };
  const changesAfter = (head: number) =>
    recorded(panel.dataDir, 'SettingsChanged', head).map(({ data }) => data.changes);

  it('lists the changes before it saves them together, and takes them back', async () => {
    await web.open('settings?group=display', 'Settings');
    await field('Rows per page').fill('50');
    await field('Calendar').selectOption({ label: 'Jalali' });
    await web.sees('2 unsaved changes');
    const head = headOf(panel.dataDir);
    await button('Review and save').click();
    await dialog().getByText('Rows per page').waitFor();
    expect(await dialog().locator('del').allTextContents()).toStrictEqual(['25', 'Gregorian']);
    expect(await dialog().locator('ins').allTextContents()).toStrictEqual(['50', 'Jalali']);
    expect(deedsOf(panel.dataDir, head)).toStrictEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await until('they are stored', () => changesAfter(head).length === 1);
    await row('pageSize').getByText('Changed in the panel').waitFor();
    await button('Undo').click();
    await web.sees('The change was undone.');
    expect(changesAfter(head)).toStrictEqual([
      { datepicker: 'jalalian', pageSize: 50 },
      { datepicker: 'gregorian', pageSize: 25 },
    ]);
  });

  it('shows a wrong value at its field, and saves nothing of the rest', async () => {
    const head = headOf(panel.dataDir);
    await web.open('settings?group=subscription', 'Settings');
    await field('Title').fill('Quay');
    await field('Support link').fill('not a link');
    await save();
    await row('subSupportUrl').getByRole('alert').waitFor();
    expect(await field('Title').inputValue()).toBe('Quay');
    await button('Data and backups').click();
    await button('Support link').click();
    await expect.poll(() => web.page.evaluate('document.activeElement.id')).toBe('setting-subSupportUrl');
    expect(deedsOf(panel.dataDir, head)).toStrictEqual([]);
    await field('Support link').fill('https://support.example/');
    await save();
    await until('they are stored', () => changesAfter(head).length === 1);
    expect(changesAfter(head)).toStrictEqual([{ subTitle: 'Quay', subSupportUrl: 'https://support.example/' }]);
  });

  it('previews the subscription page with texts that are not saved', async () => {
    await web.open('settings?group=subscription', 'Settings');
    await field('Title').fill('Lighthouse');
    await field('Announcement').fill('Closed <b>on Monday</b>');
    const page = web.page.frameLocator('iframe');
    await page.getByText('Closed <b>on Monday</b>').waitFor();
    await page.getByRole('heading', { name: 'Lighthouse' }).waitFor();
    await button('Discard').click();
    await page.getByText('Closed').waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { name: 'Lighthouse' }).count()).toBe(0);
  });

  it('locks what the environment sets, and names the variable', async () => {
    await web.open('settings', 'Settings');
    expect(await field('Panel port').isDisabled()).toBe(true);
    expect(await field('Panel port').inputValue()).toBe(String(panel.ports.panel));
    await row('webPort').getByText('PORTOLAN_PORT').waitFor();
  });

  it('finds settings of all groups, also by their key', async () => {
    await web.open('settings', 'Settings');
    await web.page.getByRole('searchbox').fill('ldapBaseDN');
    await field('Base DN').waitFor();
    await web.page.getByRole('searchbox').fill('certificate file');
    await field('Subscription certificate file').waitFor();
    expect(await web.page.getByRole('textbox', { name: 'certificate file' }).count()).toBe(2);
    await web.page.getByRole('searchbox').fill('');
  });

  it('checks certificate files on the server', async () => {
    await web.open('settings', 'Settings');
    await field('Panel certificate file').fill('/nowhere.pem');
    await web.sees('The certificate file does not exist');
    await field('Panel certificate file').fill(certificate.certFile);
    await field('Panel key file').fill(certificate.keyFile);
    await web.sees('The files are a valid certificate and its key.');
    await web.sees('panel.example');
    await button('Discard').click();
  });

  it('sets, replaces and removes a secret, which never comes back', async () => {
    const head = headOf(panel.dataDir);
    await web.open('settings?group=data', 'Settings');
    await button('Enter Backup passphrase').click();
    await field('Backup passphrase').fill(SECRET);
    await button('Review and save').click();
    expect(await dialog().textContent()).not.toContain(SECRET);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await row('backupPassphrase').getByText('Set', { exact: true }).waitFor();
    await web.page.reload();
    await row('backupPassphrase').getByText('Set', { exact: true }).waitFor();
    expect(await web.page.content()).not.toContain(SECRET);
    await button('Remove Backup passphrase').click();
    await save();
    await row('backupPassphrase').getByText('Not set').waitFor();
    const secrets = recorded(panel.dataDir, 'SecretSettingChanged', head).map(({ data }) => data);
    expect(secrets).toMatchObject([
      { key: 'backupPassphrase', keyVersion: 1 },
      { key: 'backupPassphrase', keyVersion: 2 },
    ]);
  });

  it('shows what another admin changed meanwhile', async () => {
    await web.open('settings?group=display', 'Settings');
    await field('Rows per page').fill('77');
    const admin = await panel.admin();
    await must(admin.post('/panel/setting/update', { pageSize: 66 }));
    await row('pageSize').getByText('Another admin has changed this to: 66').waitFor();
    await button('Review and save').click();
    expect(await dialog().locator('del').allTextContents()).toStrictEqual(['66']);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await button('Discard').click();
  });

  it('asks before unsaved changes are left, by a link and by Back', async () => {
    const head = headOf(panel.dataDir);
    await web.open('overview', 'Overview');
    await web.page.getByRole('link', { name: 'Settings', exact: true }).click();
    await button('Display').click();
    await field('Rows per page').fill('77');
    await web.page.getByRole('link', { name: 'Clients', exact: true }).click();
    await dialog().getByText('1 change on this screen is not saved').waitFor();
    await dialog().getByRole('button', { name: 'Stay here' }).click();
    await dialog().waitFor({ state: 'hidden' });
    expect(await field('Rows per page').inputValue()).toBe('77');
    await web.page.evaluate('history.back()');
    await dialog().getByRole('button', { name: 'Discard and leave' }).click();
    await web.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(deedsOf(panel.dataDir, head)).toStrictEqual([]);
  });

  it('keeps unsaved changes when the session ends', async () => {
    const head = headOf(panel.dataDir);
    await web.open('settings?group=limits', 'Settings');
    await field('Poll interval (seconds)').fill('7');
    await web.context.clearCookies();
    await submit();
    const login = web.page.getByRole('dialog', { name: 'Your session has ended' });
    await login.getByLabel('User name').fill(panel.username);
    await login.locator('input[name=password]').fill(panel.password);
    await login.getByRole('button', { name: 'Log in' }).click();
    await until('it is stored', () => changesAfter(head).length === 1);
    expect(changesAfter(head)).toStrictEqual([{ pollSeconds: 7 }]);
  });

  it('shows the API token on demand, and replaces it after a question', async () => {
    await web.open('settings?group=api', 'Settings');
    const token = () => web.page.getByRole('group', { name: 'API token' }).textContent();
    await button('Show the token').click();
    await button('Copy the API token').waitFor();
    const first = await token();
    await button('Regenerate').click();
    await dialog().getByRole('button', { name: 'Regenerate' }).click();
    await until('it is replaced', async () => (await token()) !== first);
    expect(recorded(panel.dataDir, 'ApiTokenIssued')).toHaveLength(2);
    const list = (bearer: string | null) =>
      fetch(`${panel.url}/panel/api/inbounds/list`, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await list(await token())).status).toBe(200);
    expect((await list(first)).status).toBe(404);
  });

  it('leads to the API reference, which sends requests with the CSRF token and to no other host', async () => {
    const hosts = new Set<string>();
    web.page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await web.page.goto(new URL('panel/api-docs', `${panel.url}/`).href);
    const operation = web.page.locator('.opblock', { hasText: '/panel/api/inbounds/onlines' });
    await until('the operation is open', () => web.page.evaluate<boolean>(OPEN_ONLINES), 100);
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.textContent()).toMatch(/^200[^]*"success": true/);
    expect([...hosts]).toStrictEqual([new URL(panel.url).host]);
  });

  it('fits a phone', async () => {
    for (const group of ['server', 'subscription', 'bot', 'api'])
      expect([group, await web.overflowOnPhone(`settings?group=${group}`)]).toStrictEqual([group, 0]);
    expect(web.complaints.filter((text) => !text.includes('401'))).toStrictEqual([]);
  });

  it('restarts with a new base path, and leads to the new address', async () => {
    const head = headOf(panel.dataDir);
    await web.open('settings', 'Settings');
    await field('Base path').fill('/hidden');
    await save();
    await web.sees('Saved, but not in effect yet: Base path');
    await web.page.reload();
    await button('Restart the panel').click();
    await dialog().getByText(`${panel.url}/hidden/`).waitFor();
    await dialog().getByRole('button', { name: 'Restart the panel' }).click();
    await web.page.waitForURL((url) => url.pathname === '/hidden/');
    await until('the event is recorded', () => recorded(panel.dataDir, 'PanelRestarted', head).length === 1);
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['SettingsChanged', 'PanelRestartRequested']);
    expect((await fetch(`${panel.url}/`)).status).toBe(404);
    await must(new Admin(`${panel.url}/hidden`, panel).login());
  });
});

/**
 * Scrolls the API reference until an operation can be opened, and opens it. The page draws only the operations near the
 * visible part, and what it draws above moves them.
 */
const OPEN_ONLINES = `(() => {
  const one = [...document.querySelectorAll('.opblock')].find((each) => each.textContent.includes('/panel/api/inbounds/onlines'));
  const control = one?.querySelector('.opblock-summary-control');
  const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
  if (!control) scrollTo(0, scrollTop + clientHeight + 1 >= scrollHeight ? 0 : scrollTop + 200);
  else if (control.getAttribute('aria-expanded') !== 'true') control.click();
  else control.scrollIntoView({ block: 'center' });
  return one?.querySelector('.try-out__btn') != null;
})()`;
