import {
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCoreVersions } from '../../../src/adapters/releases/core-versions.js';
import { createWeb } from '../../../src/adapters/web/web.js';
import { zipOf } from '../../kit/formats/zip.js';
import {
  type Asset,
  coreAssets,
  type ReleaseServer,
  sha256,
  startReleaseServer,
} from '../../kit/real/servers/release-server.js';

const BINARY = '#!/bin/sh\necho Xray 1.2.3\n';
const sound = zipOf([
  { name: 'LICENSE', data: 'free' },
  { name: 'xray', data: BINARY, deflate: true },
  { name: 'geoip.dat', data: 'x' },
]);

let server: ReleaseServer;
let folder: string;
let clock: number;

beforeEach(async () => {
  server = await startReleaseServer();
  folder = mkdtempSync(join(tmpdir(), 'portolan-versions-'));
  clock = 0;
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const versions = (locate: () => string | null = () => null, allowPrivate = true) =>
  createCoreVersions({
    web: createWeb({ allowPrivate }),
    url: `${server.url}/core/releases`,
    folder,
    fixedBy: null,
    locate,
    now: () => clock,
  });
const failure = (task: Promise<unknown>): Promise<Error> =>
  task.then(
    () => expect.fail('it was taken'),
    (error: Error) => error,
  );

describe('the list of releases', () => {
  it('contains three-part tags, newest first, with previews and without drafts', async () => {
    for (const tag of ['v1.9.0', 'v1.10.0', '1.2.3', 'v2.0', 'nightly', 'v1.2.3-rc1']) server.release('core', tag, {});
    server.release('core', 'v3.0.0', {}, { draft: true });
    server.release('core', 'v4.0.0', {}, { prerelease: true });
    expect(await versions().available()).toEqual(['v4.0.0', 'v1.10.0', 'v1.9.0', '1.2.3']);
  });

  it('is requested once per quarter of an hour, and the former one is used when the server is down', async () => {
    server.release('core', 'v1.0.0', {});
    const some = versions();
    await some.available();
    server.release('core', 'v2.0.0', {});
    expect(await some.available()).toEqual(['v1.0.0']);
    clock += 15 * 60_000;
    server.failing = 500;
    expect(await some.available()).toEqual(['v1.0.0']);
    server.failing = null;
    expect(await some.available()).toEqual(['v2.0.0', 'v1.0.0']);
    expect(server.asked).toHaveLength(3);
  });

  it.each<[string, (server: ReleaseServer) => void]>([
    ['a status', (it) => (it.failing = 403)],
    ['no list', (it) => it.release('core', 'v1.0.0', {}, { tag_name: 7 })],
  ])('that is %s is rejected with a message', async (_, spoil) => {
    spoil(server);
    expect(await failure(versions().available())).toMatchObject({ name: 'ReleaseError' });
  });

  it('is not requested from a private address', async () => {
    const refused = await failure(versions(() => null, false).available());
    expect(refused).toMatchObject({ name: 'ReleaseError', message: '127.0.0.1 could not be reached' });
    expect(server.asked).toEqual([]);
  });
});

describe('a download', () => {
  it('results in one executable file, which is put in place at once', async () => {
    server.release('core', 'v1.2.3', coreAssets(sound));
    const some = versions();
    const staged = await some.stage('1.2.3');
    expect(staged.sha256).toBe(sha256(BINARY));
    expect(lstatSync(staged.binary).mode & 0o777).toBe(0o700);
    expect(some.installed()).toEqual([]);
    await staged.install();
    await staged.discard();
    expect(some.installed()).toEqual(['1.2.3']);
    expect(readdirSync(folder)).toEqual(['1.2.3']);
    expect(readdirSync(join(folder, '1.2.3'))).toEqual(['xray']);
    expect(readFileSync(join(folder, '1.2.3', 'xray'), 'utf8')).toBe(BINARY);
  });

  it('that is already installed needs no server', async () => {
    mkdirSync(join(folder, '1.2.3'));
    writeFileSync(join(folder, '1.2.3', 'xray'), BINARY, { mode: 0o700 });
    server.failing = 500;
    expect((await versions().stage('1.2.3')).sha256).toBe(sha256(BINARY));
    expect(server.asked).toEqual([]);
  });

  const xray = { name: 'xray', data: BINARY };
  const link = constants.S_IFLNK | 0o777;
  const cases: [string, RegExp, Asset, string?][] = [
    ['has another checksum', /does not match its checksum/, sound, `SHA2-256= ${'a'.repeat(64)}\n`],
    ['has no checksum', /has no checksum/, sound, 'MD5= 00\n'],
    ['is a page with status 200', /not a valid zip archive/, '<html>Please log in</html>'],
    ['is empty', /not a valid zip archive/, ''],
    ['is half an archive', /not a valid zip archive/, sound.subarray(0, sound.length / 2)],
    ['holds no executable', /contains no executable/, zipOf([{ name: 'README', data: '' }])],
    ['holds it only in a folder', /contains no executable/, zipOf([{ name: 'bin/xray', data: BINARY }])],
    ['climbs', /not a valid zip archive/, zipOf([{ name: '../xray', data: 'x' }, xray])],
    ['climbs in the middle', /not a valid zip archive/, zipOf([{ name: 'a/../../xray', data: 'x' }, xray])],
    ['names the root', /not a valid zip archive/, zipOf([{ name: '/etc/xray', data: 'x' }, xray])],
    ['climbs with backslashes', /not a valid zip archive/, zipOf([{ name: '..\\xray', data: 'x' }, xray])],
    ['holds a link', /not a plain file/, zipOf([{ name: 'xray', data: '/etc/shadow', mode: link }])],
    ['holds a link beside it', /not a plain file/, zipOf([xray, { name: 'x', data: '/etc', mode: link }])],
    ['holds a pipe', /not a plain file/, zipOf([{ ...xray, mode: constants.S_IFIFO | 0o644 }])],
    ['is encrypted', /encrypted/, zipOf([{ ...xray, deflate: true, encrypted: true }])],
    ['holds it twice', /twice/, zipOf([xray, xray])],
    ['holds too many files', /too many/, zipOf(Array.from({ length: 101 }, (_, i) => ({ name: `${i}`, data: '' })))],
    ['is a bomb', /compressed too much/, zipOf([{ name: 'xray', data: Buffer.alloc(8 << 20), deflate: true }])],
    ['claims to be huge', /too large/, zipOf([{ ...xray, deflate: true, claims: 0xffff_fff0 }])],
    [
      'claims to be small',
      /not a valid zip archive/,
      zipOf([{ name: 'xray', data: Buffer.alloc(9999), deflate: true, claims: 9 }]),
    ],
    ['answers 500', /status 500/, (_request, response) => void response.writeHead(500).end()],
    ['answers 206', /status 206/, (_request, response) => void response.writeHead(206).end(sound)],
    ['answers 304', /status 304/, (_request, response) => void response.writeHead(304).end()],
    [
      'says that it is too large',
      /larger than/,
      (_request, response) => response.writeHead(200, { 'content-length': 300 << 20 }).flushHeaders(),
    ],
    [
      'is cut off',
      /^The connection to 127\.0\.0\.1 was lost$/,
      (_request, response) => {
        response.writeHead(200, { 'content-length': sound.length });
        response.write(sound.subarray(0, 100), () => response.destroy());
      },
    ],
  ];

  it.each<[string, RegExp, Asset, string?]>(cases)(
    'that %s is rejected, and leaves no file',
    async (_, words, archive, sum) => {
      const known = typeof archive === 'function' ? `SHA2-256= ${sha256(sound)}\n` : undefined;
      server.release('core', 'v1.2.3', coreAssets(archive, sum ?? known));
      const refused = await failure(versions().stage('1.2.3'));
      expect(refused).toMatchObject({ name: 'ReleaseError', message: expect.stringMatching(words) as string });
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('without an archive for this machine is rejected', async () => {
    server.release('core', 'v1.2.3', { 'Xray-plan9-mips.zip': sound });
    expect((await failure(versions().stage('1.2.3'))).message).toMatch(/^release v1\.2\.3 has no file Xray-/);
  });
});

describe('the chosen version', () => {
  it('is stored in a file with an installed version, and can be cleared', () => {
    const located: (string | null)[] = ['/new', '/old'];
    const some = versions(() => located.shift() ?? null);
    expect(some.choose('1.2.3')).toBe('/new');
    expect(some.chosen()).toBe('1.2.3');
    expect(some.choose(null)).toBe('/old');
    expect(some.chosen()).toBeNull();
  });

  it.each(['../../etc', '1.2', 'latest', '1.2.3/..', ''])('is none when the file contains %j', (text) => {
    writeFileSync(join(folder, 'current'), text);
    expect(versions().chosen()).toBeNull();
  });

  it('includes a copy of an external executable', async () => {
    const outside = join(folder, 'outside');
    writeFileSync(outside, BINARY, { mode: 0o755 });
    const some = versions(() => outside);
    expect(await some.keep('1.2.3')).toBe('1.2.3');
    expect(readFileSync(join(folder, '1.2.3', 'xray'), 'utf8')).toBe(BINARY);
    expect(await some.keep(null)).toBeNull();
    expect(await some.keep('../x')).toBeNull();
    expect(await versions().keep('1.2.3')).toBeNull();
  });

  it('ignores folders that are not versions, and unfinished installations are removed', () => {
    for (const name of ['.staging-1', '1.2.3', '1.10.0', 'other']) mkdirSync(join(folder, name));
    for (const name of ['1.10.0', 'other', '.staging-1'])
      writeFileSync(join(folder, name, 'xray'), '', { mode: 0o700 });
    const some = versions();
    some.removeUnfinished();
    expect(existsSync(join(folder, '.staging-1'))).toBe(false);
    expect(some.installed()).toEqual(['1.10.0']);
    some.remove('1.10.0');
    expect(some.installed()).toEqual([]);
  });
});
