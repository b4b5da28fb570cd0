/** All strings in a value, at any depth, without the names of members. */
export function* valuesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* valuesOf(inner);
}
