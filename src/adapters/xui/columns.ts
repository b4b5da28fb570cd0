import { z } from 'zod';

/** How a value of a column is read; SQLite keeps any kind of value in any column. */
export interface Column<T> {
  readonly schema: z.ZodType<T>;
  /** The replacement for an invalid value. */
  readonly rescue: (raw: unknown) => T;
  /** The value of each row when the table has no such column. */
  readonly missing: T;
}

/** The same column with another default for tables that do not have it. */
export function withDefault<T, D>({ schema, rescue }: Column<T>, missing: D): Column<T | D> {
  return { schema, rescue, missing };
}

/** Up plus down must still be a number that JSON carries exactly. */
const MAX_TRAFFIC_BYTES = 2 ** 52 - 1;
/** Characters of a text that is not JSON. */
const MAX_TEXT_CHARS = 65_536;

/** An integer, clamped to a range. An absent value is 0. */
export function integerBetween(min: number, max: number): Column<number> {
  const nearest = (value: bigint): number => (value < BigInt(min) ? min : value > BigInt(max) ? max : Number(value));
  const integer = z.union([
    z.bigint(),
    z.number().transform((real) => BigInt(Math.trunc(real))),
    z
      .string()
      .trim()
      .regex(/^-?\d{1,20}(\.0*)?$/)
      .transform((digits) => BigInt(digits.replace(/\..*/, ''))),
    z.null().transform(() => 0n),
    z.literal('').transform(() => 0n),
  ]);
  return {
    schema: integer.pipe(z.bigint().min(BigInt(min)).max(BigInt(max)).transform(Number)),
    rescue: (raw) => {
      const parsed = integer.safeParse(raw);
      return parsed.success ? nearest(parsed.data) : Math.max(min, 0);
    },
    missing: Math.max(min, 0),
  };
}

/** A count of bytes. */
export const bytes = integerBetween(0, MAX_TRAFFIC_BYTES);
/** Bytes, or a time, that may be below 0 and mean something by it. */
export const signed = integerBetween(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const time = integerBetween(0, Number.MAX_SAFE_INTEGER);
/** A number that names a row. */
export const id = integerBetween(0, Number.MAX_SAFE_INTEGER);

export function text(longest = MAX_TEXT_CHARS): Column<string> {
  return {
    schema: z.union([
      z.string().max(longest),
      z.bigint().transform(String),
      z.number().transform(String),
      z.null().transform(() => ''),
    ]),
    rescue: () => '',
    missing: '',
  };
}

const TRUE: ReadonlySet<string> = new Set(['1', 'true', 't']);
const FALSE: ReadonlySet<string> = new Set(['0', 'false', 'f', '']);
/** A boolean; any other value is false. */
export const flag: Column<boolean> = {
  schema: z
    .union([z.bigint(), z.number(), z.string(), z.null()])
    .transform((value) =>
      String(value ?? '')
        .trim()
        .toLowerCase(),
    )
    .refine((value) => TRUE.has(value) || FALSE.has(value))
    .transform((value) => TRUE.has(value)),
  rescue: () => false,
  missing: false,
};
