import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { startTargets, type Targets } from '../../../kit/real/targets.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { deedsOf, headOf, recorded, until } from '../../support.js';

const found = chromiumFor('the test of the nodes in the web panel');
const SUITE = 'nodes in the web panel';

interface Sync {
  readonly state: string;
  readonly lag: number;
}

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let targets: Targets;
  let node: PanelProcess;
  let centre: PanelProcess;
  let admin: Admin;
  let there: Admin;
  let web: WebSession;
  let token: string;

  beforeAll(async () => {
    targets = await startTargets();
    [node, centre] = await Promise.all([startPanel(), startPanel()]);
    [admin, there] = await Promise.all([centre.admin(), node.admin()]);
    token = await must(there.get<string>('/panel/setting/getApiToken'));
    web = await startWebSession(found ?? '', centre);
  });

  afterAll(async () => {
    await web?.close();
    await Promise.all([centre?.cleanUp(), node?.cleanUp(), targets?.stop()]);
  });

  const field = (name: string) => web.page.getByRole('textbox', { name });
  const dialog = () => web.page.getByRole('dialog');
  const row = (name: string) => web.page.getByRole('row').filter({ hasText: name });
  const addInbound = (on: Admin, remark: string, nodeId?: number) =>
    freePort().then((port) => {
      const context = makeContext({ ...targets, targetPort: targets.port });
      const body = inboundCase(context, 'vless-tcp').body(port, [makeClient({ email: `${remark}@harbour` })]);
      return must(on.post<{ id: number }>('/panel/api/inbounds/add', { ...body, remark, nodeId }));
    });

  it('tests a connection before anything is stored, and says what is wrong with it', async () => {
    await web.open('nodes', 'Nodes');
    await web.page.getByRole('button', { name: 'Add node' }).click();
    await field('Name').fill('Oslo');
    await field('URL of its panel').fill('not a url');
    await dialog().getByRole('button', { name: 'Add node' }).click();
    await web.sees('This is not a URL.');
    const head = headOf(centre.dataDir);
    // As copied from the address bar, with the fragment of a screen.
    await field('URL of its panel').fill(`${node.url}/#/overview`);
    await web.page.getByRole('textbox', { name: 'API token' }).fill('a token that is wrong');
    await web.page.getByRole('switch', { name: 'Allow a private address' }).click();
    await web.page.getByRole('button', { name: 'Test the connection' }).click();
    await web.sees('It cannot be used:');
    await web.page.getByRole('textbox', { name: 'API token' }).fill(token);
    await web.page.getByRole('button', { name: 'Test the connection' }).click();
    await web.sees('It answers within');
    expect(deedsOf(centre.dataDir, head)).toStrictEqual([]);
  });

  it('adds the node, which appears up to date by itself', async () => {
    const head = headOf(centre.dataDir);
    await dialog().getByRole('button', { name: 'Add node' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await row('Oslo').getByText('Up to date').waitFor();
    const [added] = recorded(centre.dataDir, 'NodeAdded', head);
    expect(added?.data).toMatchObject({
      spec: { name: 'Oslo', scheme: 'http', host: '127.0.0.1', port: node.ports.panel, allowPrivateAddress: true },
    });
  });

  it('keeps the form when the panel refuses it', async () => {
    await web.page.getByRole('button', { name: 'Add node' }).click();
    await field('Name').fill('Oslo');
    await field('URL of its panel').fill('https://192.0.2.7:2053/');
    await web.page.getByRole('textbox', { name: 'API token' }).fill('token-of-another');
    await dialog().getByRole('button', { name: 'Add node' }).click();
    await dialog().getByText('A node named Oslo already exists').waitFor();
    expect(await field('URL of its panel').inputValue()).toBe('https://192.0.2.7:2053/');
    await web.page.keyboard.press('Escape');
    await web.page.getByRole('button', { name: 'Discard and leave' }).click();
    await dialog().waitFor({ state: 'hidden' });
    expect(recorded(centre.dataDir, 'NodeAdded')).toHaveLength(1);
  });

  it('shows one node: its inbounds, and what only it has', async () => {
    const own = await addInbound(admin, 'fjord', 1);
    await addInbound(there, 'foreign');
    await until('the node has it', async () => {
      const { state, lag } = await must(admin.get<Sync>('/panel/api/nodes/1/sync'));
      return state === 'synced' && lag === 0;
    });
    await web.page.getByRole('link', { name: 'Oslo' }).click();
    await web.page.getByRole('heading', { level: 1, name: 'Oslo' }).waitFor();
    await web.sees('It is online and up to date.');
    await web.sees('No pending changes');
    const hosted = web.page.locator('section').filter({ hasText: 'Inbounds on this node' });
    await hosted.getByRole('link', { name: 'fjord', exact: true }).waitFor();
    await hosted.getByRole('link', { name: '1 client' }).waitFor();
    const foreign = web.page.locator('section').filter({ hasText: 'Found only there' });
    await foreign.getByText('Created on the node itself.').waitFor();
    for (const chart of ['CPU', 'Memory', 'Latency', 'Changes waiting'])
      await web.page.getByRole('heading', { name: `${chart}, last six hours` }).waitFor();
    expect(own.id).toBeGreaterThan(0);
    expect(await web.overflowOnPhone('nodes/1')).toBe(0);
    expect(await web.overflowOnPhone('nodes')).toBe(0);
  });

  it('says that the node does not answer, what waits for it, and that it is back', async () => {
    const { dataDir, ports } = node;
    await node.stop();
    await web.sees('The node does not answer.');
    await addInbound(admin, 'late', 1);
    await web.sees('2 changes wait');
    const lag = '/panel/api/nodes/history/1/lag/2';
    await until('the waiting changes are measured', async () =>
      (await must(admin.get<{ v: number }[]>(lag))).some(({ v }) => v === 2),
    );
    await web.page.getByRole('button', { name: 'Check now' }).click();
    await web.sees('Oslo: It cannot be used:');
    node = await startPanel({ dataDir, ports });
    await web.page.getByRole('button', { name: 'Check now' }).click();
    await web.sees('No pending changes');
  });

  it('pauses it, takes that back, renames it', async () => {
    const head = headOf(centre.dataDir);
    await web.menu('More', 'Pause');
    await web.sees('Oslo is paused');
    await web.sees('Paused: this panel sends no changes');
    await web.page.getByRole('button', { name: 'Undo' }).first().click();
    await web.sees('The change was undone.');
    await web.page.getByRole('button', { name: 'Edit' }).click();
    await field('Name').fill('Bergen');
    await field('Note').fill('beside the harbour');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await web.page.getByRole('heading', { level: 1, name: 'Bergen' }).waitFor();
    expect(deedsOf(centre.dataDir, head)).toStrictEqual(['NodeDisabled', 'NodeEnabled', 'NodeUpdated']);
  });

  it('claims to know nothing about a node that has never answered', async () => {
    const place = { scheme: 'http', host: '127.0.0.1', port: await freePort(), basePath: '/' };
    const body = { ...place, name: 'Narvik', apiToken: 'token', allowPrivateAddress: true, enable: true };
    const { id } = await must(admin.post<{ id: number }>('/panel/api/nodes/add', body));
    await until(
      'two counts of waiting changes are kept',
      async () => (await must(admin.get<unknown[]>(`/panel/api/nodes/history/${id}/lag/2`))).length > 1,
    );
    await web.open(`nodes/${id}`, 'Narvik');
    await web.sees('Not known yet: the node has not answered since it was added.');
    await web.page.getByText('No measurements yet.').nth(3).waitFor();
    await must(admin.post(`/panel/api/nodes/del/${id}`));
    await web.open('nodes/1', 'Bergen');
  });

  it('names what stops before it deletes the node', async () => {
    const head = headOf(centre.dataDir);
    await web.menu('More', 'Delete');
    await dialog().getByText('2 inbounds with 2 clients stop serving').waitFor();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await web.sees('No nodes yet');
    expect(recorded(centre.dataDir, 'NodeDeleted', head)).toHaveLength(1);
    expect(web.complaints).toStrictEqual([]);
  });
});
