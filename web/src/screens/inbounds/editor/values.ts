import { isDate } from '../../../model/calendar';
import { type Json, valueAt } from '../../../model/json';
import { mapOf, textOfMap } from '../../../model/map-text';
import { MASK, maskSetting, type OwnMask } from '../../../model/masks';
import { type Field, fields, isRequired } from '../fields';
import type { Draft } from './draft';

const GB = 1024 ** 3;
/** What an input holds. */
export type Shown = string | number | boolean | readonly string[];

/** The mask that the form has inputs for: the transport decides. */
export const ownMaskOf = ({ protocol }: Draft): OwnMask =>
  protocol.startsWith('hysteria') ? 'salamander' : 'mkcp-legacy';
/** The setting of that mask that a field edits; null for every other field. */
export const settingOfMask = ({ path }: Pick<Field, 'path'>): string | null =>
  path.startsWith(`${MASK}.settings.`) ? path.slice(`${MASK}.settings.`.length) : null;

/** The stored value of a field. */
export function valueOf(draft: Draft, field: Pick<Field, 'path'>): Json | undefined {
  const setting = settingOfMask(field);
  return setting === null ? valueAt(draft, field.path) : maskSetting(draft, ownMaskOf(draft), setting);
}

/** A stored value as its input shows it. */
export function shown({ kind, fallback }: Field, value: Json | undefined): Shown {
  switch (kind) {
    case 'switch':
      return (value ?? fallback ?? false) === true;
    case 'list':
      if (Array.isArray(value)) return value.map(String);
      return value === undefined || value === null || value === '' ? [] : [String(value)];
    case 'number':
    case 'node':
      return typeof value === 'number' || typeof value === 'string' ? value : ((fallback as number | undefined) ?? '');
    case 'gigabytes':
      return typeof value === 'number' && value > 0 ? value / GB : '';
    case 'date':
      // A text is what was typed and is not a date.
      return typeof value === 'number' && value > 0 ? localTime(value) : typeof value === 'string' ? value : '';
    case 'lines':
      return Array.isArray(value) ? value.join('\n') : String(value ?? '');
    case 'map':
      return textOfMap(value);
    default:
      return String(value ?? fallback ?? '');
  }
}

/** What an input holds as a value to store; undefined removes it. An input that shows the stored value changes nothing. */
export function stored(field: Field, input: Shown, before: Json | undefined): Json | undefined {
  if (JSON.stringify(input) === JSON.stringify(shown(field, before))) return before;
  const isTopLevel = !field.path.includes('.');
  switch (field.kind) {
    case 'switch':
      return input === true;
    case 'list':
      return Array.isArray(input) && (input.length > 0 || before !== undefined)
        ? (input as readonly string[])
        : undefined;
    case 'number':
      return input === '' && !isTopLevel ? undefined : Number(input || 0);
    case 'node':
      return Number(input);
    case 'gigabytes':
      return Math.round(Number(input || 0) * GB);
    case 'date':
      if (input === '') return 0;
      return isDate(String(input)) ? new Date(String(input)).getTime() : String(input);
    case 'lines':
      return input === '' ? undefined : String(input).split('\n');
    case 'map':
      return mapOf(String(input), before);
    default:
      return input === '' && !isTopLevel ? undefined : String(input);
  }
}

/** The value of a date field, where the browser is. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The fields of each item of a list, with their whole paths. */
export function itemFields(field: Field, index: number): readonly Field[] {
  return (field.items ?? []).map((inner) => ({ ...inner, path: `${field.path}.${index}.${inner.path}` }));
}

/** Every input that the form shows for a draft, those of items included. */
export function shownFields(draft: Draft): readonly Field[] {
  return fields
    .filter(({ when }) => when?.(draft) ?? true)
    .flatMap((field) => {
      const value = field.kind === 'items' ? valueAt(draft, field.path) : undefined;
      const inner = Array.isArray(value) ? value.map((_, index) => itemFields(field, index)) : [[field]];
      return inner.slice(field.skip ?? 0).flat();
    });
}

/** Required fields that are empty, and dates that are none, by their paths. */
export function missing(draft: Draft, sentence: string): Readonly<Record<string, string>> {
  const isSocket = /^[/@]/.test(draft.listen);
  const empty = shownFields(draft).filter((field) => {
    const { path, kind } = field;
    if (kind === 'date') return typeof valueAt(draft, path) === 'string';
    if (!isRequired(field, draft) || (path === 'port' && isSocket)) return false;
    const value = valueAt(draft, path);
    return value === undefined || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
  });
  return Object.fromEntries(empty.map(({ path }) => [path, sentence]));
}
