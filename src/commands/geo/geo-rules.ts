import { GeoKind, geoFileOf } from '../../events/geo/geo.js';
import type { GeoSource } from '../../events/geo/geo-document.js';
import type { CoreConfig } from '../../lib/core-config.js';
import { isObject, type Json, type JsonObject } from '../../lib/json.js';
import type { GeoPlace } from '../ports/geo-sources.js';
import { geoFiles } from '../ports/releases.js';
import { type Rejection, reject } from '../rejection.js';

/** A source as somebody writes it. */
export interface GeoWish {
  readonly type: string;
  readonly alias: string;
  readonly url: string;
}

const LONGEST_ALIAS = 64;
const LONGEST_URL = 2048;
/** Parts of a configuration that are named when one uses a file. */
const MOST_PLACES = 5;

/**
 * The source that a wish means: the alias without white space around it, in lower case, with `_` for every white space
 * inside; the address as the URL standard spells it. The rules for what has no form.
 */
export function geoPlaceOf(wish: GeoWish): GeoPlace | Rejection {
  const refused = (why: string): Rejection => reject('GEO_SOURCE_INVALID', { why });
  const type = GeoKind.safeParse(wish.type);
  if (!type.success) return refused('Type must be geosite or geoip');
  const alias = wish.alias.trim().toLowerCase().replaceAll(/\s+/g, '_');
  if (alias === '') return refused('Alias is required');
  if (!/^[a-z0-9_-]+$/.test(alias)) return refused('Alias may hold letters a to z, digits, _ and - only');
  if (alias.length > LONGEST_ALIAS) return refused(`Alias may have at most ${LONGEST_ALIAS} characters`);
  const url = urlOf(wish.url.trim());
  return typeof url === 'string' ? refused(url) : { type: type.data, alias, url: url.href };
}

function urlOf(text: string): URL | string {
  if (text === '') return 'URL is required';
  if (text.length > LONGEST_URL) return `URL may have at most ${LONGEST_URL} characters`;
  if (!URL.canParse(text)) return 'URL is invalid';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'URL must use http or https';
  if (url.hostname === '') return 'URL host is invalid';
  if (url.username !== '' || url.password !== '') return 'URL must not hold a user name or password';
  return url;
}

/** Spellings that people take for one: the file of `My-List` is that of `my_list` to them. */
export function aliasKey(alias: string): string {
  return alias.toLowerCase().replaceAll('-', '_');
}

/** `ir`, because `geoip_ir.dat` differs from `geoip_IR.dat` by nothing that a reader sees, and `geoip_ir`, as in 3x-ui. */
const reserved: ReadonlySet<string> = new Set(
  geoFiles.flatMap((file) => {
    const name = aliasKey(file.replace(/\.dat$/, ''));
    return [name, name.replace(/^geo(ip|site)_?/, '')];
  }),
);

/** Why a source cannot be as it is wished, or null. `own` is the one that it shall be instead of. */
export function geoPlaceProblem(
  { type, alias, url }: GeoPlace,
  own: GeoSource | undefined,
  sources: Iterable<GeoSource>,
): Rejection | null {
  // One that was imported may keep what it has.
  const renamed = own?.alias !== alias || own.type !== type;
  if (renamed && reserved.has(aliasKey(alias))) return reject('GEO_SOURCE_INVALID', { why: 'This alias is reserved' });
  if (own?.url !== url && !/\.(dat|json)$/i.test(new URL(url).pathname))
    return reject('GEO_SOURCE_INVALID', { why: 'URL must point to a .dat or .json file' });
  for (const other of sources) {
    const same = other.type === type && aliasKey(other.alias) === aliasKey(alias);
    if (renamed && same && other.id !== own?.id) return reject('GEO_ALIAS_TAKEN', { file: geoFileOf(other) });
  }
  return null;
}

/** Where a configuration names a list of this file, as JSON paths: `routing.rules[0].domain[1]`. The first few. */
export function placesThatUse(config: unknown, file: string): readonly string[] {
  const named = naming(file);
  return [...textsIn(config)].flatMap(([path, text]) => (named.test(text) ? [path] : [])).slice(0, MOST_PLACES);
}

/** The same for what the core shall run. */
export function usesFile(config: CoreConfig, file: string): boolean {
  return partsOf(config).some((part) => placesThatUse(part, file).length > 0);
}

/** The names of the lists of this file that the core shall read, in upper case, as it looks for them. */
export function listsUsed(config: CoreConfig, file: string): ReadonlySet<string> {
  const named = naming(file);
  const lists = partsOf(config).flatMap((part) =>
    [...textsIn(part)].flatMap(([, text]) => (named.test(text) ? [text.slice(text.indexOf(`${file}:`))] : [])),
  );
  return new Set(
    lists.map((text) =>
      text
        .slice(file.length + 1)
        .replace(/^!/, '')
        .replace(/@.*/, '')
        .toUpperCase(),
    ),
  );
}

const partsOf = ({ template, inbounds }: CoreConfig): readonly JsonObject[] => [
  template,
  ...[...inbounds.values()].map(({ config }) => config),
];

/** Every text of a value with its place; names of members are texts as well. */
function* textsIn(value: unknown, path = ''): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsIn(item, `${path}[${index}]`);
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const below = path === '' ? key : `${path}.${key}`;
      yield [below, key];
      yield* textsIn(member, below);
    }
  }
}

/** A configuration that reads another file wherever it named this one. */
export function withFile({ template, inbounds }: CoreConfig, file: string, other: string): CoreConfig {
  const named = naming(file);
  const change = (value: Json): Json => {
    if (typeof value === 'string') return value.replace(named, `$1${other}:`);
    if (Array.isArray(value)) return value.map(change);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value as JsonObject).map(([key, member]) => [change(key), change(member)]),
    );
  };
  return {
    template: change(template) as JsonObject,
    inbounds: new Map(
      [...inbounds].map(([tag, inbound]) => [tag, { ...inbound, config: change(inbound.config) as JsonObject }]),
    ),
  };
}

/** `ext:geosite_x.dat:tag`, and not `ext:my.geosite_x.dat:tag`. */
function naming(file: string): RegExp {
  return new RegExp(String.raw`(^|[^\w.-])${file.replaceAll('.', String.raw`\.`)}:`);
}
