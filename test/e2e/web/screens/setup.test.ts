import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { type ClientCore, startClientCore } from '../../../kit/real/client-core.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { untilComplete } from '../../../kit/real/expect-transfer.js';
import { loopbackTemplate, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { download } from '../../../kit/real/socks.js';
import { startTargets, type Targets } from '../../../kit/real/targets.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { deedsOf, headOf, recorded } from '../../support.js';

const found = chromiumFor('the test of the first set-up');
const SUITE = 'the first set-up in the web panel';
const PASSWORD = 'a longer and better one';

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let panel: PanelProcess;
  let web: WebSession;
  let targets: Targets;
  let client: ClientCore | undefined;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel({ template: loopbackTemplate() });
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await client?.stop();
    await web?.close();
    await panel?.cleanUp();
    await targets?.stop();
  });

  const button = (name: string | RegExp) => web.page.getByRole('button', { name });
  const step = (name: string) => web.page.getByRole('region', { name });

  it('is offered on the overview of a fresh panel', async () => {
    await web.open('overview', 'Overview');
    await web.sees('Set up this panel');
    await web.sees('0 of 4 done');
    await web.page.getByRole('link', { name: 'Begin' }).click();
    await web.page.getByRole('heading', { level: 1, name: 'First set-up' }).waitFor();
  });

  it('takes a new password, and shows why one is refused', async () => {
    const head = headOf(panel.dataDir);
    await web.open('setup', 'First set-up');
    const fill = async (password: string): Promise<void> => {
      await web.page.getByLabel('Current password').fill(panel.password);
      await web.page.getByLabel('New password', { exact: true }).fill(password);
      await web.page.getByLabel('Repeat the new password').fill(password);
      await button('Change the password').click();
    };
    await fill('short');
    await step('A new password').getByRole('alert').waitFor();
    await fill(PASSWORD);
    await step('A new password').getByText('Done').waitFor();
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['UserCredentialsChanged', 'DataKeyDestroyed', 'LoggedIn']);
  });

  it('makes an inbound with a client, through which traffic flows', async () => {
    const head = headOf(panel.dataDir);
    await web.open('setup', 'First set-up');
    await button(/^4? ?The first inbound/).click();
    await web.page.getByLabel('Kind').selectOption({ label: 'Shadowsocks 2022' });
    await web.page.getByLabel('Port', { exact: true }).fill(String(await freePort()));
    await web.page.getByLabel('Name of the first client').fill('ishmael');
    await button('Create the inbound').click();
    await web.page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    await step('The first inbound').getByText('Done').waitFor();
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['InboundAdded', 'ClientAdded']);
    const link = (await step('The first inbound').locator('bdi').textContent()) ?? '';
    client = await startClientCore([link]);
    const proxy = client.socksPort(0);
    await untilComplete('traffic flows', () => download(proxy, `${targets.url}/small`));
  });

  it('hides the panel at a secret path, and leads there', async () => {
    const head = headOf(panel.dataDir);
    await web.open('setup', 'First set-up');
    await button(/A secret base path/).click();
    const path = await web.page.getByLabel('Base path', { exact: true }).inputValue();
    expect(path).toMatch(/^\/[a-z0-9]{12}\/$/);
    await button('Save the path').click();
    await step('A secret base path').getByText('Done').waitFor();
    await button('Restart the panel').click();
    await web.page.getByRole('dialog').getByRole('button', { name: 'Restart the panel' }).click();
    await web.page.waitForURL((url) => url.pathname === path);
    expect(recorded(panel.dataDir, 'SettingsChanged', head).map(({ data }) => data.changes)).toStrictEqual([
      { webBasePath: path },
    ]);
    expect((await fetch(`${panel.url}/`)).status).toBe(404);
    expect((await fetch(`${panel.url}${path}`)).status).toBe(200);
  });

  it('breaks no policy', async () => {
    expect(web.complaints.filter((text) => !/404/.test(text))).toStrictEqual([]);
  });
});
