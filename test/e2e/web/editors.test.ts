import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { fillCode } from '../../kit/real/web-session.js';
import { until } from '../../kit/wait.js';
import { headOf, logOf } from '../support.js';
import { openWebPanel, type WebPanel } from './support.js';

const found = chromiumFor('the test of editors of the web panel');
const ENV = { PORTOLAN_BASE_PATH: '/a/secret/path/', PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true' };
const TEMPLATE = { outbounds: [{ tag: 'direct', protocol: 'freedom', settings: {} }], routing: { rules: [] } };

interface Editor {
  readonly screen: string;
  /** Opens the form. */
  readonly start?: (page: Page) => Promise<void>;
  readonly type: (page: Page) => Promise<void>;
  /** What the form shows of that. */
  readonly typed: (page: Page) => Promise<string>;
  /** The button that stores it. */
  readonly save: string;
  /** The events of the change, with a part of their data. */
  readonly stored: readonly { readonly type: string; readonly data: object }[];
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();
const textbox = (name: string) => (page: Page) => page.getByRole('textbox', { name, exact: true }).first();
/** The login over the screen has the same fields. */
const adminForm = (page: Page): Locator => page.getByRole('dialog', { name: 'Add an admin' });
const text = (name: string, value: string): Pick<Editor, 'type' | 'typed'> => ({
  type: (page) => textbox(name)(page).fill(value),
  typed: (page) => textbox(name)(page).inputValue(),
});

/** Pastes a text, without the clipboard that all pages of the machine share. */
async function paste(input: Locator, text: string): Promise<void> {
  await input.focus();
  await input.page().evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(event);
  })()`);
}

/** The editors that no test of a screen checks for this. */
const EDITORS: Readonly<Record<string, Editor>> = {
  'an inbound': {
    screen: 'inbounds/1',
    ...text('Name', 'Quay'),
    save: 'Save',
    stored: [{ type: 'InboundUpdated', data: { inbound: 1 } }],
  },
  'a client': {
    screen: 'clients/ahab',
    start: button('Edit'),
    ...text('Comment', 'pays late'),
    save: 'Save',
    stored: [{ type: 'ClientIdentityChanged', data: {} }],
  },
  'the core template': {
    screen: 'core?tab=template',
    type: (page) => fillCode(page.getByRole('textbox', { name: 'Edit' }), JSON.stringify(TEMPLATE)),
    typed: async (page) => (await page.getByRole('textbox', { name: 'Edit' }).textContent()) ?? '',
    save: 'Check and save',
    stored: [{ type: 'CoreTemplateChanged', data: {} }],
  },
  'a webhook': {
    screen: 'webhooks',
    start: button('Add webhook'),
    type: async (page) => {
      await textbox('Name')(page).fill('billing');
      await textbox('URL')(page).fill('http://127.0.0.1:9/hook');
    },
    typed: (page) => textbox('URL')(page).inputValue(),
    save: 'Add webhook',
    stored: [{ type: 'WebhookAdded', data: {} }],
  },
  'a role': {
    screen: 'access?tab=roles',
    start: button('Add role'),
    ...text('Name', 'night-shift'),
    save: 'Add role',
    stored: [{ type: 'RoleDefined', data: { role: 'night-shift' } }],
  },
  'an admin': {
    screen: 'access',
    start: button('Add admin'),
    type: async (page) => {
      await adminForm(page).getByRole('textbox', { name: 'User name' }).fill('starbuck');
      await adminForm(page).getByRole('button', { name: 'Generate' }).click();
    },
    typed: async (page) => {
      const inputs = [
        adminForm(page).getByRole('textbox', { name: 'User name' }),
        adminForm(page).getByLabel('Password').first(),
      ];
      return (await Promise.all(inputs.map((input) => input.inputValue()))).join(' ');
    },
    save: 'Add admin',
    stored: [
      { type: 'UserCreated', data: { user: 2 } },
      { type: 'AdminAccessChanged', data: { role: 'operator' } },
    ],
  },
  'a token': {
    screen: 'access?tab=tokens',
    start: button('Add token'),
    ...text('Name', 'billing'),
    save: 'Add token',
    stored: [{ type: 'TokenCreated', data: { token: 1 } }],
  },
};

describe.skipIf(found === null)('what was typed in the web panel', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '', {}, ENV);
    const clients = [{ id: crypto.randomUUID(), email: 'ahab', enable: true }];
    const settings = JSON.stringify({ clients, decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream, remark: 'Harbour' };
    await must((await web.panel.admin()).post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
  });

  afterAll(async () => web?.close());

  const begun = async ({ screen, start, type, typed }: Editor, page: Page): Promise<string> => {
    await web.open(screen, page);
    await start?.(page);
    await type(page);
    return typed(page);
  };
  const submit = async ({ save, start }: Editor, page: Page): Promise<void> => {
    const form = start ? page.getByRole('dialog') : page.locator('main');
    await form.getByRole('button', { name: save, exact: true }).click();
  };
  const changes = (after: number) =>
    logOf(web.panel.dataDir, after)
      .filter(({ meta }) => meta.actor.kind === 'user')
      .filter(({ type }) => type !== 'LoggedIn')
      .map(({ type, data }) => ({ type, data }));

  it('stays in a field for numbers, with an error instead of another number', async () => {
    const { page, panel } = web;
    await web.open('clients/ahab');
    await button('Edit')(page);
    const before = headOf(panel.dataDir);
    const dialog = page.getByRole('dialog');
    const limit = dialog.getByRole('textbox', { name: 'IP limit' });
    await limit.pressSequentially('1.5');
    expect(await limit.inputValue()).toBe('1.5');
    await dialog.getByText('Enter a whole number').waitFor();
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('has two phones');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await limit.and(page.locator(':focus')).waitFor();
    expect(changes(before)).toStrictEqual([]);
    await limit.fill('');
    await paste(limit, '۱٬۰۰۰');
    expect(await limit.inputValue()).toBe('1000');
    await dialog.getByText('Enter a whole number').waitFor({ state: 'detached' });
    await limit.fill('');
    await paste(limit, '2,000');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(changes(before)).toMatchObject([
      { type: 'ClientUpdated', data: { changes: { limitIp: 2000 } } },
      { type: 'ClientIdentityChanged' },
    ]);
  });

  it('stays where it was typed, because an editor of text takes none before its parts are loaded', async () => {
    const page = await web.another({ viewport: { width: 1440, height: 900 } });
    const editor = page.getByRole('textbox', { name: 'Edit' });
    const late: string[] = [];
    // What is requested once the editor is there does not arrive.
    await page.route('**/assets/panel/*.js', async (route) => {
      if (await editor.isVisible()) late.push(route.request().url());
      else await route.continue();
    });
    await web.open('core?tab=template', page);
    await editor.waitFor();
    expect(await page.locator('.cm-gutter-lint').count()).toBe(1);
    await fillCode(editor, '{"outbounds": [{"protocl": "freedom"}]}');
    await page.locator('.cm-lintRange-warning').waitFor();
    expect(late).toStrictEqual([]);
    await page.close();
  });

  it('can be text even if a part of its editor cannot be loaded', async () => {
    const page = await web.another({ viewport: { width: 1440, height: 900 } });
    await page.route(/code-lint/, (route) => route.abort('connectionrefused'));
    await web.open('core?tab=template', page);
    await fillCode(page.getByRole('textbox', { name: 'Edit' }), JSON.stringify(TEMPLATE));
    await page.getByRole('button', { name: 'Discard' }).waitFor();
    expect(await page.locator('.mantine-Notification-root').textContent()).not.toBe('');
    await page.close();
  });

  it.each(Object.entries(EDITORS))(
    'about %s is stored after the network was lost, the session ended and the admin logged in again',
    async (_, editor) => {
      const { page, context, panel } = web;
      const before = headOf(panel.dataDir);
      const typed = await begun(editor, page);
      expect(typed).not.toBe('');
      const lost = (route: Route) =>
        route.request().method() === 'POST' ? route.abort('connectionrefused') : route.fallback();
      await page.route('**/panel/**', lost);
      await submit(editor, page);
      await page.getByText('The panel does not answer.').first().waitFor();
      expect(await editor.typed(page)).toBe(typed);
      await page.unroute('**/panel/**', lost);
      const login = page.getByRole('dialog', { name: 'Your session has ended' });
      // The form is the first to notice that the session has ended: an answer to another request would cover it.
      const others: Route[] = [];
      const hold = (route: Route) => (route.request().method() === 'GET' ? void others.push(route) : route.fallback());
      await page.route('**/panel/**', hold);
      await context.clearCookies();
      await submit(editor, page);
      await login.waitFor();
      await page.unroute('**/panel/**', hold);
      await Promise.all(others.map((route) => route.continue()));
      await login.getByLabel('User name').fill(panel.username);
      await login.locator('input[name=password]').fill(panel.password);
      expect(await editor.typed(page)).toBe(typed);
      expect(changes(before)).toStrictEqual([]);
      await login.getByRole('button', { name: 'Log in' }).click();
      await until('it is stored', () => changes(before).length > 0);
      expect(changes(before)).toMatchObject(editor.stored);
      await login.waitFor({ state: 'hidden' });
    },
  );

  it('raised no error in the console', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
