import { describe, expect, it } from 'vitest';
import type { GeoOutcome } from '../../../src/commands/geo/geo.js';
import { geoPlaceOf, listsUsed, placesThatUse, usesFile, withFile } from '../../../src/commands/geo/geo-rules.js';
import type { GeoPlace } from '../../../src/commands/ports/geo-sources.js';
import { Rejection } from '../../../src/commands/rejection.js';
import { CoreRestartRequested, CoreStopRequested, CoreTemplateChanged } from '../../../src/events/core.js';
import {
  GeoSourceAdded,
  GeoSourceChecked,
  GeoSourceDeleted,
  GeoSourceDownloaded,
  GeoSourceFailed,
  GeoSourceRejected,
  GeoSourceUpdated,
} from '../../../src/events/geo/geo.js';
import { GeoSourceId } from '../../../src/events/ids.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { inboundAdded } from '../../kit/builders.js';
import { given } from '../../kit/spec.js';

const first = GeoSourceId.parse(1);
const second = GeoSourceId.parse(2);
const place: GeoPlace = { type: 'geosite', alias: 'my-list', url: 'https://lists.example.com/geosite.dat' };
const other: GeoPlace = { type: 'geoip', alias: 'offices', url: 'https://lists.example.com/offices.json?key=1' };
const content = { sha256: 'a'.repeat(64), bytes: 12, lastModified: '', tags: ['ADS'] };
const newer = { ...content, sha256: 'b'.repeat(64) };
const got = (source: GeoSourceId, file = content) => GeoSourceDownloaded({ source, ...file, tags: [...file.tags] });
const added = GeoSourceAdded({ source: first, ...place });
const template = (rule: Readonly<Record<string, string | string[]>>) =>
  CoreTemplateChanged({ template: { routing: { rules: [{}, rule] } }, outboundTestUrl: '', keyVersion: 1 });
const naming = template({ domain: ['a.com', 'ext:geosite_my-list.dat:ads'] });

describe('AddGeoSource', () => {
  const add = (over: Partial<GeoPlace> = {}, used = false) =>
    ({ type: 'AddGeoSource', data: { ...place, ...over, content, used } }) as const;

  it('adds the source with its file, and restarts a core that already uses it', () => {
    given()
      .when(add())
      .then(added, { ...got(first), cause: 0 });
    given()
      .when(add({}, true))
      .then(added, { ...got(first), cause: 0 }, { ...CoreRestartRequested({}), cause: 0 });
    given(CoreStopRequested({}))
      .when(add({}, true))
      .then(added, { ...got(first), cause: 0 });
  });

  it('never reuses a number', () => {
    given(added, GeoSourceDeleted({ source: first }))
      .when(add())
      .then(GeoSourceAdded({ source: second, ...place }), { ...got(second), cause: 0 });
  });

  it.each(['my-list', 'my_list'])('treats %s as a duplicate of an existing alias of the same type', (alias) => {
    given(added).when(add({ alias })).thenRejects('GEO_ALIAS_TAKEN', { file: 'geosite_my-list.dat' });
    given(added)
      .when(add({ alias, type: 'geoip' }))
      .then(GeoSourceAdded({ source: second, ...place, alias, type: 'geoip' }), { ...got(second), cause: 0 });
  });

  it.each(['geoip', 'geosite', 'geoip_ir', 'geoip-ir', 'geosite-ru', 'ir', 'ru'])('reserves the alias %s', (alias) => {
    given()
      .when(add({ alias }))
      .thenRejects('GEO_SOURCE_INVALID', { why: message('geo.aliasReserved') });
  });

  it.each(['https://a.example/list', 'https://a.example/list.txt', 'https://a.example/x.datum', 'https://a.example/'])(
    'rejects the address %s',
    (url) => {
      given()
        .when(add({ url }))
        .thenRejects('GEO_SOURCE_INVALID', { why: message('geo.urlNotFile') });
    },
  );

  it('rejects a source beyond the limit of one hundred', () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      GeoSourceAdded({ source: GeoSourceId.parse(i + 1), ...place, alias: `a${i}` }),
    );
    given(...many)
      .when(add())
      .thenRejects('GEO_SOURCES_FULL', { most: 100 });
  });
});

describe('UpdateGeoSource', () => {
  const update = (over: Partial<GeoPlace> = {}, used = false) =>
    ({ type: 'UpdateGeoSource', data: { source: 1, ...place, ...over, content: newer, used } }) as const;

  it('records the new definition and its file', () => {
    given(added, got(first))
      .when(update({ ...other }, true))
      .then(
        GeoSourceUpdated({ source: first, ...other }),
        { ...got(first, newer), cause: 0 },
        { ...CoreRestartRequested({}), cause: 0 },
      );
  });

  it('keeps the alias and address of an imported source although they could not be added', () => {
    const imported = GeoSourceAdded({ source: first, ...place, alias: 'ir', url: 'https://a.example/list' });
    given(imported)
      .when(update({ alias: 'ir', url: 'https://a.example/new.dat' }))
      .then(GeoSourceUpdated({ source: first, ...place, alias: 'ir', url: 'https://a.example/new.dat' }), {
        ...got(first, newer),
        cause: 0,
      });
    given(imported)
      .when(update({ url: 'https://a.example/list' }))
      .then(GeoSourceUpdated({ source: first, ...place, url: 'https://a.example/list' }), {
        ...got(first, newer),
        cause: 0,
      });
  });

  it('rejects another name while a rule uses the old one, but accepts another address', () => {
    given(added, naming)
      .when(update({ alias: 'b' }))
      .thenRejects('GEO_SOURCE_USED', { file: 'geosite_my-list.dat', places: ['routing.rules[1].domain[1]'] });
    given(added, naming)
      .when(update({ url: other.url }))
      .then(GeoSourceUpdated({ source: first, ...place, url: other.url }), { ...got(first, newer), cause: 0 });
  });

  it('rejects the alias of another source, and an unknown source', () => {
    given(added, GeoSourceAdded({ source: second, ...place, alias: 'b' }))
      .when(update({ alias: 'b' }))
      .thenRejects('GEO_ALIAS_TAKEN', { file: 'geosite_b.dat' });
    given().when(update()).thenRejects('GEO_SOURCE_NOT_FOUND', { source: 1 });
  });
});

describe('DeleteGeoSource', () => {
  const del = { type: 'DeleteGeoSource', data: { source: 1 } } as const;

  it('deletes a source', () => {
    given(added)
      .when(del)
      .then(GeoSourceDeleted({ source: first }));
    given(added, GeoSourceDeleted({ source: first }))
      .when(del)
      .thenRejects('GEO_SOURCE_NOT_FOUND', { source: 1 });
  });

  it.each<[string, Readonly<Record<string, string | string[]>>, string]>([
    ['a rule of domains', { domain: ['ext:geosite_my-list.dat:ads@cn'] }, 'routing.rules[1].domain[0]'],
    ['a rule that is one text', { domain: 'EXT-DOMAIN:geosite_my-list.dat:ads' }, 'routing.rules[1].domain'],
    [
      'the name of a host',
      { 'ext:geosite_my-list.dat:ads': '1.1.1.1' },
      'routing.rules[1].ext:geosite_my-list.dat:ads',
    ],
  ])('is rejected while %s uses the file, and names the place', (_, rule, place) => {
    given(added, template(rule))
      .when(del)
      .thenRejects('GEO_SOURCE_USED', { file: 'geosite_my-list.dat', places: [place] });
  });

  it('is rejected while an inbound uses the file', () => {
    const config = {
      settings: {},
      streamSettings: {},
      sniffing: { domainsExcluded: ['ext:geosite_my-list.dat:ads'] },
      allocate: {},
    };
    given(added, inboundAdded({ config }))
      .when(del)
      .thenRejects('GEO_SOURCE_USED', {
        file: 'geosite_my-list.dat',
        places: ['inbounds.in-1.sniffing.domainsExcluded[0]'],
      });
  });

  it.each([['ext:geoip_my-list.dat:ads'], ['ext:x.geosite_my-list.dat:ads'], ['ext:geosite_my-list.dats:ads']])(
    'is not allowed for %s',
    (text) => {
      given(added, template({ domain: [text] }))
        .when(del)
        .then(GeoSourceDeleted({ source: first }));
    },
  );
});

describe('RecordGeoOutcomes', () => {
  const outcomes: readonly GeoOutcome[] = [
    { source: 1, outcome: 'updated', content: newer },
    { source: 2, outcome: 'failed', reason: verbatim('x could not be reached') },
    { source: 3, outcome: 'unchanged' },
    { source: 9, outcome: 'unchanged' },
  ];
  const third = GeoSourceId.parse(3);
  const all = [
    added,
    GeoSourceAdded({ source: second, ...other }),
    GeoSourceAdded({ source: third, ...place, alias: 'c' }),
  ];
  const events = [
    got(first, newer),
    GeoSourceFailed({ source: second, reason: verbatim('x could not be reached') }),
    GeoSourceChecked({ source: third }),
  ];

  it('records one event for each source that still exists, and at most one restart', () => {
    given(...all)
      .when({ type: 'RecordGeoOutcomes', data: { outcomes, used: false } })
      .then(...events);
    given(...all)
      .when({ type: 'RecordGeoOutcomes', data: { outcomes, used: true } })
      .then(...events, { ...CoreRestartRequested({}), cause: 0 });
    given()
      .when({ type: 'RecordGeoOutcomes', data: { outcomes, used: true } })
      .thenNothing();
  });
});

describe('RecordGeoRejection', () => {
  it.each([null, first])('records the rejected source (%s)', (source) => {
    given(added)
      .when({ type: 'RecordGeoRejection', data: { ...other, source, reason: verbatim('what came is no geo file') } })
      .then(GeoSourceRejected({ source, ...other, reason: verbatim('what came is no geo file') }));
  });
});

describe('the definition of a source', () => {
  const definition = (over: object) => geoPlaceOf({ ...place, ...over });

  it.each([
    ['  My List ', 'my_list'],
    ['MY-LIST', 'my-list'],
    ['a\t\n b', 'a_b'],
    ['x'.repeat(64), 'x'.repeat(64)],
  ])('with the alias %j is normalized to %s', (alias, normal) => {
    expect(definition({ alias })).toStrictEqual({ ...place, alias: normal });
  });

  it('has its address normalized by the URL standard', () => {
    expect(definition({ url: ' HTTPS://Lists.EXAMPLE.com:443/a b.dat ' })).toMatchObject({
      url: 'https://lists.example.com/a%20b.dat',
    });
  });

  it.each<[string, object, RegExp]>([
    ['a type of neither', { type: 'geo' }, /^Type must be geosite or geoip$/],
    ['a type in upper case', { type: 'GEOIP' }, /^Type/],
    ['no alias', { alias: ' ' }, /^Alias is required$/],
    ['a path', { alias: '../x' }, /^Alias may contain only/],
    ['a name of a file', { alias: 'x.dat' }, /^Alias may contain only/],
    ['a zero byte', { alias: 'x\0' }, /^Alias may contain only/],
    ['letters of others', { alias: 'сайты' }, /^Alias may contain only/],
    ['turned text', { alias: 'a\u202eb' }, /^Alias may contain only/],
    ['300 characters', { alias: 'x'.repeat(300) }, /^Alias may have at most 64/],
    ['no address', { url: '' }, /^URL is required$/],
    ['half an address', { url: 'lists.example.com/x.dat' }, /^URL is invalid$/],
    ['another scheme', { url: 'file:///etc/passwd.dat' }, /^URL must use http or https$/],
    ['a user name', { url: 'https://a:b@lists.example.com/x.dat' }, /^URL must not contain/],
    ['3000 characters', { url: `https://lists.example.com/${'x'.repeat(3000)}.dat` }, /^URL may have at most 2,048/],
  ])('with %s is rejected', (_, over, why) => {
    const refusal = definition(over);
    expect(refusal).toBeInstanceOf(Rejection);
    expect((refusal as Rejection).message).toMatch(why);
  });
});

describe('the core configuration', () => {
  const inbound = (text: string) => ({
    tag: 'a',
    config: { sniffing: { x: [text] } },
    users: new Map(),
    hotUsers: true,
  });
  const config = (text: string, more = 'none') => ({
    template: { dns: { hosts: { [text]: '1.1.1.1' } }, log: null, routing: { n: 1, on: true } },
    inbounds: new Map([['a', inbound(more)]]),
  });

  it('uses a file in the template or in an inbound', () => {
    expect(usesFile(config('ext:geoip_a.dat:x'), 'geoip_a.dat')).toBe(true);
    expect(usesFile(config('x', '!ext:geoip_a.dat:x'), 'geoip_a.dat')).toBe(true);
    expect(usesFile(config('ext:geoip_a.dat', 'geoip_a'), 'geoip_a.dat')).toBe(false);
  });

  it('is unchanged except for the replaced file name', () => {
    expect(withFile(config('ext:geoip_a.dat:x', 'ext:geoip_a.dat:!y'), 'geoip_a.dat', 'staged-1.dat')).toStrictEqual(
      config('ext:staged-1.dat:x', 'ext:staged-1.dat:!y'),
    );
    expect(withFile(config('ext:geoip_ab.dat:x'), 'geoip_a.dat', 'b.dat')).toStrictEqual(config('ext:geoip_ab.dat:x'));
  });

  it('returns the lists that it uses of a file', () => {
    const lists = listsUsed(config('ext:geoip_a.dat:x@attr', 'ext-ip:geoip_a.dat:!y'), 'geoip_a.dat');
    expect([...lists]).toStrictEqual(['X', 'Y']);
    expect(listsUsed(config('geoip:x'), 'geoip_a.dat').size).toBe(0);
  });

  it('returns only the first places that use a file', () => {
    expect(placesThatUse(Array(9).fill('ext:geoip_a.dat:x'), 'geoip_a.dat')).toHaveLength(5);
    expect(placesThatUse(undefined, 'geoip_a.dat')).toEqual([]);
  });
});

describe('the schedule of geo updates', () => {
  const change = (geoUpdateSchedule: string) =>
    ({ type: 'ChangeSettings', data: { changes: { geoUpdateSchedule } } }) as const;

  it('can be set and cleared', () => {
    given().when(change('')).thenNothing();
    given()
      .when(change('30 4 * * 1'))
      .then(SettingsChanged({ changes: { geoUpdateSchedule: '30 4 * * 1' } }));
    given(SettingsChanged({ changes: { geoUpdateSchedule: '@daily' } }))
      .when(change(''))
      .then(SettingsChanged({ changes: { geoUpdateSchedule: '' } }));
  });

  it.each(['weekly', '0 0 31 2 *', '@every 0s', '* * *'])('cannot be %s', (text) => {
    given().when(change(text)).thenRejects('SETTING_INVALID');
  });
});
