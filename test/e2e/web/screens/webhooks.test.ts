import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSigned, startReceiver } from '../../../commands/reactors/webhooks/kit.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { type Admin, must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { headOf, logOf } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of webhooks in the web panel');
/** The receiver is on loopback. */
const ENV = { PORTOLAN_ALLOW_PRIVATE_OUTBOUND: 'true' };

describe.skipIf(found === null)('the screen of webhooks', () => {
  let web: WebPanel;
  let admin: Admin;
  let before = 0;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '', {}, ENV);
    admin = await web.panel.admin();
  });

  afterAll(async () => web?.close());

  /** The events of admins since the last call. */
  const events = (): readonly { readonly type: string; readonly data: object }[] => {
    const appended = logOf(web.panel.dataDir, before);
    before = headOf(web.panel.dataDir);
    return appended.filter(({ meta }) => meta.actor.kind === 'user');
  };
  const dialog = (): Locator => web.page.getByRole('dialog');
  const submit = async (name: string): Promise<void> => {
    const form = dialog();
    await form.getByRole('button', { name, exact: true }).click();
  };
  const choose = async (item: string): Promise<void> => {
    await web.page.getByRole('button', { name: 'Actions for billing' }).click();
    await web.page.getByRole('menuitem', { name: item }).click();
  };
  const undo = async (): Promise<void> => {
    await web.page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await web.page.getByText('Undone').last().waitFor();
  };

  it('adds a webhook whose secret is shown once, and delivers to it', async () => {
    const { page } = web;
    const receiver = await startReceiver();
    await web.open('webhooks');
    await web.heading('Webhooks');
    await page.getByText('No webhooks yet').waitFor();
    before = headOf(web.panel.dataDir);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await dialog().getByRole('textbox', { name: 'Name' }).fill('billing');
    await dialog().getByRole('textbox', { name: 'URL' }).fill('billing.example.com');
    await submit('Add webhook');
    await dialog().getByText('Write an address that begins with').waitFor();
    await dialog().getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await dialog().getByLabel('Events').first().click();
    await page.getByRole('option', { name: 'Inbounds', exact: true }).click();
    await page.keyboard.press('Tab');
    await submit('Add webhook');
    const shown = page.getByRole('dialog', { name: 'Secret of billing' });
    const secret = (await shown.locator('code').textContent()) ?? '';
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'hidden' });
    expect(events()).toMatchObject([
      { type: 'WebhookAdded', data: { webhook: 1, name: 'billing', types: ['inbounds'], after: null } },
    ]);
    const settings = JSON.stringify({ clients: [], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
    await page.getByText('last delivered').waitFor();
    const [first] = receiver.all;
    expect(first?.json.type).toBe('InboundAdded');
    expect(first && isSigned(first, secret)).toBe(true);
    events();
  });

  it('sends a test, and shows why the receiver does not accept it', async () => {
    const { page } = web;
    const receiver = await startReceiver();
    await choose('Edit');
    await dialog().getByRole('textbox', { name: 'URL' }).fill(receiver.url);
    await submit('Save');
    await dialog().waitFor({ state: 'hidden' });
    expect(events()).toMatchObject([{ type: 'WebhookUpdated', data: { webhook: 1, name: 'billing' } }]);
    await choose('Send test');
    await page.getByText('The receiver accepted it: 204').waitFor();
    receiver.does.answer = (_request, response) => void response.writeHead(500).end();
    await choose('Send test');
    await page.getByText('The receiver did not accept it').waitFor();
    expect(receiver.all.map(({ json }) => json.type)).toStrictEqual(['WebhookTest', 'WebhookTest']);
    expect(events()).toStrictEqual([]);
  });

  it('pauses, continues from another event and replaces the secret; undo takes back what it can', async () => {
    const { page } = web;
    await choose('Pause');
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(events()).toMatchObject([{ type: 'WebhookPaused', data: { webhook: 1, reason: 'admin' } }]);
    await undo();
    expect(events()).toMatchObject([{ type: 'WebhookResumed' }]);
    await choose('Deliver from');
    await dialog().getByRole('textbox', { name: 'After event number' }).fill('999999');
    await submit('Continue from there');
    await dialog().getByRole('alert').waitFor();
    await dialog().getByRole('textbox', { name: 'After event number' }).fill('0');
    await submit('Continue from there');
    await dialog().waitFor({ state: 'hidden' });
    expect(events()).toMatchObject([{ type: 'WebhookReplayRequested', data: { webhook: 1, after: 0 } }]);
    await choose('Replace the secret');
    await dialog().getByLabel('Previous secret').selectOption('Ends now');
    await submit('Replace');
    const shown = page.getByRole('dialog', { name: 'Secret of billing' });
    expect(await shown.locator('code').textContent()).toMatch(/^whsec_/);
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'hidden' });
    expect(events().map(({ type }) => type)).toContain('WebhookSecretRotated');
  });

  it('sends a rejected event again and discards another one', async () => {
    const { page } = web;
    // A receiver has to reject an event eight times within two minutes before the panel lists it.
    const letters = [7, 6].map((position) => ({
      ...{ position, type: 'InboundAdded', attempts: 8, at: 1_790_000_000_000 },
      ...{ problem: 'the receiver answered 422', problemCode: 'network.receiverStatus' },
    }));
    const sent: unknown[] = [];
    await page.route('**/panel/api/webhooks/list', async (route) => {
      const reply = await route.fetch();
      const body = (await reply.json()) as { obj: { deadLetters: number }[] };
      await route.fulfill({
        response: reply,
        json: { ...body, obj: body.obj.map((one) => ({ ...one, deadLetters: letters.length })) },
      });
    });
    await page.route('**/panel/api/webhooks/deadLetters/1', (route) =>
      route.fulfill({ json: { success: true, msg: '', obj: letters } }),
    );
    await page.route(/webhooks\/(redeliver|discard)\/1$/, (route) => {
      const isSent = route.request().url().includes('redeliver');
      const { position } = route.request().postDataJSON() as { position: number };
      sent.push([isSent, position]);
      letters.splice(0, letters.length, ...letters.filter((letter) => letter.position !== position));
      const obj = { accepted: true, status: 200, ms: 5, problem: '', problemCode: null };
      return route.fulfill({ json: { success: true, msg: isSent ? '' : 'Discarded.', obj: isSent ? obj : null } });
    });
    await page.getByRole('button', { name: '2 rejected events' }).click();
    await dialog().getByText('the receiver answered 422').first().waitFor();
    await dialog().getByRole('button', { name: 'Send again' }).first().click();
    await page.getByText('The receiver accepted it: 200').waitFor();
    await dialog().getByText('#7', { exact: true }).waitFor({ state: 'detached' });
    await dialog().getByRole('button', { name: 'Discard', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Discard event #6?' })
      .getByRole('button', { name: 'Discard', exact: true })
      .click();
    await page.getByText('No rejected events are left.').waitFor();
    expect(sent).toStrictEqual([
      [true, 7],
      [false, 6],
    ]);
    await page.unrouteAll();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('deletes a webhook after a question', async () => {
    const { page } = web;
    events();
    await choose('Delete');
    await dialog().getByText('The receiver gets no more events.').waitFor();
    await submit('Delete');
    await page.getByText('No webhooks yet').waitFor();
    expect(events().map(({ type }) => type)).toContain('WebhookDeleted');
    // One refused position was sent before.
    expect(web.complaints.filter((one) => !one.includes('status of 400'))).toStrictEqual([]);
  });
});
