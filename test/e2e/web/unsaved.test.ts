import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { headOf, recorded } from '../support.js';
import { openWebPanel, type WebPanel } from './support.js';
import { settled } from './walk.js';

const found = chromiumFor('the test of unsaved input in the web panel');

describe.skipIf(found === null)('the web panel, with input that is not saved', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const settings = JSON.stringify({ clients: [], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream, remark: 'Harbour' };
    await must((await web.panel.admin()).post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
  });

  afterAll(async () => web?.close());

  const question = () => web.page.getByRole('dialog', { name: 'Leave without saving?' });
  const answer = async (name: 'Stay here' | 'Discard and leave'): Promise<void> => {
    await question().getByRole('button', { name }).click();
    await question().waitFor({ state: 'detached' });
  };

  it('asks before the editor of an inbound is left, and not after a save', async () => {
    const { page, panel } = web;
    await web.open('inbounds/1');
    await web.heading('Harbour');
    const remark = page.getByRole('textbox', { name: 'Name' }).first();
    await remark.fill('Quay');
    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    await answer('Stay here');
    expect(await remark.inputValue()).toBe('Quay');
    await page.goBack();
    await question().waitFor();
    await answer('Stay here');
    expect(await remark.inputValue()).toBe('Quay');
    const before = headOf(panel.dataDir);
    await page.getByRole('button', { name: 'Save' }).click();
    await web.heading('Inbounds');
    expect(recorded(panel.dataDir, 'InboundUpdated', before)).toHaveLength(1);
    expect(await question().count()).toBe(0);
  });

  it('does not ask when nothing was typed', async () => {
    await web.open('inbounds/1');
    await web.heading('Quay');
    await settled(web.page);
    await web.page.getByRole('link', { name: 'Clients', exact: true }).click();
    await web.heading('Clients');
  });

  it('asks before the form of a preset is left', async () => {
    const { page } = web;
    await web.open('inbounds/new?preset=reality');
    await page.getByRole('textbox', { name: 'Name' }).fill('Pier');
    await page.getByRole('main').getByRole('link', { name: 'Add inbound' }).click();
    await answer('Stay here');
    await page.getByRole('main').getByRole('link', { name: 'Add inbound' }).click();
    await answer('Discard and leave');
    await web.heading('Add inbound');
  });

  it.each([
    ['nodes?new=1', 'Name'],
    ['clients?new=1', 'Comment'],
  ])('asks before a changed drawer is closed: %s', async (address, field) => {
    const { page } = web;
    await web.open(address);
    const drawer = page.getByRole('dialog').filter({ has: page.getByRole('textbox', { name: field }) });
    const input = drawer.getByRole('textbox', { name: field });
    await input.fill('mast');
    await page.keyboard.press('Escape');
    await question().waitFor();
    await page.keyboard.press('Escape');
    await question().waitFor({ state: 'detached' });
    expect(await input.inputValue()).toBe('mast');
    // Beside the drawer.
    await page.mouse.click(20, 450);
    await answer('Discard and leave');
    await drawer.waitFor({ state: 'detached' });
  });

  it('closes an unchanged drawer without a question', async () => {
    const { page } = web;
    await web.open('nodes?new=1');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('asks before a changed password form is left', async () => {
    const { page } = web;
    await web.open('account');
    await page.getByLabel('New password', { exact: true }).fill('a much longer password');
    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    await answer('Discard and leave');
    await web.heading('Clients');
  });

  it('asks before a step of the set-up is closed or left', async () => {
    const { page } = web;
    await web.open('setup');
    const form = page.getByRole('main').locator('form');
    await form.getByLabel('New password', { exact: false }).first().fill('a much longer password');
    await page.getByRole('main').locator('[aria-expanded=true]').click();
    await answer('Stay here');
    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    await answer('Discard and leave');
    await web.heading('Clients');
  });

  it('raised no error in the console', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
