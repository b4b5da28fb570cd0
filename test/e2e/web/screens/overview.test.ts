import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../../kit/real/certificate.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { type ClientCore, startClientCore } from '../../../kit/real/client-core.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { untilComplete } from '../../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../../kit/real/inbounds.js';
import { type Admin, loopbackTemplate, must, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { panelAssets, type ReleaseServer, startReleaseServer } from '../../../kit/real/servers/release-server.js';
import { download } from '../../../kit/real/socks.js';
import { startTargets, type Targets } from '../../../kit/real/targets.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { addInbound, entryOf, recorded, until } from '../../support.js';

const found = chromiumFor('the test of the overview in the web panel');
const SUITE = 'the overview in the web panel';
const DAY = 86_400_000;

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient({ email: 'alice@example.org' });
  let targets: Targets;
  let releases: ReleaseServer;
  let certificate: TestCertificate;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let other: Server;
  let web: WebSession;

  beforeAll(async () => {
    [targets, releases] = await Promise.all([startTargets(), startReleaseServer()]);
    certificate = await makeCertificate(['localhost'], { notAfter: new Date(Date.now() + 5 * DAY) });
    releases.release('panel', 'v99.0.0', panelAssets('99.0.0', Buffer.from('never downloaded')));
    panel = await startPanel({ template: loopbackTemplate(), env: releases.env });
    admin = await panel.admin();
    await must(admin.post('/panel/setting/update', { pollSeconds: 1 }));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    client = await startClientCore([await entryOf(panel, added, alice)]);
    await untilComplete('the inbound runs', () => download(client.socksPort(0), `${targets.url}/small`));
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    other?.close();
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop(), releases?.stop()]);
    certificate?.remove();
  });

  const main = () => web.page.getByRole('main');
  /** A concern is a link to the place where it is resolved. */
  const concern = (text: string | RegExp) => main().getByRole('link', { name: text });
  const back = () => web.open('overview', 'Overview');

  it('shows the core, the machine, the counts of clients, and who used most today', async () => {
    await main().getByText('Running', { exact: true }).waitFor();
    for (const tile of ['CPU', 'Memory', 'Disk', 'Network'])
      await main().getByText(tile, { exact: true }).first().waitFor();
    await until('the traffic is recorded', () => recorded(panel.dataDir, 'TrafficRecorded').length > 0);
    await main().getByRole('listitem').getByRole('link', { name: 'alice@example.org' }).waitFor();
    const counts = main().locator('dl').filter({ hasText: 'Expire within 7 days' });
    for (const count of ['Online', 'Active', 'Expire within 7 days', 'Depleted', 'Disabled'])
      await counts.getByRole('link', { name: count, exact: true }).waitFor();
    await counts.getByRole('link', { name: 'Active', exact: true }).click();
    await web.page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor();
    expect(web.page.url()).toContain('state=active');
  });

  it('draws six hours of a metric at two seconds, and what comes in', async () => {
    const asked = web.page.waitForRequest(/server\/history\/cpu\/2$/);
    await web.open('overview?chart=cpu', 'Overview');
    await asked;
    await web.page.getByRole('figure', { name: 'CPU' }).locator('canvas').waitFor();
    await web.page.getByText('Memory', { exact: true }).last().click();
    await web.page.getByRole('figure', { name: 'Memory' }).locator('canvas').waitFor();
    // The values at a point, by keyboard and by pointer.
    const chart = web.page.getByRole('slider', { name: 'Memory' });
    await expect.poll(async () => Number(await chart.getAttribute('aria-valuemax'))).toBeGreaterThan(1);
    await chart.press('Home');
    expect(await chart.getAttribute('aria-valuenow')).toBe('0');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/Memory: /);
    await chart.press('ArrowRight');
    expect(await chart.getAttribute('aria-valuenow')).toBe('1');
    await chart.press('Escape');
    await expect.poll(async () => Number(await chart.getAttribute('aria-valuenow'))).toBeGreaterThan(1);
  });

  it('says that an update of the panel is pending, and leads to it', async () => {
    await back();
    await concern('Version v99.0.0 of the panel is available').click();
    await web.page.getByRole('heading', { level: 1, name: 'Core' }).waitFor();
    await web.page.getByRole('button', { name: 'Update the panel' }).waitFor();
    await back();
  });

  it('says which inbound the core refuses and why, and leads to it', async () => {
    const port = await freePort('tcp');
    const settings = JSON.stringify({ auth: 'noauth', udp: false });
    const inbound = { enable: false, remark: 'refused', listen: '127.0.0.1', port, protocol: 'socks', settings };
    const whole = { ...inbound, streamSettings: '{}', sniffing: '{}' };
    const { id } = await must(admin.post<{ id: number }>('/panel/api/inbounds/add', whole));
    other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    await must(admin.post(`/panel/api/inbounds/setEnable/${id}`, { enable: true }));
    await until('the core refuses it', () => recorded(panel.dataDir, 'InboundRejectedByCore').length > 0);
    await concern('The core refuses the inbound refused').waitFor();
    expect(await concern('The core refuses the inbound refused').getAttribute('href')).toBe(`#/inbounds/${id}`);
  });

  it('says that a certificate expires, and leads to the settings', async () => {
    const { certFile: subCertFile, keyFile: subKeyFile } = certificate;
    await must(admin.post('/panel/setting/update', { subCertFile, subKeyFile }));
    await must(admin.post('/panel/setting/restartPanel'));
    await until('it is loaded', () => recorded(panel.dataDir, 'CertificateLoaded').length > 0);
    await back();
    const link = concern(/^The certificate of the subscription server expires in \d days$/);
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('#/settings?group=subscription');
  });

  it('does not say that everything is in order while the nodes load or when they cannot be loaded', async () => {
    const nodes = '**/panel/api/nodes/list';
    const page = await web.context.newPage();
    let fail = (): void => undefined;
    const failing = new Promise<void>((resolve) => (fail = resolve));
    await page.route(nodes, async (route) => {
      await failing;
      await route.fulfill({ status: 500, body: 'no' });
    });
    await page.goto(`${panel.url}/#/overview`);
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Needs attention' }) });
    // The others are known.
    await section.getByRole('link', { name: 'Version v99.0.0 of the panel is available' }).waitFor();
    await section.locator('[aria-busy=true]').waitFor();
    fail();
    await section.getByText('Loading failed').waitFor();
    await page.unroute(nodes);
    await section.getByRole('button', { name: 'Try again' }).click();
    await section.getByText('Loading failed').waitFor({ state: 'detached' });
    expect(await section.locator('[aria-busy=true]').count()).toBe(0);
    await page.close();
  });

  it('says that a node does not answer, and leads to it', async () => {
    const port = await freePort('tcp');
    const node = { name: 'Oslo', scheme: 'http', host: '127.0.0.1', port, basePath: '/', apiToken: 'token' };
    await must(admin.post('/panel/api/nodes/add', { ...node, allowPrivateAddress: true }));
    await concern('Node Oslo does not answer').click();
    await web.page.getByRole('heading', { level: 1, name: 'Oslo' }).waitFor();
    await back();
  });

  it('says that the core is stopped, first of all, and leads to where it is started', async () => {
    await must(admin.post('/panel/api/server/stopCoreService'));
    await concern('The core is stopped').click();
    await web.page.getByRole('button', { name: 'Start', exact: true }).click();
    await web.page.getByRole('main').getByText('Running', { exact: true }).waitFor();
    await back();
    await concern('The core is stopped').waitFor({ state: 'detached' });
    expect(await web.overflowOnPhone('overview')).toBe(0);
    expect(web.complaints).toStrictEqual([]);
  });
});
