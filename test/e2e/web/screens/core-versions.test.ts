import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zipOf } from '../../../kit/formats/zip.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { coreBinary, withoutCore } from '../../../kit/real/core-process.js';
import { coreAs, fakeCore, putCore } from '../../../kit/real/core-versions.js';
import {
  type Admin,
  loopbackTemplate,
  must,
  type PanelProcess,
  startPanel,
  storeTemplate,
} from '../../../kit/real/panel-process.js';
import { coreAssets, type ReleaseServer, startReleaseServer } from '../../../kit/real/servers/release-server.js';
import { startTargets, type Targets } from '../../../kit/real/targets.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { deedsOf, headOf, recorded, until } from '../../support.js';

const found = chromiumFor('the test of versions of the core in the web panel');
const SUITE = 'versions of the core in the web panel';
const [OLD, NEW, BROKEN, DYING] = ['26.7.27', '26.7.29', '26.7.30', '26.7.34'];
const archiveOf = (xray: Buffer | string): Buffer => zipOf([{ name: 'xray', data: xray }]);

describe.skipIf(found === null || withoutCore(SUITE))(SUITE, () => {
  let server: ReleaseServer;
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let web: WebSession;

  beforeAll(async () => {
    const real = coreBinary() ?? '';
    [server, targets] = await Promise.all([startReleaseServer(), startTargets()]);
    server.release('core', `v${NEW}`, coreAssets(archiveOf(coreAs(real, NEW))));
    server.release('core', `v${BROKEN}`, coreAssets(archiveOf('#!/bin/sh\nexit 1\n')));
    // It runs a real core, and exits shortly after the core has responded.
    const dying = `${real} "$@" & sleep 1.5; kill -9 $!; exit 1`;
    server.release('core', `v${DYING}`, coreAssets(archiveOf(fakeCore(DYING, dying))));
    const dataDir = mkdtempSync(join(tmpdir(), 'portolan-kit-data-'));
    chmodSync(dataDir, 0o700);
    putCore(dataDir, OLD, coreAs(real, OLD));
    panel = await startPanel({ dataDir, coreBin: '', env: server.env });
    admin = await panel.admin();
    await until('the core has started', () => recorded(panel.dataDir, 'CoreStarted').length > 0);
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
    await Promise.all([server?.stop(), targets?.stop()]);
  });

  const dialog = () => web.page.getByRole('dialog');
  const button = (name: string) => web.page.getByRole('button', { name, exact: true });
  const versions = () => web.page.getByRole('region', { name: 'Versions' });
  const confirm = async (version: string): Promise<void> => {
    const question = web.page.getByRole('dialog', { name: `Install v${version}` });
    await question.getByText('which ends all connections').waitFor();
    await question.getByRole('button', { name: 'Install' }).click();
    await question.waitFor({ state: 'hidden' });
  };
  const install = async (version: string): Promise<void> => {
    await web.open('core', 'Core');
    await web.page.getByLabel('Version to install').selectOption(`v${version}`);
    await button('Install').click();
    await confirm(version);
  };
  /** Makes a version the present one, if an earlier test has not. */
  const on = async (version: string): Promise<void> => {
    const { core } = await must(admin.get<{ core: { version: string } }>('/panel/api/server/status'));
    if (core.version !== version) await must(admin.post(`/panel/api/server/installCore/${version}`));
  };

  it('says why a release cannot be used, and keeps the present one', async () => {
    const head = headOf(panel.dataDir);
    const answer = web.page.waitForResponse((response) => response.url().includes('/installCore/'));
    await install(BROKEN);
    await answer;
    // The answer and the notification have the same reason: the page shows it once.
    await web.page.getByRole('alert').filter({ hasText: 'The core could not be installed' }).waitFor();
    await expect.poll(async () => button('Install').isEnabled()).toBe(true);
    expect(await web.page.getByRole('alert').filter({ hasText: 'reports no version' }).count()).toBe(1);
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['CoreInstallFailed']);
    await versions().getByText(OLD, { exact: true }).waitFor();
    await web.closeToasts();
  });

  it('are installed on trial, and gone back from with one click', async () => {
    await on(OLD);
    let head = headOf(panel.dataDir);
    await install(NEW);
    await versions().getByText(NEW, { exact: true }).waitFor();
    await versions().getByText('On trial until').waitFor();
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['CoreVersionInstalled', 'CoreRestartRequested']);
    expect(recorded(panel.dataDir, 'CoreVersionInstalled', head)[0]?.data).toMatchObject({
      ...{ version: NEW, previousVersion: OLD },
    });
    expect(recorded(panel.dataDir, 'CoreStarted', head)[0]?.data.version).toBe(NEW);

    await web.closeToasts();
    head = headOf(panel.dataDir);
    await button(`Go back to ${OLD}`).click();
    await confirm(OLD);
    await versions().getByText(OLD, { exact: true }).waitFor();
    await button(`Go back to ${NEW}`).waitFor();
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['CoreVersionInstalled', 'CoreRestartRequested']);
    expect(recorded(panel.dataDir, 'CoreStarted', head)[0]?.data.version).toBe(OLD);
    await web.closeToasts();
  });

  it('are rolled back when the core exits during the trial, with the reason', async () => {
    await on(OLD);
    const head = headOf(panel.dataDir);
    await install(DYING);
    await versions().getByText(`Version ${DYING} failed and was rolled back`).waitFor();
    await versions().getByText(OLD, { exact: true }).waitFor();
    await web.page.getByRole('main').getByText('Running', { exact: true }).waitFor();
    expect(recorded(panel.dataDir, 'CoreVersionRolledBack', head).map(({ data }) => data)).toMatchObject([
      { version: DYING, restoredVersion: OLD },
    ]);
    expect(deedsOf(panel.dataDir, head)).toStrictEqual(['CoreVersionInstalled', 'CoreRestartRequested']);
    await until('the former core', () => recorded(panel.dataDir, 'CoreStarted', head).at(-1)?.data.version === OLD);
    expect(await web.overflowOnPhone('core')).toBe(0);
  });

  it('draws the delay of an outbound that the core measures', async () => {
    const observatory = {
      ...{ subjectSelector: ['direct'], probeURL: `${targets.url}/small` },
      ...{ probeInterval: '1s', enableConcurrency: true },
    };
    await storeTemplate(admin, loopbackTemplate({ metrics: {}, observatory }));
    const history = '/panel/api/server/coreObservatoryHistory/direct/30';
    await until('a measurement', async () => (await must(admin.get<unknown[]>(history))).length > 0);
    await web.open('core?tab=outbounds', 'Core');
    const row = web.page.getByRole('listitem').filter({ hasText: 'direct' });
    await row.getByText(/Measured by the core: [\d,]+ ms/).click();
    await dialog().getByRole('figure', { name: 'Delay of direct, last six hours' }).waitFor();
    await dialog().locator('canvas').waitFor();
    await dialog()
      .getByText(/^Delay [\d,]+ ms$/)
      .waitFor();
    await web.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
