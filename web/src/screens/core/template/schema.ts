import { inboundOptions } from '../../../api/inbound-options.generated';
import { outboundOptions } from '../../../api/outbound-options.generated';
import { templateOptions } from '../../../api/template-options.generated';
import { type OptionSchema, schemaAt as optionAt } from '../../../model/options';

/** A list of the template whose objects have tags. */
export type Tagged = 'outbounds' | 'inbounds' | 'routing.balancers';

/** Where the text names something else in it. A selector is the beginning of a tag, and the panel adds inbounds of its own. */
const REFERENCES: Readonly<Record<string, { readonly to: Tagged; readonly mustExist: boolean }>> = {
  'routing.rules.*.outboundtag': { to: 'outbounds', mustExist: true },
  'routing.rules.*.balancertag': { to: 'routing.balancers', mustExist: true },
  'routing.rules.*.inboundtag.*': { to: 'inbounds', mustExist: false },
  'routing.balancers.*.selector.*': { to: 'outbounds', mustExist: false },
  'routing.balancers.*.fallbacktag': { to: 'outbounds', mustExist: true },
  'inbounds.*.streamsettings.sockopt.dialerproxy': { to: 'outbounds', mustExist: true },
  'outbounds.*.streamsettings.sockopt.dialerproxy': { to: 'outbounds', mustExist: true },
  'outbounds.*.proxysettings.tag': { to: 'outbounds', mustExist: true },
  'observatory.subjectselector.*': { to: 'outbounds', mustExist: false },
  'burstobservatory.subjectselector.*': { to: 'outbounds', mustExist: false },
  'geodata.outbound': { to: 'outbounds', mustExist: true },
};

/** One schema for settings that differ by protocol: the text at hand may not have named the protocol yet. */
function union(schemas: readonly OptionSchema[]): OptionSchema {
  const members = schemas.flatMap(({ properties = {} }) => Object.entries(properties));
  const names = [...new Set(members.map(([name]) => name))];
  const of = (name: string): OptionSchema => {
    const all = members.filter(([one]) => one === name).map(([, schema]) => schema);
    const [only] = all;
    if (all.length === 1 && only) return only;
    const items = all.flatMap((schema) => listOf(schema)?.items ?? []);
    const values = [...new Set(all.flatMap(valuesIn))];
    return {
      ...union(all),
      ...(items.length > 0 ? { items: union(items) } : {}),
      ...(values.length > 0 ? { examples: values } : {}),
    };
  };
  return names.length === 0 ? {} : { properties: Object.fromEntries(names.map((name) => [name, of(name)])) };
}

const listOf = (schema: OptionSchema): OptionSchema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find(({ items }) => items);
const valuesIn = (schema: OptionSchema): readonly string[] => schema.enum ?? schema.examples ?? [];

const inbound: OptionSchema = {
  properties: {
    ...optionAt(templateOptions, 'inbounds.0')?.properties,
    settings: union(Object.values(inboundOptions.settings)),
    streamSettings: optionAt(inboundOptions.root, 'streamSettings') ?? {},
  },
};
const outbound: OptionSchema = {
  properties: { ...outboundOptions.root.properties, settings: union(Object.values(outboundOptions.settings)) },
};
const template: OptionSchema = {
  properties: { ...templateOptions.properties, inbounds: { items: inbound }, outbounds: { items: outbound } },
};

/** What the contract says of a place in the template; undefined where it says nothing. The core ignores the case of names. */
function schemaAt(path: readonly string[]): OptionSchema | undefined {
  return path.reduce<OptionSchema | undefined>(inside, template);
}

function inside(schema: OptionSchema | undefined, name: string): OptionSchema | undefined {
  if (!schema) return undefined;
  if (name === '*') return listOf(schema)?.items;
  const all = [schema, ...(schema.anyOf ?? [])];
  for (const { properties = {} } of all) {
    const own = Object.keys(properties).find((known) => known.toLowerCase() === name.toLowerCase());
    if (own !== undefined) return properties[own];
  }
  return all.find(({ additionalProperties }) => additionalProperties)?.additionalProperties;
}

/** The members that the object at a path may have. */
export function namesAt(path: readonly string[]): readonly string[] {
  const found = schemaAt(path);
  return found ? [found, ...(found.anyOf ?? [])].flatMap(({ properties = {} }) => Object.keys(properties)) : [];
}

/** The usual values of the text at a path. */
export function valuesAt(path: readonly string[]): readonly string[] {
  const found = schemaAt(path);
  // A list may also be written as one text.
  return found ? valuesIn(found).concat(valuesIn(listOf(found)?.items ?? {})) : [];
}

/** The list in which the text at a path must be the tag of an object; null if the text is no reference. */
export const referenceAt = (path: readonly string[]) => REFERENCES[path.join('.').toLowerCase()] ?? null;
