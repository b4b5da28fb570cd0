import { describe, expect, it } from 'vitest';
import { reject } from '../../../../src/commands/rejection.js';
import { message } from '../../../../src/messages/message.js';
import { startPanel } from '../../kit/panel.js';
import type { FlatServices } from '../../kit/services.js';

const prefix = '/panel/api/server';
const asked: unknown[][] = [];
const parts: Partial<FlatServices> = {
  coreInstall: {
    list: async () => ({ versions: ['v2.0.0', 'v1.0.0'], why: null }),
    installed: () => ({ versions: ['1.0.0'], fixedBy: null }),
    install: async (version) => {
      asked.push(['core', version]);
      return version.replace(/^v/, '');
    },
  },
  panelUpdate: {
    info: async () => ({ currentVersion: '1.0.0', latestVersion: 'v2.0.0', updateAvailable: true }),
    install: async () => '2.0.0',
  },
  geoUpdate: {
    update: async (files) => {
      asked.push(['geo', ...files]);
      return files.map((file) => ({ file, outcome: 'unchanged', sha256: null, reason: null }));
    },
  },
};
const open = async (more: Partial<FlatServices> = {}) => {
  asked.length = 0;
  const panel = await startPanel({ parts: { ...parts, ...more } });
  return { panel, browser: await panel.browser().login() };
};

describe('versions over HTTP', () => {
  it('of the core are listed under both names', async () => {
    const { browser } = await open();
    for (const name of ['getCoreVersion', 'getXrayVersion'])
      expect((await browser.get(`${prefix}/${name}`)).json).toEqual({
        success: true,
        msg: '',
        obj: ['v2.0.0', 'v1.0.0'],
      });
  });

  it('of the core are the installed ones, with a notice, if there is no list', async () => {
    const list = async () => ({ versions: ['v1.0.0'], why: message('network.unreachable', { host: 'x' }) });
    const install = async () => reject('INSTALL_RUNNING');
    const { browser } = await open({
      coreInstall: { list, install, installed: () => ({ versions: [], fixedBy: null }) },
    });
    expect((await browser.get(`${prefix}/getCoreVersion`)).json).toEqual({
      success: true,
      msg: 'The list of releases could not be downloaded; these versions are installed.',
      code: 'releases.onlyInstalledListed',
      obj: ['v1.0.0'],
    });
    expect((await browser.post(`${prefix}/installXray/latest`)).json).toMatchObject({
      success: false,
      msg: 'Another installation is in progress',
    });
  });

  it('are installed with an object as the reply, which clients expect', async () => {
    const { browser } = await open();
    for (const name of ['installCore', 'installXray'])
      expect((await browser.post(`${prefix}/${name}/v2.0.0`)).json).toEqual({
        success: true,
        msg: 'Xray updated successfully',
        code: 'releases.coreUpdated',
        obj: '2.0.0',
      });
    expect(asked).toEqual(Array(2).fill(['core', 'v2.0.0']));
  });

  it('of the core have a trial, after which there is a way back, and the reason of a rollback', async () => {
    const { panel, browser } = await open();
    const state = async () => (await browser.get(`${prefix}/coreVersionState`)).json?.obj;
    const nothing = { installed: ['1.0.0'], fixedBy: '', previous: '', trialUntil: 0, rolledBack: null };
    expect(await state()).toStrictEqual(nothing);
    const sha256 = 'a'.repeat(64);
    panel.given({ type: 'RecordCoreInstalled', data: { version: '2.0.0', previousVersion: '1.0.0', sha256 } });
    expect(await state()).toStrictEqual({ ...nothing, previous: '1.0.0' });
    panel.given({ type: 'RecordCoreStarted', data: { run: 'r', version: '2.0.0', reason: 'start' } });
    const trialUntil = (panel.appended().at(-1)?.meta.at ?? 0) + 30_000;
    expect(await state()).toStrictEqual({ ...nothing, previous: '1.0.0', trialUntil });
    const reason = message('core.memberNotObject', { key: 'x' });
    panel.given({ type: 'RecordCoreRolledBack', data: { version: '2.0.0', restoredVersion: '1.0.0', reason } });
    const at = panel.appended().at(-1)?.meta.at;
    expect(await state()).toStrictEqual({
      ...nothing,
      rolledBack: {
        at,
        version: '2.0.0',
        restored: '1.0.0',
        reason: expect.any(String),
        reasonCode: 'core.memberNotObject',
      },
    });
  });

  it.each(['v1;rm', '%2e%2e%2fx', 'latest%2f..', '1.2', 'v1.2.3%0a', 'v1.2.3-rc1', 'LATEST', '9'.repeat(300)])(
    'cannot be %s',
    async (version) => {
      const { panel, browser } = await open();
      const { status, json } = await browser.post(`${prefix}/installCore/${version}`);
      expect(status === 404 || json?.success === false).toBe(true);
      expect([asked, panel.appended()]).toEqual([[], []]);
    },
  );

  it('of the panel are reported and requested', async () => {
    const { browser } = await open();
    expect((await browser.get(`${prefix}/getPanelUpdateInfo`)).json?.obj).toEqual({
      currentVersion: '1.0.0',
      latestVersion: 'v2.0.0',
      updateAvailable: true,
    });
    expect((await browser.post(`${prefix}/updatePanel`)).json).toMatchObject({ success: true, obj: '2.0.0' });
  });
});

describe('geo files over HTTP', () => {
  it('are all updated without a name, or one by form or by path', async () => {
    const { browser } = await open();
    expect((await browser.post(`${prefix}/updateGeofile`)).json?.obj).toHaveLength(6);
    await browser.post(`${prefix}/updateGeofile`, { fileName: 'geoip_IR.dat' });
    await browser.post(`${prefix}/updateGeofile/geosite_RU.dat`);
    expect(asked.slice(1)).toEqual([
      ['geo', 'geoip_IR.dat'],
      ['geo', 'geosite_RU.dat'],
    ]);
  });

  it.each(['x.dat', '..%2fevents.db', 'geoip.dat%00', 'GEOIP.dat', 'geoip-IR.dat', `${'g'.repeat(200)}.dat`])(
    'of the name %s are rejected',
    async (name) => {
      const { panel, browser } = await open();
      expect((await browser.post(`${prefix}/updateGeofile/${name}`)).json?.success).toBe(false);
      expect([asked, panel.appended()]).toEqual([[], []]);
    },
  );
});
