import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writer } from 'protobufjs/minimal.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGeoFiles } from '../../../src/adapters/releases/geo-files.js';
import { geoFileProblem } from '../../../src/adapters/releases/geo-format.js';
import { createWeb } from '../../../src/adapters/web/web.js';
import { type GeoResult, geoFiles } from '../../../src/commands/ports/releases.js';
import { verbatim } from '../../../src/messages/message.js';
import { render } from '../../../src/messages/render.js';
import { geoipFile, geositeFile } from '../../kit/geo.js';
import { type Asset, type ReleaseServer, sha256, startReleaseServer } from '../../kit/real/servers/release-server.js';

const IP = '/Loyalsoldier/v2ray-rules-dat/releases/latest/download/geoip.dat';
const SITE_IR = '/chocolate4u/Iran-v2ray-rules/releases/latest/download/geosite.dat';
const old = geoipFile('OLD', [1, 1, 1, 0], 24);
const fresh = geoipFile('NEW', [8, 8, 8, 0], 24);

let server: ReleaseServer;
let folder: string;
const reasonIn = (result: GeoResult | undefined): string => render(result?.reason ?? verbatim(''), 'en');
const update = (): Promise<readonly GeoResult[]> =>
  createGeoFiles({ web: createWeb({ allowPrivate: true }), url: server.url, folder }).update(['geoip.dat']);
const content = (): Buffer => readFileSync(join(folder, 'geoip.dat'));

beforeEach(async () => {
  server = await startReleaseServer();
  folder = mkdtempSync(join(tmpdir(), 'portolan-geo-'));
  writeFileSync(join(folder, 'geoip.dat'), old);
  utimesSync(join(folder, 'geoip.dat'), 1000, 1000);
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe('a geo file', () => {
  it('is replaced by a newer one with its modification time, and then left until there is another', async () => {
    const modified = new Date('2026-11-20T10:00:00Z');
    server.put(IP, fresh, modified);
    expect(await update()).toEqual([{ file: 'geoip.dat', outcome: 'updated', sha256: sha256(fresh), reason: null }]);
    expect(content()).toEqual(fresh);
    expect(lstatSync(join(folder, 'geoip.dat')).mtime).toEqual(modified);
    expect(lstatSync(join(folder, 'geoip.dat')).mode & 0o777).toBe(0o600);
    expect((await update())[0]?.outcome).toBe('unchanged');
    expect(readdirSync(folder)).toEqual(['geoip.dat']);
  });

  const cases: [string, RegExp, Asset][] = [
    ['a page', /not a geo file/, '<html>Please log in</html>'],
    ['nothing', /empty/, ''],
    ['a list without entries', /empty/, Buffer.from([0x0a, 0x00])],
    ['half a list', /not a geo file/, fresh.subarray(0, fresh.length - 3)],
    ['a list with a tail', /not a geo file/, Buffer.concat([fresh, Buffer.from([1])])],
    ['an answer of 404', /status 404/, (_request, response) => void response.writeHead(404).end()],
    ['a 304 for nothing', /could not|status/, (_request, response) => void response.writeHead(502).end()],
    [
      'ten gigabytes',
      /larger than/,
      (_request, response) => response.writeHead(200, { 'content-length': 1e10 }).flushHeaders(),
    ],
    [
      'half of what it announced',
      /was lost/,
      (_request, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write(fresh, () => response.destroy());
      },
    ],
  ];
  it.each<[string, RegExp, Asset]>(cases)('stays unchanged when the download is %s', async (_, words, asset) => {
    server.put(IP, asset);
    const [result] = await update();
    expect(result).toMatchObject({ outcome: 'failed', sha256: null });
    expect(reasonIn(result)).toMatch(words);
    expect(content()).toEqual(old);
    expect(readdirSync(folder)).toEqual(['geoip.dat']);
  });

  it.each<[string, (file: string) => void]>([
    ['a link', (file) => symlinkSync('/etc/hostname', file)],
    ['a link to nowhere', (file) => symlinkSync('/nowhere', file)],
    ['a pipe', (file) => void execFileSync('mkfifo', [file])],
  ])('does not replace %s', async (_, plant) => {
    const file = join(folder, 'geoip.dat');
    rmSync(file);
    plant(file);
    const before = lstatSync(file).ino;
    server.put(IP, fresh);
    const [result] = await update();
    expect(result?.outcome).toBe('failed');
    expect(reasonIn(result)).toMatch(/other than a plain file/);
    expect(lstatSync(file).ino).toBe(before);
    expect(server.asked).toEqual([]);
  });

  it('that fails does not prevent the update of others', async () => {
    server.put(IP, '<html>');
    server.put(SITE_IR, geositeFile('IR', 'example.ir'));
    const results = await createGeoFiles({ web: createWeb({ allowPrivate: true }), url: server.url, folder }).update(
      geoFiles,
    );
    expect(results.map(({ file, outcome }) => [file, outcome])).toEqual([
      ['geoip.dat', 'failed'],
      ['geosite.dat', 'failed'],
      ['geoip_IR.dat', 'failed'],
      ['geosite_IR.dat', 'updated'],
      ['geoip_RU.dat', 'failed'],
      ['geosite_RU.dat', 'failed'],
    ]);
    expect(readdirSync(folder).sort()).toEqual(['geoip.dat', 'geosite_IR.dat']);
  });
});

const delimited = (field: number, content: Uint8Array): Uint8Array =>
  Writer.create()
    .uint32(field * 8 + 2)
    .bytes(content)
    .finish();
const entry = (name: Buffer, domain: Buffer): Buffer =>
  Buffer.from(delimited(1, Buffer.concat([delimited(1, name), delimited(2, domain)])));
/** A list of one domain with so many fields besides its text. */
const member = (more: number): Buffer =>
  entry(Buffer.from('A'), Buffer.concat([delimited(2, Buffer.from('a.example')), Buffer.alloc(2 * more, '\u0018\0')]));

describe('the file format', () => {
  it.each([
    ['both kinds of list', Buffer.concat([fresh, old, geositeFile('CN', 'a.cn')]), null],
    ['random bytes', Buffer.from('9f86d081884c7d659a2feaa0c55ad015', 'hex'), /not a geo file/],
    ['a length beyond the end', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), /not a geo file/],
    ['a length without an end', Buffer.alloc(40, 0xff), /not a geo file/],
    ['a zip archive', Buffer.from('PK\u0003\u0004'), /not a geo file/],
    ['a domain with some attributes', member(3), null],
    ['a domain with too much in it', member(16), /not a geo file/],
    ['a name too long for one', entry(Buffer.alloc(1001, 'A'), Buffer.from([0x12, 1, 65])), /not a geo file/],
    ['too many lists', Buffer.concat(Array.from({ length: 50_001 }, () => old)), /not a geo file/],
  ])('is validated: %s', async (_, bytes, problem) => {
    const found = await geoFileProblem(bytes);
    if (problem === null) expect(found).toBeNull();
    else expect(render(found ?? verbatim(''), 'en')).toMatch(problem);
  });

  it('is parsed without blocking the event loop, also within one entry of many small fields', async () => {
    const fields = Buffer.alloc(400_000, Buffer.from([0x18, 0x01]));
    const length = Buffer.from([
      (fields.length & 0x7f) | 0x80,
      ((fields.length >> 7) & 0x7f) | 0x80,
      fields.length >> 14,
    ]);
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    await geoFileProblem(Buffer.concat([Buffer.from([0x0a]), length, fields]));
    over = true;
    expect(turns).toBeGreaterThan(2);
  });
});
