import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { codeAt } from '../../kit/totp.js';
import { deedsOf, headOf, recorded } from '../support.js';
import { type Keyboard, keyboardOf } from './keyboard-of.js';
import { openWebPanel, type WebPanel } from './support.js';

const found = chromiumFor('the test of the keyboard on single screens of the web panel');
/** An authenticator of the device itself, which always finds a person. */
const AUTHENTICATOR = {
  ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
  ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
};

describe.skipIf(found === null)('screens of the web panel by keyboard alone', () => {
  let web: WebPanel;
  let keys: Keyboard;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '', {}, { PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true' });
    // Browsers accept passkeys without HTTPS only at localhost.
    const { page, context, panel } = web;
    panel.url = panel.url.replace('127.0.0.1', 'localhost');
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await page.goto(`${panel.url}/`);
    await page.getByLabel('User name').fill(panel.username);
    await page.locator('input[name=password]').fill(panel.password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await web.heading('Overview');
    const admin = await panel.admin();
    const settings = JSON.stringify({
      clients: [{ email: 'ahab', id: crypto.randomUUID(), enable: true }],
      decryption: 'none',
    });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream, remark: 'Harbour' };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
    keys = keyboardOf(page);
  });

  afterAll(async () => web?.close());

  /** Opens a screen with the shortcut `g` and its key. */
  const go = async (key: string, heading: string): Promise<number> => {
    await keys.press('g', key);
    await web.heading(heading);
    return headOf(web.panel.dataDir);
  };
  const deeds = (since: number): readonly string[] => deedsOf(web.panel.dataDir, since);

  it('compares two moments', async () => {
    await go('a', 'Audit');
    await keys.use('Compare');
    await web.heading('What changed');
    await keys.use('Last hour');
    await web.page.getByText('Harbour').first().waitFor();
  });

  it('counts traffic again', async () => {
    await go('a', 'Audit');
    await keys.use('Recount');
    await web.heading('Count traffic again');
    await keys.choose('What it does', 'Ignore jumps of a counter');
    await keys.type('Larger than (GB)', '10');
    await keys.use('Show the differences');
    await web.page.getByText('Nothing would change').first().waitFor();
  });

  it('adds a place for heads, publishes one, and removes the place', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'portolan-heads-')), 'outside');
    mkdirSync(folder);
    const before = await go('v', 'Proof');
    await keys.use('Add: File');
    await keys.type('Path of the file', join(folder, 'heads.jsonl'));
    await keys.use('Save');
    await expect.poll(() => deeds(before)).toContain('SettingsChanged');
    await keys.use('Publish now');
    await web.page
      .getByText(/^up to #\d+/)
      .first()
      .waitFor();
    await keys.use('Remove: File');
    await expect
      .poll(() => deedsOf(web.panel.dataDir, before).filter((type) => type === 'SettingsChanged'))
      .toHaveLength(2);
  });

  it('adds, pauses and deletes a webhook', async () => {
    const before = await go('h', 'Webhooks');
    await keys.use('Add webhook');
    await keys.type('Name', 'billing');
    await keys.type('URL', 'http://127.0.0.1:9/hook');
    await keys.use('Add webhook');
    await keys.use('I have stored it');
    await keys.fromMenu('Actions for billing', 'Pause');
    await expect.poll(() => deeds(before)).toEqual(['WebhookAdded', 'WebhookPaused']);
    await keys.fromMenu('Actions for billing', 'Delete');
    await keys.confirm('Delete');
    await web.page.getByText('No webhooks yet').waitFor();
    expect(recorded(web.panel.dataDir, 'WebhookDeleted', before)).toHaveLength(1);
  });

  it('adds an admin, a role and a token', async () => {
    const before = await go('u', 'Access');
    await keys.use('Add admin');
    await keys.type('User name', 'nora');
    await keys.use('Generate');
    await keys.choose('Role', 'support');
    await keys.use('Add admin');
    await web.page.getByRole('button', { name: 'Actions for nora' }).waitFor();
    await keys.moveTo('Admins');
    await keys.press('ArrowRight');
    await keys.use('Add role');
    await keys.type('Name', 'night-shift');
    await keys.press('Tab');
    await keys.use('Add role');
    await web.page.getByRole('button', { name: 'Actions for night-shift' }).waitFor();
    await keys.moveTo('Roles');
    await keys.press('ArrowRight');
    await keys.use('Add token');
    await keys.type('Name', 'grafana');
    await keys.choose('Role', 'metrics');
    await keys.use('Add token');
    await keys.use('I have stored it');
    await keys.fromMenu('Actions for grafana', 'Revoke');
    await keys.confirm('Revoke');
    await expect.poll(() => deeds(before)).toEqual(expect.arrayContaining(['UserCreated', 'TokenRevoked']));
  });

  it('shows how to begin a cluster', async () => {
    await go('n', 'Nodes');
    await keys.press('Control+k');
    await web.page.getByPlaceholder('Search screens').waitFor();
    await web.page.keyboard.type('cluster');
    await web.page.locator('[data-action][data-selected]', { hasText: 'Cluster' }).waitFor();
    await keys.press('Enter');
    await web.heading('Cluster');
    await keys.moveTo('Copy the commands');
  });

  it('adds a passkey and two-factor login, makes new recovery codes, and removes the passkey', async () => {
    const { page, panel } = web;
    const before = await go('p', 'Account');
    await keys.use('Add passkey');
    await keys.type('Name', 'laptop');
    await keys.type('Current password', panel.password);
    await keys.use('Add passkey');
    await page.getByText('not used yet').waitFor();
    await keys.use('Set up');
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const token = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await keys.type('Code from the app', codeAt(token, Date.now()));
    await keys.use('Switch on');
    await keys.use('I have kept them');
    await page.getByText('10 recovery codes are left.').waitFor();
    await keys.use('New recovery codes');
    await keys.type('Code from the app', codeAt(token, Date.now() + 30_000));
    await keys.use('New recovery codes');
    await keys.use('I have kept them');
    await keys.use('Remove the passkey: laptop');
    await keys.confirm('Remove');
    await page.getByText('The passkey has been removed.').first().waitFor();
    await expect
      .poll(() => deeds(before))
      .toEqual(expect.arrayContaining(['PasskeyAdded', 'SecondFactorSet', 'RecoveryCodesIssued', 'PasskeyRemoved']));
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
