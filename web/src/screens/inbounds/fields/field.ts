import { type JsonObject, valueAt } from '../../../model/json';
import type { Draft } from '../editor/draft';
import type { Generator } from '../editor/generators';

/** One input of the form. The label and the help are texts under `field.<name>` and `help.<name>`. */
export interface Field {
  /** Without a text under `field.<name>`, the name is that of the core and the label in every language. */
  readonly name: string;
  readonly path: string;
  readonly kind: Kind;
  readonly options?: readonly string[];
  /** What an absent value means. */
  readonly fallback?: string | number | boolean;
  readonly isRequired?: boolean;
  /** Hidden until it is asked for. */
  readonly isSecret?: boolean;
  readonly isWide?: boolean;
  /** Make a value, or several that belong together. */
  readonly generators?: readonly Generator[];
  readonly when?: Condition;
  /** Fixed once the inbound exists. */
  readonly isNewOnly?: boolean;
  /** For `items`: the inputs of each item, with paths inside it, and a new item. */
  readonly items?: readonly Field[];
  readonly fresh?: JsonObject;
}

/**
 * `lines`: a text of several lines, stored as a list of them. `map`: names and values, one pair on each line. `items`: a
 * list of objects with inputs of their own.
 */
export type Kind =
  | 'text'
  | 'number'
  | 'select'
  | 'switch'
  | 'list'
  | 'gigabytes'
  | 'date'
  | 'lines'
  | 'map'
  | 'node'
  | 'machine'
  | 'items';

type Condition = (draft: Draft) => boolean;

export const SECTIONS = [
  ...([
    'general',
    'protocol',
    'transport',
    'security',
    'fallbacks',
    'proxies',
    'sniffing',
    'sockopt',
    'limits',
  ] as const),
] as const;
export type Section = (typeof SECTIONS)[number];
/** Closed at first unless they have a value: most inbounds need none of them. */
export const RARE: ReadonlySet<Section> = new Set<Section>(['fallbacks', 'proxies', 'sockopt']);

export type Fields = Readonly<Record<Section, readonly Field[]>>;

type More = Omit<Field, 'name' | 'path' | 'kind'>;
const of =
  (kind: Kind) =>
  (path: string, more: More & { readonly name?: string } = {}): Field => ({
    name: path.slice(path.lastIndexOf('.') + 1),
    path,
    kind,
    ...more,
  });
export const text = of('text');
export const number = of('number');
export const flag = of('switch');
export const list = of('list');
export const lines = of('lines');
export const map = of('map');
export const gigabytes = of('gigabytes');
export const date = of('date');
export const select = (path: string, options: readonly string[], more: More & { readonly name?: string } = {}): Field =>
  of('select')(path, { options, ...more });
export const items = (path: string, inner: readonly Field[], fresh: JsonObject, more: More = {}): Field =>
  of('items')(path, { items: inner, fresh, ...more, isWide: true });
export const node = of('node');
export const machine = of('machine');

/** Fields inside an object. */
export const inside = (path: string, fields: readonly Field[]): readonly Field[] =>
  fields.map((field) => ({ ...field, path: `${path}.${field.path}` }));
/** Fields that are shown on a condition, besides their own. */
export const only = (condition: Condition, fields: readonly Field[]): readonly Field[] =>
  fields.map((field) => ({ ...field, when: field.when ? all(condition, field.when) : condition }));
export const all =
  (...conditions: readonly Condition[]): Condition =>
  (draft) =>
    conditions.every((condition) => condition(draft));

const WITH_STREAM = new Set(['vless', 'vmess', 'trojan', 'shadowsocks']);
/** Names by which the core knows the same protocol or transport. */
const ALIASES: Readonly<Record<string, string>> = {
  ...{ socks: 'mixed', dokodemo: 'tunnel', 'dokodemo-door': 'tunnel', hysteria: 'hysteria2' },
  ...{ raw: 'tcp', websocket: 'ws', mkcp: 'kcp', splithttp: 'xhttp' },
};
const usual = (name: string): string => ALIASES[name] ?? name;

export const protocol =
  (...names: readonly string[]): Condition =>
  (draft) =>
    names.includes(usual(draft.protocol));
export const hasStream: Condition = ({ protocol: name }) => WITH_STREAM.has(name);
export const networkOf = (draft: Draft): string => usual(String(valueAt(draft, 'streamSettings.network') ?? 'tcp'));
export const network =
  (...names: readonly string[]): Condition =>
  (draft) =>
    hasStream(draft) && names.includes(networkOf(draft));
export const security =
  (name: string): Condition =>
  (draft) =>
    valueAt(draft, 'streamSettings.security') === name;
export const has =
  (path: string, ...values: readonly unknown[]): Condition =>
  (draft) =>
    values.includes(valueAt(draft, path));

/** REALITY hides the inbound behind another server's TLS; that needs a transport that looks like it. */
const WITH_REALITY = new Set(['tcp', 'grpc', 'xhttp']);

/** The securities that the transport of this draft may have. */
export function securitiesOf(draft: Draft): readonly string[] {
  if (usual(draft.protocol) === 'hysteria2') return ['tls'];
  return WITH_REALITY.has(networkOf(draft)) ? ['none', 'tls', 'reality'] : ['none', 'tls'];
}
