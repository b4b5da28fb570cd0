import { GeoKind, geoFileOf } from '../../events/geo/geo.js';
import type { GeoSource } from '../../events/geo/geo-document.js';
import type { CoreConfig } from '../../lib/core-config.js';
import { isObject, type Json, type JsonObject } from '../../lib/json.js';
import { isText, message, type Text } from '../../messages/message.js';
import type { GeoPlace } from '../ports/geo-sources.js';
import { geoFiles } from '../ports/releases.js';
import { type Rejection, reject } from '../rejection.js';

/** A source as a caller writes it. */
export interface GeoRequest {
  readonly type: string;
  readonly alias: string;
  readonly url: string;
}

const MAX_ALIAS_CHARS = 64;
const MAX_URL_CHARS = 2048;
/** Places in a configuration that an error names. */
const MAX_PLACES = 5;

/**
 * Normalizes and checks a source: the alias in lower case, trimmed, with `_` for white space; the URL in the spelling of
 * the URL standard.
 */
export function geoPlaceOf(request: GeoRequest): GeoPlace | Rejection {
  const refused = (why: Text): Rejection => reject('GEO_SOURCE_INVALID', { why });
  const type = GeoKind.safeParse(request.type);
  if (!type.success) return refused(message('geo.typeInvalid'));
  const alias = request.alias.trim().toLowerCase().replaceAll(/\s+/g, '_');
  if (alias === '') return refused(message('geo.aliasMissing'));
  if (!/^[a-z0-9_-]+$/.test(alias)) return refused(message('geo.aliasInvalid'));
  if (alias.length > MAX_ALIAS_CHARS) return refused(message('geo.aliasTooLong', { most: MAX_ALIAS_CHARS }));
  const url = urlOf(request.url.trim());
  return isText(url) ? refused(url) : { type: type.data, alias, url: url.href };
}

function urlOf(text: string): URL | Text {
  if (text === '') return message('geo.urlMissing');
  if (text.length > MAX_URL_CHARS) return message('geo.urlTooLong', { most: MAX_URL_CHARS });
  if (!URL.canParse(text)) return message('geo.urlInvalid');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return message('geo.urlNotHttp');
  if (url.hostname === '') return message('geo.urlHostInvalid');
  if (url.username !== '' || url.password !== '') return message('geo.urlCredentials');
  return url;
}

/** The same for aliases that people would confuse, such as `My-List` and `my_list`. */
function aliasKey(alias: string): string {
  return alias.toLowerCase().replaceAll('-', '_');
}

/** Such as `ir`, because `geoip_ir.dat` and `geoip_IR.dat` are easily confused, and `geoip_ir`, as in 3x-ui. */
const reserved: ReadonlySet<string> = new Set(
  geoFiles.flatMap((file) => {
    const name = aliasKey(file.replace(/\.dat$/, ''));
    return [name, name.replace(/^geo(ip|site)_?/, '')];
  }),
);

/** Why a source cannot be saved, or null. `own`: the source that is changed. */
export function geoPlaceProblem(
  { type, alias, url }: GeoPlace,
  own: GeoSource | undefined,
  sources: Iterable<GeoSource>,
): Rejection | null {
  // An imported source may keep its alias and URL.
  const renamed = own?.alias !== alias || own.type !== type;
  if (renamed && reserved.has(aliasKey(alias)))
    return reject('GEO_SOURCE_INVALID', { why: message('geo.aliasReserved') });
  if (own?.url !== url && !/\.(dat|json)$/i.test(new URL(url).pathname))
    return reject('GEO_SOURCE_INVALID', { why: message('geo.urlNotFile') });
  for (const other of sources) {
    const same = other.type === type && aliasKey(other.alias) === aliasKey(alias);
    if (renamed && same && other.id !== own?.id) return reject('GEO_ALIAS_TAKEN', { file: geoFileOf(other) });
  }
  return null;
}

/** The first few places where a configuration names a list of this file, as JSON paths: `routing.rules[0].domain[1]`. */
export function placesThatUse(config: unknown, file: string): readonly string[] {
  const named = patternFor(file);
  return [...textsIn(config)].flatMap(([path, text]) => (named.test(text) ? [path] : [])).slice(0, MAX_PLACES);
}

/** Whether the core's configuration names a list of this file. */
export function usesFile(config: CoreConfig, file: string): boolean {
  return partsOf(config).some((part) => placesThatUse(part, file).length > 0);
}

/** The names of the lists of this file that the core's configuration uses, in upper case, as the core looks for them. */
export function listsUsed(config: CoreConfig, file: string): ReadonlySet<string> {
  const named = patternFor(file);
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

/** Every text of a value with its path; names of members count as texts. */
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

/** The configuration with another file instead of this one. */
export function withFile({ template, inbounds }: CoreConfig, file: string, other: string): CoreConfig {
  const named = patternFor(file);
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
function patternFor(file: string): RegExp {
  return new RegExp(String.raw`(^|[^\w.-])${file.replaceAll('.', String.raw`\.`)}:`);
}
