import { inboundOptions } from '../../../api/inbound-options.generated';
import type { JsonObject } from '../../../model/json';
import { inputAt, type OptionInput, type OptionKind, type OptionSchema, schemaAt } from '../../../model/options';
import type { Draft } from '../editor/draft';
import type { Generator } from '../editor/generators';
import { all, CARRIERS, type Condition, carrierOf, network, protocol } from './conditions';

/** One input of the form. The label and the help are texts under `field.<name>` and `help.<name>`. */
export interface Field extends Omit<OptionInput, 'kind' | 'isRequired'>, Omit<Presentation, 'kind' | 'items'> {
  /** Without a text under `field.<name>`, the name is that of the core and the label in every language. */
  readonly name: string;
  readonly path: string;
  readonly kind: Kind;
  /** For `items`: the inputs of each item, with paths inside it. */
  readonly items?: readonly Field[];
}

/** What the schema does not say: how the input looks, and when it is shown. */
interface Presentation {
  /** Default: the last part of the path. */
  readonly name?: string;
  readonly kind?: Exclude<Kind, OptionKind>;
  /** Fewer options than the schema has. */
  readonly options?: readonly string[];
  /** Also where the schema does not require it, since the schema does not know the other members. */
  readonly isRequired?: boolean | Condition;
  /** Hidden until it is asked for. */
  readonly isSecret?: boolean;
  readonly isWide?: boolean;
  /** In the closed part at the end of its section. */
  readonly isRare?: boolean;
  /** Make a value, or several that belong together. */
  readonly generators?: readonly Generator[];
  readonly when?: Condition;
  /** Fixed once the inbound exists. */
  readonly isNewOnly?: boolean;
  readonly items?: readonly Row[];
  /** For `items`: a new item, and how many items at the start have fields of their own. */
  readonly fresh?: JsonObject;
  readonly skip?: number;
}
type Row = string | readonly [path: string, Presentation];

/** `lines`: a text of several lines, stored as a list of them. */
export type Kind = OptionKind | 'gigabytes' | 'date' | 'lines' | 'node' | 'machine';

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

/** The inputs of a schema's members, in the order of the rows. Paths in the rows are inside `prefix`. */
function fieldsOf(schema: OptionSchema | undefined, prefix: string, rows: readonly Row[]): readonly Field[] {
  return rows.map((row) => {
    const [path, { items, ...look }] = typeof row === 'string' ? [row, {}] : row;
    const input = inputAt(schema, path);
    return {
      name: path.slice(path.lastIndexOf('.') + 1),
      path: `${prefix}${path}`,
      ...input,
      ...(look.options ? { kind: 'select' as const } : {}),
      ...look,
      ...(items ? { items: fieldsOf(schemaAt(schema, path)?.items, '', items), isWide: true } : {}),
    };
  });
}

/** Inputs of the inbound itself, or of an object in it. */
export const members = (path: string, rows: readonly Row[]): readonly Field[] =>
  fieldsOf(schemaAt(inboundOptions.root, path), path === '' ? '' : `${path}.`, rows);
/** Inputs of the settings of a protocol. */
export const settings = (name: string, rows: readonly Row[]): readonly Field[] =>
  only(protocol(name), fieldsOf(inboundOptions.settings[name], 'settings.', rows));

/** Fields that are shown on a condition, besides their own. */
export const only = (condition: Condition, fields: readonly Field[]): readonly Field[] =>
  fields.map((field) => ({ ...field, when: field.when ? all(condition, field.when) : condition }));
export const rare = (fields: readonly Field[]): readonly Field[] => fields.map((field) => ({ ...field, isRare: true }));
export const PROTOCOLS = Object.keys(inboundOptions.settings);
/** Inputs of a transport, under each name that its settings may have. */
export const carrier = (name: string, rows: (path: string) => readonly Field[]): readonly Field[] =>
  (CARRIERS[name] ?? [`${name}Settings`])
    .map((one) => `streamSettings.${one}`)
    .flatMap((path) =>
      only(
        all(network(name), (draft) => carrierOf(draft) === path),
        rows(path),
      ),
    );

/** Whether the field must have a value in this draft. */
export const isRequired = ({ isRequired: needed = false }: Field, draft: Draft): boolean =>
  typeof needed === 'function' ? needed(draft) : needed;
