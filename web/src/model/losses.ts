import type { Json, JsonObject } from './json';

/** What belongs to a protocol or transport. */
export interface Parts {
  readonly settings?: JsonObject;
  readonly streamSettings?: JsonObject;
}

/** Members that a save drops, and the protocol or transport to which they belong. */
export interface Loss {
  readonly of: string;
  readonly members: readonly string[];
}

/**
 * What was put aside, by the protocol or by `protocol/transport`, and is not in `now`: a save drops it. What the form has
 * put in by itself (`startOf`) is no loss.
 */
export function lossesOf(
  now: Parts,
  aside: Readonly<Record<string, Parts>>,
  startOf: (name: string) => Parts,
): readonly Loss[] {
  return Object.entries(aside).flatMap(([name, had]) => {
    const start = startOf(name);
    const members = (['settings', 'streamSettings'] as const).flatMap((part) =>
      absent(had[part], now[part], start[part]),
    );
    return members.length === 0 ? [] : [{ of: name.slice(name.indexOf('/') + 1), members }];
  });
}

const absent = (had: JsonObject = {}, has: JsonObject = {}, start: JsonObject = {}): readonly string[] =>
  Object.keys(had).filter((name) => has[name] === undefined && !isEmpty(had[name]) && !isSame(had[name], start[name]));
const isEmpty = (value: Json | undefined): boolean =>
  ['""', '[]', '{}', 'null', 'false'].includes(JSON.stringify(value));
const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
