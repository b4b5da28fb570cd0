import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { startClientCore } from '../../../kit/real/client-core.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { untilComplete } from '../../../kit/real/expect-transfer.js';
import { type Admin, must, storeTemplate } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { download } from '../../../kit/real/socks.js';
import { startTargets, type Targets } from '../../../kit/real/targets.js';
import { fillCode } from '../../../kit/real/web-session.js';
import { headOf, logOf, recorded, template } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of the inbounds in the web panel');
const BYTES = 200_000;

interface Stored {
  readonly id: number;
  readonly remark: string;
  readonly port: number;
  readonly streamSettings: string;
  readonly sniffing: string;
}

describe.skipIf(found === null || withoutCore('the inbounds in the web panel'))('the inbounds in the web panel', () => {
  let web: WebPanel;
  let admin: Admin;
  let targets: Targets;

  beforeAll(async () => {
    targets = await startTargets();
    web = await openWebPanel(found ?? '');
    admin = await web.panel.admin();
    await storeTemplate(admin, template(targets));
  });

  afterAll(async () => {
    await web?.close();
    await targets?.stop();
  });

  /** What admins appended after a position. */
  const deeds = (after: number): readonly RecordedEvent[] =>
    logOf(web.panel.dataDir, after).filter(({ meta }) => meta.actor.kind === 'user');
  const typesSince = (after: number): readonly string[] => deeds(after).map(({ type }) => type);
  const head = (): number => headOf(web.panel.dataDir);
  const field = (name: string) => web.page.locator(`[name="${name}"]`);
  const button = (name: string) => web.page.getByRole('button', { name, exact: true });
  const row = (name: string) => web.page.getByRole('row').filter({ hasText: name });
  const menu = async (name: string, item: string): Promise<void> => {
    await web.page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await web.page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  const stored = async (remark: string): Promise<Stored> => {
    const all = await must(admin.get<Stored[]>('/panel/api/inbounds/list'));
    const one = all.find((inbound) => inbound.remark === remark);
    if (!one) throw new Error(`no inbound ${remark}`);
    return one;
  };
  /** Adds a client and downloads through its link, as an app does. */
  const expectTraffic = async (remark: string, client: object): Promise<void> => {
    const { id } = await stored(remark);
    const email = `${remark}-user`.toLowerCase();
    const settings = JSON.stringify({ clients: [{ ...client, email, enable: true }] });
    await must(admin.post('/panel/api/inbounds/addClient', { id, settings }));
    const links = await must(admin.get<string[]>(`/panel/api/inbounds/getClientLinks/${id}/${email}`));
    const core = await startClientCore([links[0] ?? '']);
    try {
      // The running core takes the new client a moment later.
      const load = () => download(core.socksPort(0), `${targets.url}/bytes/${BYTES}`);
      expect((await untilComplete('traffic flows', load)).bytes).toBe(BYTES);
    } finally {
      await core.stop();
    }
  };

  /** Other tests may be offered the same well-known port. */
  const fillPort = async () => web.page.getByLabel('Port', { exact: true }).fill(String(await freePort()));
  /** Makes an inbound of a preset in the form. */
  const make = async (preset: 'trojan' | 'reality', name: string): Promise<Stored> => {
    await web.open(`inbounds/new?preset=${preset}`);
    await web.page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    const host = web.page.getByLabel(preset === 'reality' ? 'Website to imitate' : 'Domain');
    await host.fill(preset === 'reality' ? imitated() : 'localhost');
    await web.page.getByLabel('First client').fill('');
    await fillPort();
    await button('Add inbound').click();
    await row(name).waitFor();
    return stored(name);
  };
  const imitated = () => targets.realityTarget.replace('127.0.0.1', 'localhost');

  it('are checked by the core before they are saved, show their link, and carry traffic', async () => {
    const { page } = web;
    const taken = await make('trojan', 'Shoal');
    await web.open('inbounds/new?preset=reality');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Reef');
    await page.getByLabel('Website to imitate').fill(imitated());
    await fillPort();
    await button('All options').click();
    await page.getByLabel('Listen address').fill('127.0.0.1');
    const before = head();

    const port = await field('port').inputValue();
    await field('port').fill(String(taken.port));
    await button('Check').click();
    await page.getByText(`Port already exists: ${taken.port} is used by`).waitFor();
    expect(await field('port').getAttribute('aria-invalid')).toBe('true');
    await field('port').fill(port);
    await button('Check').click();
    await page.getByText('The core accepts this inbound. Nothing was saved.').waitFor();
    expect(typesSince(before)).toStrictEqual([]);

    const link = page.locator('code').filter({ hasText: 'vless://' });
    await expect
      .poll(async () => link.textContent())
      .toMatch(new RegExp(`:${port}\\?.*security=reality.*#Reef-sample`));
    await button('Add inbound').click();
    await web.heading('Inbounds');
    expect(typesSince(before)).toStrictEqual(['InboundAdded']);
    await expectTraffic('Reef', { id: crypto.randomUUID(), flow: 'xtls-rprx-vision' });
  });

  it('show each refusal of the core at its field, and others at the top of the form', async () => {
    const { page } = web;
    await make('reality', 'Skerry');
    await row('Skerry').getByRole('link').click();
    await web.heading('Skerry');
    const before = head();
    const cell = (path: string) => page.locator(`[data-field="${path}"]`);
    const input = (path: string) => cell(path).locator('input:not([type=hidden]), textarea');
    const refused = async (path: string, sentence: string): Promise<void> => {
      await button('Check').click();
      await cell(path).getByText(sentence).waitFor();
      await cell(path).locator('input:focus').waitFor();
      expect(await input(path).getAttribute('aria-invalid')).toBe('true');
    };
    const REALITY = 'streamSettings.realitySettings';
    await input(`${REALITY}.shortIds`).fill('xyz,');
    await refused(`${REALITY}.shortIds`, 'infra/conf: invalid "shortIds[');
    await input(`${REALITY}.shortIds`).press('Backspace');
    await input(`${REALITY}.minClientVer`).fill('1.2.3.4');
    await refused(`${REALITY}.minClientVer`, 'infra/conf: invalid "minClientVer": 1.2.3.4');
    await input(`${REALITY}.minClientVer`).fill('');
    await cell(`${REALITY}.minClientVer`).getByText('infra/conf').waitFor({ state: 'detached' });
    await input(`${REALITY}.privateKey`).fill('short');
    await refused(`${REALITY}.privateKey`, 'realitySettings.privateKey must be 32 bytes in base64url');

    await page.getByLabel('Security').selectOption('tls');
    await page.getByLabel('Certificate file').fill('/nowhere/to/be/found.pem');
    await refused('streamSettings.tlsSettings.certificates.0.certificateFile', 'The certificate file does not exist');
    await page.getByLabel('Security').selectOption('none');
    await page.getByText('Fallbacks', { exact: true }).click();
    await button('Add: Fallback').click();
    await input('settings.fallbacks.0.dest').fill('nowhere');
    await page.getByText('Fallbacks', { exact: true }).click();
    await refused('settings.fallbacks.0.dest', 'please fill in a valid value for every "dest"');
    await input('settings.fallbacks.0.dest').fill('8080');

    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = page.getByRole('textbox', { name: 'JSON' });
    await fillCode(json, JSON.stringify({ streamSettings: { network: 'tcp', sockopt: { tcpFastOpen: 'perhaps' } } }));
    await page.getByRole('tab', { name: 'Form' }).click();
    await button('Save').click();
    const top = page.locator('[role=alert]:focus');
    await top.getByText('The core does not accept this configuration').waitFor();
    expect(typesSince(before)).toStrictEqual([]);
    await web.open('inbounds');
    await button('Discard and leave').click();
    await web.heading('Inbounds');
  });

  it('get generated keys beside each field, and the same value in the JSON tab', async () => {
    const { page } = web;
    await make('reality', 'Atoll');
    await row('Atoll').getByRole('link').click();
    await web.heading('Atoll');
    const key = await field('streamSettings.realitySettings.privateKey').inputValue();
    await button('Generate').nth(1).click();
    await expect.poll(async () => field('streamSettings.realitySettings.privateKey').inputValue()).not.toBe(key);
    await button('ML-DSA-65').click();
    await expect.poll(async () => field('streamSettings.realitySettings.mldsa65Seed').inputValue()).not.toBe('');
    await button('ML-KEM-768').click();
    await expect.poll(async () => field('settings.decryption').inputValue()).toMatch(/^mlkem768/);
    await button('None').click();
    await expect.poll(async () => field('settings.decryption').inputValue()).toBe('none');

    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = page.getByRole('textbox', { name: 'JSON' });
    await json.getByText('"decryption": "none"').waitFor();
    const untouched = head();
    await fillCode(json, '{"sniffing": {');
    await page.locator('.cm-lint-marker-error').waitFor();
    const reason = page.getByRole('alert').filter({ hasText: 'This is not valid JSON.' });
    await reason.waitFor();
    for (const name of ['Save', 'Check']) {
      expect(await button(name).isDisabled()).toBe(true);
      expect(await button(name).getAttribute('aria-describedby')).toBe(await reason.getAttribute('id'));
    }
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await json.textContent()).toContain('{"sniffing": {');
    await fillCode(json, '[]');
    await page.getByText('This is not the JSON of an inbound.').waitFor();
    expect(await button('Save').isDisabled()).toBe(true);
    const sniffing = { enabled: true, destOverride: ['http', 'tls'], routeOnly: true };
    await fillCode(json, JSON.stringify({ sniffing }));
    await reason.waitFor({ state: 'detached' });
    expect(await button('Save').isEnabled()).toBe(true);
    expect(typesSince(untouched)).toStrictEqual([]);
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await page.getByLabel('For routing only').isChecked()).toBe(true);

    await page.getByText('Socket options', { exact: true }).click();
    await page.getByLabel('tcpFastOpen').check();
    await page.getByText('Fallbacks', { exact: true }).click();
    await button('Add: Fallback').click();
    await field('settings.fallbacks.0.dest').fill('8080');
    await page.getByText('External proxies', { exact: true }).click();
    await button('Add: External proxy').click();
    await field('streamSettings.externalProxy.0.dest').fill('cdn.example.com');
    const link = page.locator('code').filter({ hasText: 'vless://' });
    await expect.poll(async () => link.textContent()).toContain('@cdn.example.com:443');
    const before = head();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await web.heading('Inbounds');
    expect(typesSince(before)).toStrictEqual(['InboundUpdated', 'InboundReconfigured']);
    const saved = await stored('Atoll');
    expect(JSON.parse(saved.sniffing)).toStrictEqual(sniffing);
    expect(JSON.parse(saved.streamSettings)).toMatchObject({
      sockopt: { tcpFastOpen: true },
      externalProxy: [{ dest: 'cdn.example.com', port: 443, forceTls: 'same' }],
    });
  });

  it('show a second admin what the first one changed, and overwrite nothing', async () => {
    const { page } = web;
    const { id } = await make('reality', 'Sound');
    await web.open(`inbounds/${id}`);
    await web.heading('Sound');
    await page.getByLabel('Name', { exact: false }).first().fill('Mine');
    await page.getByLabel('Traffic cap').fill('7');
    await must(admin.post(`/panel/api/inbounds/update/${id}`, { remark: 'Theirs', trafficReset: 'weekly' }));
    const notice = page.getByRole('alert').filter({ hasText: 'Another admin has changed this inbound' });
    await notice.waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    expect(await notice.textContent()).toMatch(/Theirs.*Mine/);
    const before = head();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await notice.getByRole('button', { name: 'Continue with these values' }).click();
    await page.getByRole('textbox', { name: 'JSON' }).getByText('"trafficReset": "weekly"').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await web.heading('Inbounds');
    await row('Mine').waitFor();
    const [updated, ...others] = deeds(before);
    expect(others).toStrictEqual([]);
    expect(updated?.data).toMatchObject({ changes: { remark: 'Mine', capBytes: 7 * 1024 ** 3 } });
    const inbound = await must(admin.get<{ trafficReset: string }>(`/panel/api/inbounds/get/${id}`));
    expect(inbound.trafficReset).toBe('weekly');

    const toast = page.getByRole('alert').filter({ has: page.getByRole('button', { name: 'Undo' }) });
    await toast.last().getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The change was undone.').waitFor();
    await row('Theirs').waitFor();
    const undone = await must(admin.get<{ trafficReset: string }>(`/panel/api/inbounds/get/${id}`));
    expect(undone).toMatchObject({ trafficReset: 'weekly', total: 0 });
  });

  it('are cloned, exported, imported, reset and deleted', async () => {
    const { page } = web;
    const { id } = await make('trojan', 'Haven');
    const settings = JSON.stringify({
      clients: [{ password: 'a password of the test', email: 'haven', enable: true }],
    });
    await must(admin.post('/panel/api/inbounds/addClient', { id, settings }));
    const before = head();
    await menu('Haven', 'Clone');
    await row('Haven 2').waitFor();
    expect(recorded(web.panel.dataDir, 'InboundAdded').at(-1)?.data).toMatchObject({
      ...{ enabled: false, spec: { remark: 'Haven 2', protocol: 'trojan' } },
    });

    const saved = page.waitForEvent('download');
    await menu('Haven', 'Export');
    const text = await readFile(await (await saved).path(), 'utf8');
    const inbound = JSON.parse(text) as Record<string, unknown>;
    expect(inbound).toMatchObject({ remark: 'Haven', protocol: 'trojan' });
    await button('Import').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('[1]');
    await dialog.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This is not the JSON of an inbound.').waitFor();
    const copy = {
      ...inbound,
      remark: 'Cove',
      listen: '127.0.0.1',
      port: await freePort(),
      settings: '{"clients":[]}',
    };
    // One of two cannot be added: the answer says so before anything happens, and an Escape does not lose the text.
    const clash = { ...copy, remark: 'Bay' };
    await dialog.getByRole('textbox').fill(JSON.stringify([copy, clash]));
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText('Cannot be added: 1').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Bay' }).getByText('Port already exists').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stay' }).click();
    await dialog.getByRole('textbox').fill(JSON.stringify([copy, { ...clash, port: await freePort() }]));
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText('Can be added: 2').waitFor();
    const unchanged = head();
    expect(typesSince(unchanged)).toStrictEqual([]);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await row('Bay').waitFor();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Inbounds imported: 2' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await row('Bay').waitFor({ state: 'detached' });
    await row('Cove').waitFor({ state: 'detached' });
    await button('Import').click();
    await dialog.getByRole('textbox').fill(JSON.stringify([copy]));
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText('Can be added: 1').waitFor();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await row('Cove').waitFor();
    // The port and the address are on one line.
    const place = row('Cove').locator('bdi', { hasText: '· 127.0.0.1' });
    expect((await place.boundingBox())?.height).toBeLessThan(30);

    await menu('Haven', 'Share links');
    await page.getByRole('dialog').locator('code').filter({ hasText: 'trojan://' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await menu('Haven', 'Reset traffic');
    await page.getByRole('dialog').getByRole('button', { name: 'Reset traffic' }).click();
    await expect.poll(() => typesSince(before)).toContain('InboundTrafficReset');
    await menu('Cove', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row('Cove').waitFor({ state: 'detached' });
    expect(typesSince(before)).toStrictEqual([
      ...['InboundAdded', 'InboundAdded', 'InboundAdded', 'CommandUndone', 'InboundDeleted', 'InboundDeleted'],
      ...['InboundAdded', 'InboundTrafficReset', 'InboundDeleted'],
    ]);
    await page.getByRole('searchbox').pressSequentially('nowhere');
    await page.getByText('No inbound matches.').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('nowhere');
    expect(page.url()).toMatch(/search=nowhere$/);
  });

  it('show the links of all clients page by page, find one, and copy all of them', async () => {
    const { page } = web;
    const { id } = await make('trojan', 'Fleet');
    const email = (n: number): string => `boat-${String(n).padStart(2, '0')}`;
    const clients = Array.from({ length: 45 }, (_, n) => ({ password: `the password ${n}`, email: email(n + 1) }));
    await must(admin.post('/panel/api/inbounds/addClient', { id, settings: JSON.stringify({ clients }) }));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await menu('Fleet', 'Share links');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('20 of 45 clients').waitFor();
    await dialog.getByRole('button', { name: 'Show more clients' }).click();
    await dialog.getByText('40 of 45 clients').waitFor();
    await dialog.getByRole('button', { name: 'Show more clients' }).click();
    await dialog.getByRole('heading', { name: email(45) }).waitFor();
    await dialog.getByRole('button', { name: 'Copy all' }).click();
    await page.getByText('45 links copied.').waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()')).split('\n');
    expect(copied).toHaveLength(45);
    expect(copied.every((link) => link.startsWith('trojan://'))).toBe(true);
    await dialog.getByRole('searchbox').fill('boat-3');
    await dialog.getByText('10 of 10 clients').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
