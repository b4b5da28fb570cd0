import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { loopbackTemplate, type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { deedsOf, headOf, recorded } from '../../support.js';

const found = chromiumFor('the test of the lists of outbounds');
const SUITE = 'the lists in the form of an outbound';

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let panel: PanelProcess;
  let web: WebSession;

  beforeAll(async () => {
    panel = await startPanel({ template: loopbackTemplate() });
    web = await startWebSession(found ?? '', panel);
    await web.open('core?tab=outbounds', 'Core');
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
  });

  const dialog = () => web.page.getByRole('dialog');
  const button = (name: string) => web.page.getByRole('button', { name, exact: true });
  /** The item of a list with this name and number. */
  const item = (name: string) => dialog().getByRole('group', { name, exact: true });
  const start = async (name: string, protocol: string): Promise<void> => {
    await button('Add outbound').click();
    await dialog().getByLabel('Name', { exact: true }).fill(name);
    await dialog().getByLabel('Protocol', { exact: true }).selectOption(protocol);
  };
  const apply = async (): Promise<void> => {
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await dialog().waitFor({ state: 'hidden' });
  };
  /** Fills a list of short texts. */
  const fillTags = async (name: string, label: string, ...values: string[]): Promise<void> => {
    const input = item(name).getByLabel(label, { exact: true }).and(web.page.locator('input'));
    for (const value of values) {
      await input.fill(value);
      await input.press('Enter');
    }
  };

  it('take, change and remove items', async () => {
    await start('resolver', 'dns');
    for (const n of [1, 2, 3]) {
      await button('Add: Rules').click();
      await fillTags(`Rules ${n}`, 'Domains', `full:n${n}.example`);
    }
    await item('Rules 2').getByLabel('Action').selectOption('drop');
    await item('Rules 3').getByLabel('Action').selectOption('return');
    await item('Rules 3').getByLabel('rCode').fill('3');
    await button('Remove: Rules 1').click();
    expect(await item('Rules 1').getByLabel('Action').inputValue()).toBe('drop');
    await apply();

    await start('noisy', 'freedom');
    await button('Add: Noise packets').click();
    await item('Noise packets 1').getByLabel('Content or length').fill('30-40');
    await button('Add: Noise packets').click();
    await item('Noise packets 2').getByLabel('Kind').selectOption('str');
    await item('Noise packets 2').getByLabel('Content or length').fill('hello');
    await item('Noise packets 2').getByLabel('Delay (ms)').fill('5');
    await button('Add: Final rules').click();
    await item('Final rules 1').getByLabel('Action').selectOption('allow');
    await fillTags('Final rules 1', 'Addresses', '127.0.0.1/32');
    await button('Add: Final rules').click();
    await apply();

    await start('proxy', 'http');
    await dialog().getByLabel('Address', { exact: true }).fill('127.0.0.1');
    await dialog().getByLabel('Port', { exact: true }).fill('8080');
    await dialog().getByLabel('Headers').fill('User-Agent: Spouter\nX-Crew: Pequod');
    await apply();
  });

  it('say what another protocol drops, and give it back', async () => {
    await button('noisy').click();
    const status = dialog().getByRole('status');
    await dialog().getByLabel('Protocol', { exact: true }).selectOption('dns');
    await status.getByText('Saving drops what belongs to freedom: Noise packets, Final rules.').waitFor();
    await dialog().getByLabel('Protocol', { exact: true }).selectOption('freedom');
    await status.getByText('Saving drops').waitFor({ state: 'detached' });
    expect(await item('Noise packets 2').getByLabel('Content or length').inputValue()).toBe('hello');
    await apply();
  });

  it('are stored as the core reads them', async () => {
    const head = headOf(panel.dataDir);
    await button('Check and save').click();
    await expect.poll(() => deedsOf(panel.dataDir, head)).toStrictEqual(['CoreTemplateChanged']);
    const template = recorded(panel.dataDir, 'CoreTemplateChanged', head)[0]?.data.template;
    expect(template?.['outbounds']).toStrictEqual([
      ...(loopbackTemplate()['outbounds'] as readonly object[]),
      {
        tag: 'resolver',
        protocol: 'dns',
        settings: {
          rules: [
            { action: 'drop', domain: ['full:n2.example'] },
            { action: 'return', domain: ['full:n3.example'], rCode: 3 },
          ],
        },
      },
      {
        tag: 'noisy',
        protocol: 'freedom',
        settings: {
          noises: [
            { type: 'rand', packet: '30-40', delay: '10-16' },
            { type: 'str', packet: 'hello', delay: '5' },
          ],
          finalRules: [{ action: 'allow', ip: ['127.0.0.1/32'] }, { action: 'block' }],
        },
      },
      {
        tag: 'proxy',
        protocol: 'http',
        settings: { address: '127.0.0.1', port: 8080, headers: { 'User-Agent': 'Spouter', 'X-Crew': 'Pequod' } },
      },
    ]);
    expect(web.complaints).toStrictEqual([]);
  });
});
