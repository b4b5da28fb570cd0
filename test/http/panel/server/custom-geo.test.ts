import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGeoSourceFiles } from '../../../../src/adapters/geo/geo-sources.js';
import { createWeb } from '../../../../src/adapters/web/web.js';
import { CoreError } from '../../../../src/commands/ports/core.js';
import { GeoSources } from '../../../../src/commands/reactors/geo/geo-sources.js';
import type { CoreConfig } from '../../../../src/lib/core-config.js';
import { message, verbatim } from '../../../../src/messages/message.js';
import { geoipFile, geositeFile } from '../../../kit/geo.js';
import { temporaryFolder } from '../../../kit/log.js';
import { sha256, startReleaseServer } from '../../../kit/real/servers/release-server.js';
import { stubCore } from '../../../kit/stub-core.js';
import { eventually } from '../../../kit/wait.js';
import { startPanel } from '../../kit/panel.js';
import type { FlatServices } from '../../kit/services.js';

const prefix = '/panel/api/custom-geo';
const list = geositeFile('ADS', 'ads.example');
const newer = geositeFile('ADS', 'more.example');

interface Row {
  id: number;
  fileName: string;
}

/** A panel with a real folder and a real server for geo sources, and a stub of the core. */
async function open(settings: Readonly<Record<string, unknown>> = {}, batchMs = 20_000) {
  const server = await startReleaseServer();
  onTestFinished(() => server.stop());
  const folder = temporaryFolder();
  const files = createGeoSourceFiles({ web: createWeb({ allowPrivate: true }), folder });
  /** The aliases of the completed downloads. */
  const fetched: string[] = [];
  const core: { test: (config: CoreConfig) => Promise<void>; tested: string[] } = {
    tested: [],
    test: async (config) => void core.tested.push(JSON.stringify(config.template)),
  };
  // The parts are created before the panel that they need.
  let panel: Awaited<ReturnType<typeof startPanel>> | undefined;
  const geoSources: FlatServices['geoSources'] = new GeoSources(
    {
      files: {
        ...files,
        fetch: async (source, known, signal) => {
          const staged = await files.fetch(source, known, signal);
          fetched.push(source.alias);
          return staged;
        },
      },
      sources: () => panel?.read.records.geoSources() ?? new Map(),
      config: () => ({ template: panel?.read.desired.template() ?? {}, inbounds: new Map() }),
      core: { config: { ...stubCore().config, test: (config) => core.test(config) } },
      warn: () => undefined,
    },
    { batchMs },
  );
  panel = await startPanel({ settings, parts: { geoSources } });
  const browser = await panel.browser().login();
  const sourceBody = (path: string, over: object = {}) => ({
    type: 'geosite',
    alias: 'mine',
    url: `${server.url}${path}`,
    ...over,
  });
  const using = (text: string): void => {
    const template = { routing: { rules: [{ domain: [text], outboundTag: 'direct' }] } };
    panel.given({ type: 'ChangeCoreTemplate', data: { template, outboundTestUrl: 'http://a.example/' } });
  };
  const put = (path: string, bytes: Buffer, day = 1): void =>
    server.put(path, bytes, new Date(Date.UTC(2026, 10, day)));
  const appended = () => panel.appended().map(({ type }) => type);
  return { panel, browser, server, folder, core, fetched, sourceBody, using, put, appended };
}
type Place = Awaited<ReturnType<typeof open>>;

async function add({ browser, sourceBody }: Place, path: string, over: object = {}): Promise<Row> {
  const { json } = await browser.post(`${prefix}/add`, sourceBody(path, over));
  expect(json).toMatchObject({ success: true, msg: 'Add custom geo' });
  return json?.obj as Row;
}

describe('a custom geo source over HTTP', () => {
  it('is added with its file, listed in both dialects, and has a name for rules', async () => {
    const place = await open();
    const { browser, server, folder, panel, put } = place;
    put('/list.dat', list);
    await add(place, '/list.dat', { alias: ' My List ' });
    const [added, got, ...more] = panel.appended();
    expect(added).toMatchObject({
      type: 'GeoSourceAdded',
      data: { source: 1, type: 'geosite', alias: 'my_list', url: `${server.url}/list.dat` },
      meta: { actor: { kind: 'user' } },
    });
    expect(got).toMatchObject({
      type: 'GeoSourceDownloaded',
      data: { source: 1, sha256: sha256(list), bytes: list.length, tags: ['ADS'] },
    });
    expect(got?.meta.causationId).toBe(added?.id);
    expect(more).toEqual([]);
    expect(readFileSync(join(folder, 'geosite_my_list.dat'))).toEqual(list);

    const at = added?.meta.at ?? 0;
    expect((await browser.get(`${prefix}/list`)).json).toStrictEqual({
      success: true,
      msg: '',
      obj: [
        {
          id: 1,
          type: 'geosite',
          alias: 'my_list',
          url: `${server.url}/list.dat`,
          status: 'ok',
          error: '',
          errorCode: null,
          lastDownload: at,
          fileName: 'geosite_my_list.dat',
          tags: ['ADS'],
          size: list.length,
          localPath: join(folder, 'geosite_my_list.dat'),
          lastUpdatedAt: Math.floor(at / 1000),
          lastModified: 'Sun, 01 Nov 2026 00:00:00 GMT',
          createdAt: Math.floor(at / 1000),
          updatedAt: Math.floor(at / 1000),
        },
      ],
    });
    const aliases = (await browser.get(`${prefix}/aliases`)).json?.obj as Record<string, object[]>;
    expect(aliases['geosite']).toContainEqual({
      alias: 'my_list',
      type: 'geosite',
      fileName: 'geosite_my_list.dat',
      extExample: 'ext:geosite_my_list.dat:tag',
      builtIn: false,
      present: true,
      bytes: list.length,
      writtenAt: expect.any(Number),
      checkedAt: at,
      error: '',
      errorCode: null,
    });
    expect([aliases['geosite']?.length, aliases['geoip']?.length]).toEqual([4, 3]);
    expect(aliases['geoip']?.[0]).toStrictEqual({
      alias: 'geoip',
      type: 'geoip',
      fileName: 'geoip.dat',
      extExample: 'geoip:tag',
      builtIn: true,
      present: false,
      bytes: 0,
      writtenAt: 0,
      checkedAt: 0,
      error: '',
      errorCode: null,
    });
    panel.given({
      type: 'RecordGeoFiles',
      data: {
        files: [
          { file: 'geoip.dat', outcome: 'failed', sha256: null, reason: message('core.memberNotObject', { key: 'x' }) },
        ],
        used: false,
      },
    });
    const after = (await browser.get(`${prefix}/aliases`)).json?.obj as typeof aliases;
    expect(after['geoip']?.[0]).toMatchObject({
      checkedAt: expect.any(Number),
      error: '"x" must be an object',
      errorCode: 'core.memberNotObject',
    });
  });

  it('has no null members among the aliases in the dialect of 3x-ui', async () => {
    const place = await open({ apiDialect: '3x-ui' });
    place.put('/list.dat', list);
    await add(place, '/list.dat');
    expect((await place.browser.get(`${prefix}/aliases`)).json?.obj).toMatchObject({
      geosite: [{ alias: 'mine' }],
      geoip: null,
    });
    expect((await place.browser.post(`${prefix}/update-all`)).json?.obj).toMatchObject({
      succeeded: [{ id: 1 }],
      failed: null,
    });
  });

  it.each<[string, object, RegExp]>([
    ['a type of neither', { type: 'x' }, /^Type must be/],
    ['an alias that climbs', { alias: '../x' }, /^Alias may contain only/],
    ['300 characters of alias', { alias: 'x'.repeat(300) }, /^Alias may have/],
    ['the alias of a built-in file', { alias: 'GEOSITE-IR' }, /^This alias is reserved$/],
    ['an address of nothing known', { url: 'https://lists.example.com/' }, /^URL must point/],
    ['no body', { type: undefined, alias: undefined, url: undefined }, /^Type must be/],
    ['numbers', { type: 1, alias: 2, url: 3 }, /^Type must be/],
    ['lists', { type: [], alias: {}, url: [] }, /not valid/],
  ])('with %s is rejected, and nothing is requested or written', async (_, over, why) => {
    const { browser, panel, server, sourceBody, folder } = await open();
    const { status, json } = await browser.post(`${prefix}/add`, sourceBody('/list.dat', over));
    expect([status, json?.success]).toEqual([200, false]);
    expect(json?.msg).toMatch(why);
    expect([panel.appended(), server.asked, readdirSync(folder)]).toEqual([[], [], []]);
  });

  it('is not added if its file is invalid, which is also reported to callers that do not wait', async () => {
    const { browser, panel, server, sourceBody, folder } = await open();
    server.put('/list.dat', '<html>');
    const why = 'the download is not a geo file';
    expect((await browser.post(`${prefix}/add`, sourceBody('/list.dat'))).json).toStrictEqual({
      success: false,
      msg: `Download failed: ${why}`,
      obj: null,
      code: 'GEO_DOWNLOAD_FAILED',
    });
    expect(panel.appended()).toMatchObject([
      { type: 'GeoSourceRejected', data: { source: null, reason: message('geo.notGeoFile') } },
    ]);
    expect(readdirSync(folder)).toEqual([]);
    expect((await browser.get(`${prefix}/list`)).json?.obj).toEqual([]);
  });

  it('is added once for two equal requests at the same time', async () => {
    const { browser, panel, sourceBody, folder, put } = await open();
    put('/a.dat', list);
    put('/b.dat', newer);
    const answers = await Promise.all(
      ['/a.dat', '/b.dat'].map((path, i) =>
        browser.post(`${prefix}/add`, sourceBody(path, { alias: ['x-y', 'x_y'][i] })),
      ),
    );
    expect(answers.filter(({ json }) => json?.success)).toHaveLength(1);
    const [source, ...others] = panel.read.records.geoSources().values();
    expect(others).toEqual([]);
    const file = `geosite_${source?.alias}.dat`;
    expect(readdirSync(folder)).toEqual([file]);
    expect(sha256(readFileSync(join(folder, file)))).toBe(source?.content?.sha256);
  });

  it('moves to another name and URL with its file, and is unchanged if the new file is invalid', async () => {
    const place = await open();
    const { browser, panel, server, sourceBody, folder, put, appended } = place;
    put('/list.dat', list);
    put('/ip.dat', geoipFile('CN', [1, 1, 1, 0], 24));
    const { id } = await add(place, '/list.dat');
    server.put('/bad.dat', 'x');
    const refused = await browser.post(`${prefix}/update/${id}`, sourceBody('/bad.dat', { alias: 'other' }));
    expect(refused.json).toMatchObject({ success: false, msg: 'Download failed: the download is not a geo file' });
    expect(panel.appended()).toMatchObject([{ type: 'GeoSourceRejected', data: { source: id, alias: 'other' } }]);
    expect(readdirSync(folder)).toEqual(['geosite_mine.dat']);

    const answer = await browser.post(`${prefix}/update/${id}`, sourceBody('/ip.dat', { type: 'geoip' }));
    expect(answer.json).toMatchObject({
      success: true,
      msg: 'Update custom geo',
      obj: { id, type: 'geoip', fileName: 'geoip_mine.dat' },
    });
    expect(appended()).toEqual(['GeoSourceUpdated', 'GeoSourceDownloaded']);
    expect(readdirSync(folder)).toEqual(['geoip_mine.dat']);

    await browser.post(`${prefix}/update/${id}`, sourceBody('/ip.dat', { type: 'geoip', alias: 'MINE' }));
    expect(appended()).toEqual(['GeoSourceChecked']);
  });

  it('is downloaded when there is a newer file, once for two requests at the same time', async () => {
    const place = await open();
    const { browser, panel, folder, put, appended, server } = place;
    put('/list.dat', list);
    const { id } = await add(place, '/list.dat');
    const updated = { success: true, msg: 'Geofile “geosite_mine.dat” updated', obj: null, code: 'geo.updated' };
    expect((await browser.post(`${prefix}/download/${id}`)).json).toStrictEqual(updated);
    expect(appended()).toEqual(['GeoSourceChecked']);

    put('/list.dat', newer, 2);
    const mark = panel.log.head().position;
    const answers = await Promise.all([1, 2].map(() => browser.post(`${prefix}/download/${id}`)));
    expect(answers.map(({ json }) => json)).toStrictEqual([updated, updated]);
    const types = panel.log.read(mark, 10).map(({ type }) => type);
    expect(types.filter((type) => type === 'GeoSourceDownloaded')).toHaveLength(1);
    expect(readFileSync(join(folder, 'geosite_mine.dat'))).toEqual(newer);
    expect(readdirSync(folder)).toHaveLength(1);

    server.failing = 503;
    expect((await browser.post(`${prefix}/download/${id}`)).json).toMatchObject({ success: false, obj: null });
    expect(panel.appended()).toMatchObject([{ type: 'GeoSourceFailed', data: { source: id } }]);
    expect(readFileSync(join(folder, 'geosite_mine.dat'))).toEqual(newer);
    const row = { status: 'failed', error: expect.stringMatching(/503/) as string, tags: ['ADS'] };
    expect((await browser.get(`${prefix}/list`)).json?.obj).toMatchObject([row]);

    server.failing = null;
    rmSync(join(folder, 'geosite_mine.dat'));
    await browser.post(`${prefix}/download/${id}`);
    expect(appended()).toEqual(['GeoSourceDownloaded']);
    expect(readFileSync(join(folder, 'geosite_mine.dat'))).toEqual(newer);
  });

  it('has its own result in an update of all, which restarts the core once', async () => {
    const place = await open();
    const { browser, panel, put, server, using } = place;
    for (const [i, name] of ['a', 'b', 'c'].entries()) {
      put(`/${name}.dat`, list, i + 1);
      await add(place, `/${name}.dat`, { alias: name });
    }
    using('ext:geosite_a.dat:ads');
    put('/a.dat', newer, 9);
    put('/b.dat', newer, 9);
    server.put('/c.dat', '<html>', new Date('2026-11-20'));
    const { status, json } = await browser.post(`${prefix}/update-all`);
    expect(status).toBe(200);
    expect(json).toStrictEqual({
      success: false,
      msg: 'One or more custom geo sources failed to update',
      obj: {
        succeeded: [
          { id: 1, alias: 'a', fileName: 'geosite_a.dat' },
          { id: 2, alias: 'b', fileName: 'geosite_b.dat' },
        ],
        failed: [
          {
            ...{ id: 3, alias: 'c', fileName: 'geosite_c.dat' },
            ...{ error: 'the download is not a geo file', errorCode: 'geo.notGeoFile' },
          },
        ],
      },
      code: 'GEO_SOURCES_FAILED',
    });
    expect(panel.appended().map(({ type }) => type)).toEqual([
      'GeoSourceDownloaded',
      'GeoSourceDownloaded',
      'GeoSourceFailed',
      'CoreRestartRequested',
    ]);
    put('/c.dat', newer, 21);
    expect((await browser.post(`${prefix}/update-all`)).json).toMatchObject({
      success: true,
      msg: 'All custom geo sources updated',
      obj: { succeeded: [{ id: 1 }, { id: 2 }, { id: 3 }], failed: [] },
    });
  });

  it('does not wait for a slow one in an update of all', async () => {
    const place = await open({}, 50);
    const { browser, panel, put, server, folder } = place;
    for (const name of ['slow', 'a', 'b', 'c', 'd']) {
      put(`/${name}.dat`, list);
      await add(place, `/${name}.dat`, { alias: name });
      put(`/${name}.dat`, newer, 9);
    }
    let finish = (): void => undefined;
    server.put('/slow.dat', (_request, response) => {
      response.writeHead(200, { 'content-length': newer.length }).write(newer.subarray(0, 1));
      finish = () => void response.end(newer.subarray(1));
    });
    const mark = panel.log.head().position;
    const settled = (): readonly number[] =>
      panel.log.read(mark, 20).flatMap(({ type, data }) => (type === 'GeoSourceDownloaded' ? data.source : []));
    const answer = browser.post(`${prefix}/update-all`);
    await expect.poll(settled).toHaveLength(4);
    expect([...settled()].sort((a, b) => a - b)).toEqual([2, 3, 4, 5]);
    expect(readFileSync(join(folder, 'geosite_d.dat'))).toEqual(newer);
    finish();
    const succeeded = ['slow', 'a', 'b', 'c', 'd'].map((alias) => ({ alias }));
    expect((await answer).json).toMatchObject({ success: true, obj: { succeeded } });
    expect(settled().at(-1)).toBe(1);
    expect(readFileSync(join(folder, 'geosite_slow.dat'))).toEqual(newer);
    expect(readdirSync(folder)).toHaveLength(5);
  });

  it('is included in an update of all if it arrives while the others are being recorded', async () => {
    const place = await open({}, 50);
    const { browser, core, fetched, put, server, using } = place;
    for (const name of ['slow', 'a']) {
      put(`/${name}.dat`, list);
      await add(place, `/${name}.dat`, { alias: name });
      put(`/${name}.dat`, newer, 9);
    }
    using('ext:geosite_a.dat:ads');
    let finish = (): void => undefined;
    server.put('/slow.dat', (_request, response) => {
      response.writeHead(200, { 'content-length': newer.length }).write(newer.subarray(0, 1));
      finish = () => void response.end(newer.subarray(1));
    });
    fetched.length = 0;
    core.test = async () => {
      finish();
      await eventually(() => expect(fetched).toContain('slow'));
    };
    const { json } = await browser.post(`${prefix}/update-all`);
    expect(json).toMatchObject({ success: true, obj: { succeeded: [{ alias: 'slow' }, { alias: 'a' }] } });
  });

  it('is not downloaded while too many others are', async () => {
    const place = await open();
    const { browser, server, panel, sourceBody, put } = place;
    const held: (() => void)[] = [];
    server.put('/held.dat', (_request, response) => void held.push(() => response.end(list)));
    put('/list.dat', list);
    const adding = Array.from({ length: 8 }, (_, i) =>
      browser.post(`${prefix}/add`, sourceBody('/held.dat', { alias: `h${i}` })),
    );
    await expect.poll(() => held.length).toBe(8);
    const { json } = await browser.post(`${prefix}/add`, sourceBody('/list.dat'));
    expect(json).toMatchObject({
      success: false,
      msg: 'Other downloads of geo files are in progress: try again in a few minutes',
    });
    expect(panel.appended()).toEqual([]);
    for (const end of held) end();
    for (const { json: added } of await Promise.all(adding)) expect(added).toMatchObject({ success: true });
    await add(place, '/list.dat');
  });

  it('keeps the file that the core can use', async () => {
    const place = await open();
    const { browser, panel, put, using, core, folder } = place;
    put('/list.dat', list);
    const { id } = await add(place, '/list.dat');
    using('ext:geosite_mine.dat:ads');
    put('/list.dat', newer, 2);
    core.test = async (config) => {
      const named = JSON.stringify(config.template);
      const [staged] = /staged-[\w-]+\.dat/.exec(named) ?? [];
      if (staged === undefined) return;
      expect(readFileSync(join(folder, staged))).toEqual(newer);
      throw new CoreError('invalid', verbatim(`failed to read ${staged}`));
    };
    const why = 'the core rejects its configuration with this file: failed to read geosite_mine.dat';
    expect((await browser.post(`${prefix}/download/${id}`)).json?.msg).toBe(`Download failed: ${why}`);
    expect(panel.appended()).toMatchObject([
      {
        type: 'GeoSourceFailed',
        data: { reason: message('geo.coreRejects', { why: verbatim('failed to read geosite_mine.dat') }) },
      },
    ]);
    expect(readFileSync(join(folder, 'geosite_mine.dat'))).toEqual(list);

    // A configuration that is invalid for another reason does not reject the file.
    core.test = () => Promise.reject(new CoreError('invalid', verbatim('something else')));
    expect((await browser.post(`${prefix}/download/${id}`)).json?.success).toBe(true);
    expect(panel.appended().map(({ type }) => type)).toEqual(['GeoSourceDownloaded', 'CoreRestartRequested']);
    expect(readdirSync(folder)).toEqual(['geosite_mine.dat']);
  });

  it('returns to the old file if the new one cannot be recorded', async () => {
    const place = await open();
    const { browser, panel, put, using, core, folder, appended } = place;
    put('/list.dat', list);
    const { id } = await add(place, '/list.dat');
    using('ext:geosite_mine.dat:ads');
    put('/other.dat', newer);
    // While the core tests the file, an admin deletes the rule, and then the source.
    core.test = async () => {
      panel.given({ type: 'ChangeCoreTemplate', data: { template: {}, outboundTestUrl: 'http://a.example/' } });
      panel.given({ type: 'DeleteGeoSource', data: { source: id } });
    };
    const answer = await browser.post(`${prefix}/update/${id}`, place.sourceBody('/other.dat'));
    expect(answer.json).toMatchObject({ success: false, msg: 'Custom geo source 1 not found' });
    expect(panel.read.records.geoSources().size).toBe(0);
    expect(appended().filter((type) => type.startsWith('Geo'))).toEqual(['GeoSourceDeleted']);
    expect(readFileSync(join(folder, 'geosite_mine.dat'))).toEqual(list);
    expect(readdirSync(folder)).toEqual(['geosite_mine.dat']);
  });

  it('is deleted with its file, unless a rule uses it', async () => {
    const place = await open();
    const { browser, panel, put, using, folder, appended } = place;
    put('/list.dat', list);
    const { id } = await add(place, '/list.dat');
    using('ext:geosite_mine.dat:ads');
    expect((await browser.post(`${prefix}/delete/${id}`)).json).toStrictEqual({
      success: false,
      msg: 'The core uses geosite_mine.dat: routing.rules[0].domain[0]',
      obj: null,
      code: 'GEO_SOURCE_USED',
    });
    expect([panel.appended(), readdirSync(folder)]).toEqual([[], ['geosite_mine.dat']]);
    using('geosite:cn');
    expect((await browser.post(`${prefix}/delete/${id}`)).json).toStrictEqual({
      success: true,
      msg: 'Custom geo file “geosite_mine.dat” deleted',
      code: 'geo.deleted',
      obj: null,
    });
    expect(appended()).toEqual(['GeoSourceDeleted']);
    expect(existsSync(join(folder, 'geosite_mine.dat'))).toBe(false);
  });

  it.each(['update', 'delete', 'download'])('of an unknown id is rejected by %s', async (route) => {
    const { browser, panel, sourceBody } = await open();
    for (const id of ['7', '0', '-1', 'x', '1e3', '99999999999999999999']) {
      const { status, json } = await browser.post(`${prefix}/${route}/${id}`, sourceBody('/list.dat'));
      expect([status, json?.success]).toEqual([200, false]);
    }
    expect(panel.appended()).toEqual([]);
  });

  it('does not overwrite anything but a plain file', async () => {
    const { browser, panel, sourceBody, folder, put } = await open();
    put('/list.dat', list);
    writeFileSync(join(folder, 'secret'), 'secret');
    symlinkSync(join(folder, 'secret'), join(folder, 'geosite_mine.dat'));
    expect((await browser.post(`${prefix}/add`, sourceBody('/list.dat'))).json?.msg).toMatch(/other than a plain file/);
    expect(panel.appended()).toMatchObject([{ type: 'GeoSourceRejected' }]);
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('secret');
  });
});
