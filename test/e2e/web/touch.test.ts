import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { loopbackTemplate, must, storeTemplate } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { closeToasts } from '../../kit/real/web-session.js';
import { until } from '../../kit/wait.js';
import { deedsOf, headOf, recorded } from '../support.js';
import { smallTargets } from './accessibility/targets.js';
import { openWebPanel, type WebPanel } from './support.js';
import { settled } from './walk.js';

const found = chromiumFor('the test of the web panel on a phone');
const SUITE = 'the web panel on a phone, by touch';
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '', PHONE);
    const admin = await web.panel.admin();
    const rules = ['one', 'two', 'three'].map((name) => ({
      ...{ type: 'field', domain: [`full:${name}.example`], outboundTag: 'blocked' },
    }));
    await storeTemplate(admin, loopbackTemplate({ routing: { domainStrategy: 'AsIs', rules } }));
    const settings = JSON.stringify({
      clients: [{ id: crypto.randomUUID(), email: 'queequeg', enable: true }],
      decryption: 'none',
    });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream, remark: 'Harbour' };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
  });

  afterAll(async () => web?.close());

  const dialog = () => web.page.getByRole('dialog');
  const button = (name: string | RegExp) => web.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const head = () => headOf(web.panel.dataDir);
  const expectDeeds = async (since: number, ...types: readonly string[]): Promise<void> => {
    await expect.poll(() => deedsOf(web.panel.dataDir, since)).toStrictEqual(types);
  };
  /** What a thumb cannot hit, and how much wider than the phone the page is. */
  const expectFit = async (): Promise<void> => {
    await settled(web.page);
    const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect({ small: await smallTargets(web.page), wider: await web.page.evaluate(wider) }).toStrictEqual({
      ...{ small: [], wider: 0 },
    });
  };
  const open = async (address: string, heading: string): Promise<number> => {
    await web.open(address);
    await web.heading(heading);
    await expectFit();
    return head();
  };
  const fromMenu = async (menu: string, item: string): Promise<void> => {
    await button(menu).tap();
    await web.page.getByRole('menuitem', { name: item, exact: true }).tap();
  };

  it('adds a client', async () => {
    const before = await open('clients', 'Clients');
    await button('Add client').first().tap();
    await dialog().waitFor();
    await expectFit();
    await dialog().getByLabel('Email').fill('ahab');
    await inDialog('Add client').tap();
    await dialog().waitFor({ state: 'hidden' });
    await expectDeeds(before, 'ClientAdded');
    await closeToasts(web.page);
  });

  it('edits a client', async () => {
    const before = await open('clients', 'Clients');
    await fromMenu('Actions for ahab', 'Edit');
    await dialog().waitFor();
    await expectFit();
    await dialog().getByLabel('Comment').fill('pays late');
    await inDialog('Save').tap();
    await dialog().waitFor({ state: 'hidden' });
    await expectDeeds(before, 'ClientIdentityChanged');
    await closeToasts(web.page);
  });

  it('disables two clients at once', async () => {
    const before = await open('clients', 'Clients');
    for (const email of ['ahab', 'queequeg'])
      await web.page.getByRole('row').filter({ hasText: email }).getByRole('checkbox').tap();
    await web.page.getByRole('toolbar').waitFor();
    await expectFit();
    await web.page.getByRole('toolbar').getByRole('button', { name: 'Disable' }).tap();
    await dialog().getByText('Lose the connection: 2').waitFor();
    await expectFit();
    await inDialog('Disable').tap();
    await dialog().waitFor({ state: 'hidden' });
    await expectDeeds(before, 'ClientUpdated', 'ClientUpdated');
    await closeToasts(web.page);
  });

  it('shows a QR code on the whole screen', async () => {
    await open('clients/ahab', 'ahab');
    await button('Full screen').first().tap();
    const code = dialog().getByRole('img', { name: 'QR code' });
    await expect.poll(async () => (await code.boundingBox())?.width ?? 0).toBeGreaterThan(300);
    const box = await dialog().boundingBox();
    expect(box).toMatchObject({ x: 0, width: PHONE.viewport.width });
    await expectFit();
    await inDialog('Close').tap();
    await dialog().waitFor({ state: 'hidden' });
  });

  it('adds an inbound from a preset', async () => {
    const before = await open('inbounds/new', 'Add inbound');
    await button(/^Shadowsocks 2022/).tap();
    await web.heading('Shadowsocks 2022');
    await expectFit();
    await web.page.getByRole('textbox', { name: 'Port', exact: true }).fill(String(await freePort()));
    await web.page.getByLabel('First client').fill('pip');
    await button('Add inbound').tap();
    await web.page.getByText('The inbound is ready').waitFor();
    await expectFit();
    await expectDeeds(before, 'InboundAdded', 'ClientAdded');
    await closeToasts(web.page);
  });

  it('restarts the core', async () => {
    const before = await open('core', 'Core');
    await button('Restart').tap();
    await dialog().waitFor();
    await expectFit();
    await inDialog('Restart').tap();
    await expectDeeds(before, 'CoreRestartRequested');
    await closeToasts(web.page);
  });

  it('moves a routing rule with the menu of its row, and by dragging with a pointer', async () => {
    const before = await open('core?tab=routing', 'Core');
    const rules = web.page.getByRole('listitem').filter({ hasText: 'example' });
    const order = async (): Promise<readonly string[]> =>
      (await rules.allTextContents()).map((text) => /full:(\w+)/.exec(text)?.[1] ?? '');
    await expect.poll(order).toStrictEqual(['one', 'two', 'three']);
    await fromMenu('Actions for rule 3', 'Move up');
    await expect.poll(order).toStrictEqual(['one', 'three', 'two']);
    await button('Move rule 3').hover();
    await web.page.mouse.down();
    await rules.first().hover();
    // A busy browser must have seen the target before the button is released.
    await until('the first rule is the target', async () => {
      await rules.first().hover();
      return (await rules.first().getAttribute('data-over')) !== null;
    });
    await web.page.mouse.up();
    await expect.poll(order).toStrictEqual(['two', 'one', 'three']);
    await expectFit();
    await button('Check and save').tap();
    await expectDeeds(before, 'CoreTemplateChanged');
    expect(recorded(web.panel.dataDir, 'CoreTemplateChanged', before)[0]?.data.template).toMatchObject({
      routing: { rules: ['two', 'one', 'three'].map((name) => ({ domain: [`full:${name}.example`] })) },
    });
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
