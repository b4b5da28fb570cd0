import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { zipOf } from '../../kit/formats/zip.js';
import { geoipFile } from '../../kit/geo.js';
import { coreBinary, withoutCore } from '../../kit/real/core-process.js';
import { coreAs, fakeCore, putCore } from '../../kit/real/core-versions.js';
import { withoutNats } from '../../kit/real/nats/server.js';
import { must, startPanel } from '../../kit/real/panel-process.js';
import { coreAssets, startReleaseServer } from '../../kit/real/servers/release-server.js';
import { until } from '../../kit/wait.js';
import { headOf, logOf, recorded } from '../support.js';
import { leads, member, newCluster } from './panels.js';

const SUITE = 'installations in a cluster';
const OLD = '26.7.27';
const NEW = '26.7.29';
/** It fails on the machine `two` soon after its start. */
const PARTLY = '26.7.30';
const GEO = '/Loyalsoldier/v2ray-rules-dat/releases/latest/download/geoip.dat';

const archiveOf = (xray: Buffer | string): Buffer => zipOf([{ name: 'xray', data: xray }]);
const exeOf = (dataDir: string): string => {
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'run', 'core.json'), 'utf8')) as { pid: number };
  return readlinkSync(`/proc/${pid}/exe`);
};
/** The versions with which the core of a machine was started after a position. */
const started = (dataDir: string, machine: string, after: number): string[] =>
  logOf(dataDir, after).flatMap((event) =>
    event.type === 'CoreStarted' && event.data.machine === machine ? [event.data.version] : [],
  );

interface Shown {
  readonly name: string;
  readonly missingFiles: readonly { readonly file: string; readonly whyCode: string }[];
}

/** Two members with the old version. Only the first one reaches the releases. */
async function startBoth() {
  const { url, one, two } = await newCluster();
  const real = coreBinary() ?? '';
  const server = await startReleaseServer();
  onTestFinished(() => server.stop());
  server.release('core', `v${NEW}`, coreAssets(archiveOf(coreAs(real, NEW))));
  const partly = fakeCore(PARTLY, `case "$0" in */two/*) sleep 1; exit 1;; esac\nexec ${real} "$@"`);
  server.release('core', `v${PARTLY}`, coreAssets(archiveOf(partly)));
  const old = coreAs(real, OLD);
  const start = async (dataDir: string, name: string, env: Readonly<Record<string, string>>) => {
    putCore(dataDir, OLD, old);
    const panel = await startPanel({ dataDir, coreBin: '', launcher: true, env: { ...member(name, url), ...env } });
    onTestFinished(() => panel.cleanUp());
    return panel;
  };
  const leader = await start(one, 'one', server.env);
  await leads(one, 'one', url);
  await start(two, 'two', {
    PORTOLAN_CORE_RELEASES_URL: 'http://127.0.0.1:1',
    PORTOLAN_GEO_RELEASES_URL: 'http://127.0.0.1:1',
  });
  await until('both cores', () => ['one', 'two'].every((name) => started(one, name, 0).length > 0));
  const admin = await leader.admin();
  const missing = async () =>
    (await must(admin.get<Shown[]>('/panel/api/cluster/members'))).find(({ name }) => name === 'two')?.missingFiles;
  return { admin, one, two, server, missing };
}

describe.skipIf(withoutNats(SUITE) || withoutCore(SUITE))(SUITE, () => {
  it('reach every machine from the leader, and a failure of one machine stays there and is shown', async () => {
    const { admin, one, two, server, missing } = await startBoth();
    const before = headOf(one);
    await must(admin.post(`/panel/api/server/installCore/${NEW}`));
    await until('the new version on the follower', () => started(one, 'two', before).includes(NEW));
    expect(started(one, 'two', before)).toEqual([NEW]);
    expect(exeOf(two)).toBe(join(two, 'core', NEW, 'xray'));
    const [installed] = recorded(one, 'CoreVersionInstalled');
    expect(installed?.data).toMatchObject({ version: NEW, previousVersion: OLD });

    server.put(GEO, geoipFile('ZZ', [127, 0, 0, 0], 8));
    await must(admin.post('/panel/api/server/updateGeofile/geoip.dat'));
    const fileOf = (dataDir: string): string => readFileSync(join(dataDir, 'geo', 'geoip.dat'), 'hex');
    await until('the geo file on the follower', () => {
      try {
        return fileOf(two) === fileOf(one);
      } catch {
        return false;
      }
    });
    expect(await missing()).toEqual([]);

    const last = headOf(one);
    await must(admin.post(`/panel/api/server/installCore/${PARTLY}`));
    await until('the follower returns to the version before', () => started(one, 'two', last).includes(NEW));
    expect(await until('its report', async () => ((await missing()) ?? []).length > 0 && missing())).toMatchObject([
      { file: `core ${PARTLY}`, whyCode: 'cluster.coreFailed' },
    ]);
    expect(exeOf(two)).toBe(join(two, 'core', NEW, 'xray'));
    expect(started(one, 'one', last)).toEqual([PARTLY]);
    expect(recorded(one, 'CoreVersionRolledBack')).toEqual([]);
  });
});
