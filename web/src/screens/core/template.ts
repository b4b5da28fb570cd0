import { isObject, type Json, type JsonObject, valueAt } from '../../model/json';

/** The objects of a list of the template; empty when there is none. */
export function objectsAt(template: JsonObject, path: string): readonly JsonObject[] {
  const value = valueAt(template, path);
  return Array.isArray(value) ? (value as readonly Json[]).filter(isObject) : [];
}

export const textAt = (target: JsonObject, path: string): string => {
  const value = valueAt(target, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export const tagsAt = (template: JsonObject, path: string): readonly string[] =>
  objectsAt(template, path)
    .map((one) => textAt(one, 'tag'))
    .filter((tag) => tag !== '');

/** The list with one element at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const element = list[from];
  if (element === undefined || to < 0 || to >= list.length) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, element);
}

export const pretty = (value: Json): string => JSON.stringify(value, null, 2);

/** Null for anything but a JSON object. */
export function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
