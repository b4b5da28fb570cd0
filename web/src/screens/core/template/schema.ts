import { templateOptions } from '../../../api/template-options.generated';
import type { OptionSchema } from '../../../model/options';

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

/** A schema and its alternatives: settings differ by protocol, and the text may not have named it yet. */
const all = (schema: OptionSchema): readonly OptionSchema[] => [schema, ...(schema.anyOf ?? []).flatMap(all)];

/** What the contract says of a place in the template; nothing where it says nothing. The core ignores the case of names. */
const schemasAt = (path: readonly string[]): readonly OptionSchema[] =>
  path.reduce((found, name) => found.flatMap((schema) => inside(schema, name)), all(templateOptions));

function inside({ items, properties = {}, additionalProperties }: OptionSchema, name: string): readonly OptionSchema[] {
  if (name === '*') return items ? all(items) : [];
  const own = Object.keys(properties).find((known) => known.toLowerCase() === name.toLowerCase());
  const found = own === undefined ? additionalProperties : properties[own];
  return found ? all(found) : [];
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** The members that the object at a path may have. */
export const namesAt = (path: readonly string[]): readonly string[] =>
  unique(schemasAt(path).flatMap(({ properties = {} }) => Object.keys(properties)));

/** The usual values of the text at a path. A list may also be written as one text. */
export const valuesAt = (path: readonly string[]): readonly string[] =>
  unique(schemasAt(path).flatMap(({ examples = [], items }) => [...examples, ...(items?.examples ?? [])]));

/** The list in which the text at a path must be the tag of an object; null if the text is no reference. */
export const referenceAt = (path: readonly string[]) => REFERENCES[path.join('.').toLowerCase()] ?? null;
