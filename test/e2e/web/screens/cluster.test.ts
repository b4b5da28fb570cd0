import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../../../kit/real/browser.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { withoutNats } from '../../../kit/real/nats/server.js';
import { must, type PanelProcess } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { watchedPage } from '../../../kit/real/web-session.js';
import { until } from '../../../kit/wait.js';
import { inbound, startTwo } from '../../cluster/panels.js';
import { logOf } from '../../support.js';

const found = chromiumFor('the test of the screen of a cluster');

async function openAt(panel: PanelProcess, complaints: string[]): Promise<Page> {
  const browser = await openBrowser(found ?? '');
  onTestFinished(() => browser.close());
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    locale: 'en',
    viewport: { width: 1440, height: 900 },
  });
  const page = await watchedPage(context, complaints);
  await page.goto(`${panel.url}/#/cluster`);
  await page.getByLabel('User name').fill(panel.username);
  await page.locator('input[name=password]').fill(panel.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cluster' }).waitFor();
  return page;
}

describe.skipIf(found === null || withoutNats('the screen of a cluster'))('the screen of a cluster', () => {
  it('shows the members at a follower, moves an inbound, hands over, and removes a member that is gone', async () => {
    const { leader, follower } = await startTwo();
    const admin = await leader.admin();
    await must(admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'Harbour')));
    const complaints: string[] = [];
    const page = await openAt(follower, complaints);
    const members = page.getByRole('list', { name: 'Members' });
    await members.getByText('up to date').nth(1).waitFor();
    await members.getByText('Leader', { exact: true }).waitFor();
    await members.getByRole('link', { name: 'Harbour' }).waitFor();
    await page.getByText('one leads, 2 members run, and changes are possible.').waitFor();

    await page.getByRole('button', { name: 'Verify the stream' }).click();
    await page.getByText('The stream is sound').waitFor();

    await members.getByRole('link', { name: 'Harbour' }).click();
    const machine = page.getByLabel('Machine', { exact: true });
    expect(await machine.inputValue()).toBe('one');
    await machine.selectOption('two');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'two', exact: true }).waitFor();

    await page.goto(`${follower.url}/#/cluster`);
    await page.getByRole('button', { name: 'Hand over leadership' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Another member that is up to date becomes the leader within 2 seconds').waitFor();
    await dialog.getByRole('button', { name: 'Hand over leadership' }).click();
    await page.getByText('two became the leader: one handed over.').waitFor();

    await leader.stop();
    await members.getByText('Stopped').waitFor();
    await page.getByRole('button', { name: 'Actions for one' }).click();
    await page.getByRole('menuitem', { name: 'Remove member' }).click();
    await dialog.getByRole('button', { name: 'Remove member' }).click();
    await page.getByText('two leads and is the only member').waitFor();
    const events = await until('the log of two has the removal', () => {
      const all = logOf(follower.dataDir, 0).filter(
        ({ meta, type }) => meta.actor.kind === 'user' && /^Member|^Leader|^InboundUpdated/.test(type),
      );
      return all.some(({ type }) => type === 'MemberRemoved') ? all : undefined;
    });
    expect(events.map(({ type }) => type)).toStrictEqual(['InboundUpdated', 'LeadershipHandedOver', 'MemberRemoved']);
    expect(complaints).toStrictEqual([]);
  });
});
