import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGeoSourceFiles } from '../../../../src/adapters/geo/geo-sources.js';
import { createWeb } from '../../../../src/adapters/web/web.js';
import { asSystem } from '../../../../src/commands/bus.js';
import type { AnyCommand } from '../../../../src/commands/catalog.js';
import { GeoKeeping } from '../../../../src/commands/reactors/geo/geo-keeping.js';
import { GeoSources } from '../../../../src/commands/reactors/geo/geo-sources.js';
import { GeoSourceAdded } from '../../../../src/events/geo/geo.js';
import { GeoSourceId } from '../../../../src/events/ids.js';
import { geositeFile } from '../../../kit/geo.js';
import { sha256, startReleaseServer } from '../../../kit/real/servers/release-server.js';
import { eventually } from '../../../kit/wait.js';
import { Place } from '../kit.js';

const list = geositeFile('ADS', 'ads.example');
const newer = geositeFile('ADS', 'more.example');
const content = { sha256: sha256(list), bytes: list.length, lastModified: '', tags: ['ADS'] };
const using = (text: string): AnyCommand => ({
  type: 'ChangeCoreTemplate',
  data: {
    template: { routing: { rules: [{ domain: [text], outboundTag: 'direct' }] } },
    outboundTestUrl: 'http://a.example/',
  },
});

/** A panel with one source, whose list is on a real server, and the keeping of its files. */
async function start(...more: readonly AnyCommand[]) {
  const server = await startReleaseServer();
  onTestFinished(() => server.stop());
  server.put('/list.dat', list);
  const place = await new Place().open();
  const { panel } = place;
  onTestFinished(() => place.close(false).catch(() => undefined));
  const source = { type: 'geosite', alias: 'mine', url: `${server.url}/list.dat` } as const;
  place.must({ type: 'AddGeoSource', data: { ...source, content, used: false } }, ...more);
  const folder = panel.directory.geo;
  const file = join(folder, 'geosite_mine.dat');
  writeFileSync(file, list);

  const warn = (message: string): void => void place.warnings.push(message);
  const files = createGeoSourceFiles({ web: createWeb({ allowPrivate: true }), folder });
  const sources = () => panel.read.records.geoSources();
  const config = () => ({ template: panel.read.desired.template(), inbounds: new Map() });
  const asked: string[][] = [];
  const geoSources = new GeoSources({ files, sources, config, core: place.core, warn });
  const keeping = new GeoKeeping({
    geoSources,
    files,
    sources,
    config,
    builtIn: async (names) => {
      asked.push([...names]);
      for (const name of names) writeFileSync(join(folder, name), list);
    },
    settings: () => panel.read.settings.current(),
    changed$: panel.read.changed$,
    dispatch: (command) => panel.dispatch(command, asSystem('geo')),
    now: place.clock.now,
    warn,
  });
  onTestFinished(() => keeping.stop());
  const mark = panel.log.head().position;
  const outcomes = () =>
    panel.log
      .read(mark, 100)
      .map(({ type }) => type)
      .filter((type) => /^(GeoSource|CoreRestart)/.test(type));
  return { place, server, file, folder, keeping, outcomes, asked };
}

describe('the maintenance of geo files', () => {
  it('does nothing when all files are present', async () => {
    const { keeping, server, outcomes } = await start();
    await keeping.repair();
    expect([server.asked, outcomes()]).toEqual([[], []]);
  });

  it('downloads a missing file and restarts a core that uses it', async () => {
    const { keeping, file, outcomes, place } = await start(using('ext:geosite_mine.dat:ads'));
    rmSync(file);
    await keeping.repair();
    expect(readFileSync(file)).toEqual(list);
    expect(outcomes()).toEqual(['GeoSourceDownloaded', 'CoreRestartRequested']);
    expect(place.events('GeoSourceDownloaded').at(-1)?.meta.actor).toMatchObject({ kind: 'system', name: 'geo' });
  });

  it('downloads a file again that differs from the recorded one', async () => {
    const { keeping, file, outcomes, place } = await start();
    writeFileSync(file, newer);
    await keeping.repair();
    expect(readFileSync(file)).toEqual(list);
    expect(outcomes()).toEqual(['GeoSourceDownloaded']);
    expect(place.warnings.join()).toMatch(/are missing or differ from the log/);
  });

  it('keeps the file when the download fails, and reports that', async () => {
    const { keeping, server, file, outcomes } = await start();
    writeFileSync(file, newer);
    server.failing = 500;
    await keeping.repair();
    expect(readFileSync(file)).toEqual(newer);
    expect(outcomes()).toEqual(['GeoSourceFailed']);
  });

  it('downloads the file of an imported source', async () => {
    const { keeping, file, outcomes, place } = await start();
    keeping.begin();
    rmSync(file);
    const [added] = place.events('GeoSourceAdded');
    if (added?.type !== 'GeoSourceAdded') throw new Error('there is no source');
    // An import appends the event without a command of its own.
    const imported = GeoSourceAdded({ ...added.data, source: GeoSourceId.parse(2), alias: 'mine2' });
    place.panel.log.append([imported], { ...asSystem('import'), at: place.clock.now() });
    await eventually(() => expect(existsSync(file.replace('mine', 'mine2'))).toBe(true));
    await eventually(() => expect(outcomes()).toContain('GeoSourceDownloaded'));
  });

  it('downloads only built-in files that the core needs', async () => {
    const { keeping, asked } = await start(using('ext:geosite_IR.dat:ads'));
    await keeping.repair();
    await keeping.repair();
    expect(asked).toEqual([['geosite_IR.dat']]);
  });

  it('deletes old files, and follows the schedule of the settings, once a minute at most', async () => {
    const { keeping, server, folder, file, outcomes, place } = await start();
    const left = join(folder, 'staged-00000000-0000-4000-8000-000000000000.dat');
    writeFileSync(left, list);
    keeping.prepare();
    expect(existsSync(left)).toBe(false);
    // The panel answers by now, so this may belong to a requested download.
    writeFileSync(left, list);
    keeping.begin();
    expect(existsSync(left)).toBe(true);
    server.put('/list.dat', newer, new Date('2026-11-20'));
    place.must({ type: 'ChangeSettings', data: { changes: { geoUpdateSchedule: '@every 1s' } } });
    await eventually(() => expect(readFileSync(file)).toEqual(newer));
    await eventually(() => expect(outcomes()).toEqual(['GeoSourceDownloaded']));
    const asked = server.asked.length;
    place.clock.advance(60_000);
    await eventually(() => expect(server.asked.length).toBe(asked + 1));
    await eventually(() => expect(outcomes()).toEqual(['GeoSourceDownloaded', 'GeoSourceChecked']));
    place.must({ type: 'ChangeSettings', data: { changes: { geoUpdateSchedule: '' } } });
  });

  it('changes nothing after the panel has stopped', async () => {
    const { keeping, server, file, outcomes } = await start();
    rmSync(file);
    let hang: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (hang = resolve));
    server.put('/list.dat', () => hang());
    const repair = keeping.repair();
    await asked;
    await keeping.stop();
    await repair;
    expect([existsSync(file), outcomes()]).toEqual([false, []]);
  });
});
