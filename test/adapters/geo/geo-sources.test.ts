import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createGeoSourceFiles } from '../../../src/adapters/geo/geo-sources.js';
import { createWeb } from '../../../src/adapters/web/web.js';
import type { GeoPlace, GeoSourceFiles } from '../../../src/commands/ports/geo-sources.js';
import type { Web } from '../../../src/commands/ports/web.js';
import type { GeoContent } from '../../../src/events/geo/geo-document.js';
import { render } from '../../../src/messages/render.js';
import { geoFile, geoipFile, geositeFile, listOf } from '../../kit/geo.js';
import { temporaryFolder } from '../../kit/log.js';
import { type Asset, type ReleaseServer, sha256, startReleaseServer } from '../../kit/real/servers/release-server.js';
import { startServer } from '../web/kit.js';

const FILE = 'geosite_mine.dat';
const old = geositeFile('OLD', 'old.example');
const fresh = geoFile(geositeFile('ADS', 'a.example'), geositeFile('CN', 'b.example'));
const MODIFIED = 'Fri, 20 Nov 2026 10:00:00 GMT';

let server: ReleaseServer;
let folder: string;
let files: GeoSourceFiles;
const on = (web: Web): GeoSourceFiles => createGeoSourceFiles({ web, folder });
const place = (path: string, over: Partial<GeoPlace> = {}): GeoPlace => ({
  type: 'geosite',
  alias: 'mine',
  url: `${server.url}${path}`,
  ...over,
});
const fetched = (path: string, over: Partial<GeoPlace> = {}, known: GeoContent | null = null) =>
  files.fetch(place(path, over), known, new AbortController().signal);
const failing = async (task: Promise<unknown>): Promise<string> => {
  const error: unknown = await task.then(
    () => expect.fail('it came'),
    (thrown: unknown) => thrown,
  );
  return render(files.reasonOf(error), 'en');
};

beforeEach(async () => {
  server = await startReleaseServer();
  onTestFinished(() => server.stop());
  folder = temporaryFolder();
  files = on(createWeb({ allowPrivate: true }));
});

describe('the file of a geo source', () => {
  it('is downloaded beside the old one with a summary, until it replaces the old one', async () => {
    server.put('/x.dat', fresh, new Date(MODIFIED));
    writeFileSync(join(folder, FILE), old);
    const staged = await fetched('/x.dat');
    expect(staged?.content).toStrictEqual({
      sha256: sha256(fresh),
      bytes: fresh.length,
      lastModified: MODIFIED,
      tags: ['ADS', 'CN'],
    });
    expect(readFileSync(join(folder, staged?.name ?? ''))).toEqual(fresh);
    expect(readFileSync(join(folder, FILE))).toEqual(old);
    const placed = await staged?.place(FILE);
    expect(readFileSync(join(folder, FILE))).toEqual(fresh);
    expect(lstatSync(join(folder, FILE)).mode & 0o777).toBe(0o600);
    await placed?.commit();
    await staged?.discard();
    expect(readdirSync(folder)).toEqual([FILE]);
    expect([await files.has(FILE, sha256(fresh)), await files.has(FILE, sha256(old))]).toEqual([true, false]);
  });

  it.each([true, false])('is restored to its former state (%s) when its replacement is undone', async (there) => {
    server.put('/x.dat', fresh);
    if (there) writeFileSync(join(folder, FILE), old);
    const placed = await (await fetched('/x.dat'))?.place(FILE);
    await placed?.undo();
    expect(readdirSync(folder)).toEqual(there ? [FILE] : []);
    if (there) expect(readFileSync(join(folder, FILE))).toEqual(old);
  });

  it('is downloaded only if it is newer than the known one', async () => {
    server.put('/x.dat', fresh, new Date(MODIFIED));
    const known = { sha256: '', bytes: 0, lastModified: MODIFIED, tags: [] };
    expect(await fetched('/x.dat', {}, known)).toBeNull();
    server.put('/x.dat', fresh, new Date('2026-11-21'));
    expect((await fetched('/x.dat', {}, known))?.content.sha256).toBe(sha256(fresh));
    server.put('/x.dat', (_request, response) => void response.writeHead(304).end());
    expect(await failing(fetched('/x.dat'))).toMatch(/status 304/);
  });

  it('is converted for the core if the download is a rule set, whatever its name', async () => {
    const rules = { version: 1, rules: [{ domain_suffix: ['a.example'] }] };
    server.put('/x.dat', `\uFEFF\n ${JSON.stringify(rules)}`);
    const staged = await fetched('/x.dat', { alias: 'my-list' });
    const written = readFileSync(join(folder, staged?.name ?? ''));
    expect(listOf(written)).toMatchObject({ name: 'MY-LIST', domains: [['domain', 'a.example']] });
    expect(staged?.content).toMatchObject({ tags: ['MY-LIST'], bytes: written.length, sha256: sha256(written) });
  });

  it('may be a list whose first bytes look like text', async () => {
    // A list of 123 bytes begins with a line feed and a brace.
    const list = geositeFile('X'.repeat(100), `${'a'.repeat(7)}.example`);
    expect(list.subarray(0, 2).toString()).toBe('\n{');
    server.put('/x.json', list);
    expect((await fetched('/x.json'))?.content.tags).toEqual(['X'.repeat(100)]);
  });

  it('has at most its first hundred lists reported', async () => {
    server.put('/x.dat', geoFile(...Array.from({ length: 150 }, (_, i) => geositeFile(`L${i}`, 'a.example'))));
    expect((await fetched('/x.dat'))?.content.tags).toHaveLength(100);
  });

  const cases: [string, RegExp, Asset][] = [
    ['a page', /^the download is not a geo file$/, '<html>Please log in</html>'],
    ['nothing', /empty/, ''],
    ['half a list', /not a geo file/, fresh.subarray(0, fresh.length - 3)],
    ['half a rule set', /not a geo file/, '{"version":1,"rules":['],
    ['another JSON', /not a rule set/, '{"message":"Not Found"}'],
    ['a rule set with ports', /cannot express/, '{"rules":[{"domain":["a.example"],"port":[1]}]}'],
    ['a long JSON', /larger than 8 MB/, `{"rules":[${' '.repeat(8 * 1024 * 1024)}]}`],
    ['a list of addresses', /not of type geosite/, geoipFile('CN', [1, 1, 1, 0], 24)],
    ['both kinds of list', /not of type/, geoFile(fresh, geoipFile('CN', [1, 1, 1, 0], 24))],
    ['a list in lower case', /upper-case/, geositeFile('cn', 'a.example')],
    ['an answer of 404', /status 404/, (_request, response) => void response.writeHead(404).end()],
    [
      'ten gigabytes',
      /larger than/,
      (_request, response) => response.writeHead(200, { 'content-length': 1e10 }).flushHeaders(),
    ],
    [
      'half of what was announced',
      /was lost/,
      (_request, response) => {
        response.writeHead(200, { 'content-length': fresh.length * 2 });
        response.write(fresh, () => response.destroy());
      },
    ],
    [
      'a packed body',
      /could not be reached/,
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(fresh),
    ],
  ];
  it.each<[string, RegExp, Asset]>(cases)(
    'is rejected when the download is %s, and leaves no file',
    async (_, why, asset) => {
      server.put('/x.dat', asset);
      writeFileSync(join(folder, FILE), old);
      expect(await failing(fetched('/x.dat'))).toMatch(why);
      expect(readdirSync(folder)).toEqual([FILE]);
      expect(readFileSync(join(folder, FILE))).toEqual(old);
    },
  );

  it('is not waited for when the panel stops', async () => {
    const ending = new AbortController();
    server.put('/x.dat', (_request, response) => {
      response.writeHead(200).write(fresh, () => ending.abort());
    });
    expect(await failing(files.fetch(place('/x.dat'), null, ending.signal))).toMatch(/could not|was lost/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['brings a byte at a time', true],
    ['does not even begin', false],
  ])('is not waited for when the server %s', async (_, begins) => {
    files = createGeoSourceFiles({ web: createWeb({ allowPrivate: true }), folder, idleMs: 100 });
    server.put('/x.dat', (_request, response) => {
      if (!begins) return;
      response.writeHead(200, { 'content-length': fresh.length });
      let at = 0;
      const drip = setInterval(() => response.write(fresh.subarray(at, (at += 1))), 20);
      response.on('close', () => clearInterval(drip));
    });
    expect(await failing(fetched('/x.dat'))).toMatch(/could not be reached/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not downloaded from a private address, also after a redirect', async () => {
    const { url, knocks } = await startServer((_request, response) => response.end(fresh));
    files = on(createWeb({ allowPrivate: false }));
    expect(await files.problem(`${url}/x.dat`)).not.toBeNull();
    expect(await failing(fetched('', { url: `${url}/x.dat` }))).toMatch(/could not be reached/);
    expect(knocks()).toBe(0);

    const inner = createWeb({ allowPrivate: false });
    const trusting: Web = { ...inner, download: (at, to, o) => inner.download(at, to, { ...o, allowPrivate: true }) };
    files = on(trusting);
    const hidden = await startServer((_request, response) => response.end(fresh), '127.0.0.2');
    server.put('/x.dat', (_request, response) => void response.writeHead(302, { location: hidden.url }).end());
    expect(await failing(fetched('/x.dat'))).toMatch(/could not be reached/);
    expect(hidden.knocks()).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (file: string) => void]>([
    ['a link', (file) => symlinkSync('/etc/hostname', file)],
    ['a link to nowhere', (file) => symlinkSync('/nowhere', file)],
    ['a pipe', (file) => void execFileSync('mkfifo', [file])],
  ])('does not replace %s', async (_, plant) => {
    server.put('/x.dat', fresh);
    plant(join(folder, FILE));
    const before = lstatSync(join(folder, FILE)).ino;
    const staged = await fetched('/x.dat');
    expect(await failing(staged?.place(FILE) ?? Promise.resolve())).toMatch(/other than a plain file/);
    await staged?.discard();
    expect(readdirSync(folder)).toEqual([FILE]);
    expect(lstatSync(join(folder, FILE)).ino).toBe(before);
    expect(await files.has(FILE, sha256(fresh))).toBe(false);
  });

  it('leaves no temporary file after a kill, and other files stay', async () => {
    server.put('/x.dat', fresh);
    writeFileSync(join(folder, FILE), old);
    writeFileSync(join(folder, 'staged-list.dat'), old);
    await (await fetched('/x.dat'))?.place(FILE);
    await fetched('/x.dat');
    expect(readdirSync(folder)).toHaveLength(4);
    files.removeTemporaryFiles();
    expect(readdirSync(folder).sort()).toEqual([FILE, 'staged-list.dat']);
    expect(readFileSync(join(folder, FILE))).toEqual(fresh);
  });

  it('is removed, also if it does not exist', () => {
    writeFileSync(join(folder, FILE), old);
    expect(files.exists(FILE)).toBe(true);
    for (let i = 0; i < 2; i += 1) files.remove(FILE);
    expect(files.exists(FILE)).toBe(false);
  });
});
