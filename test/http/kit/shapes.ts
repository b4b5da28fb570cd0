import { z } from 'zod';
import type { Shape } from './specification.js';

/** The part of a JSON schema that the contract uses. */
interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
}

/** Why replies of this schema may differ from the shape; null if they, or one of the variants, match it. */
export function schemaProblem(shape: Shape, root: JsonSchema, schema: JsonSchema = root, at = 'obj'): string | null {
  const { $ref } = schema;
  if ($ref !== undefined) {
    const target = root.$defs?.[$ref.replace('#/$defs/', '')];
    return target ? schemaProblem(shape, root, target, at) : `${at}: ${$ref} leads nowhere`;
  }
  if (shape === 'any') return null;
  if (schema.anyOf) {
    const problems = schema.anyOf.map((variant) => schemaProblem(shape, root, variant, at));
    return problems.includes(null) ? null : problems.join(', or ');
  }
  if (typeof shape === 'string') {
    const type = schema.type === 'integer' ? 'number' : (schema.type ?? typeof schema.enum?.[0]);
    return type === shape ? null : `${at} is ${type}, not ${shape}`;
  }
  if ('list' in shape) {
    if (schema.type !== 'array') return `${at} is ${schema.type}, not a list`;
    return schemaProblem(shape.list, root, schema.items ?? {}, `${at}[]`);
  }
  for (const [name, inner] of Object.entries(shape.members)) {
    const member = schema.properties?.[name];
    if (!member) return `${at} has no ${name}`;
    const problem = schemaProblem(inner, root, member, `${at}.${name}`);
    if (problem) return problem;
  }
  return null;
}

/** Why a value does not match the shape, or null. */
export function valueProblem(shape: Shape, value: unknown, at = 'obj'): string | null {
  if (shape === 'any') return null;
  if (typeof shape === 'string') {
    const isRight = shape === 'object' ? isObject(value) : typeof value === shape;
    return isRight ? null : `${at} is ${JSON.stringify(value)}, not ${shape}`;
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return `${at} is no list`;
    return (
      value.map((item, index) => valueProblem(shape.list, item, `${at}[${index}]`)).find((problem) => problem) ?? null
    );
  }
  if (!isObject(value)) return `${at} is no object`;
  const problems = Object.entries(shape.members).map(([name, inner]) =>
    valueProblem(inner, value[name], `${at}.${name}`),
  );
  return problems.find((problem) => problem) ?? null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
