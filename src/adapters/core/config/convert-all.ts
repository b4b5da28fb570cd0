import { CoreError, type CoreInbound } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import type { Converted } from '../process/binary.js';

export type Handler = Converted['inbound'][number];

export interface Conversion {
  /** An inbound in the core's format. Throws `CoreError` 'invalid'. */
  readonly whole: (inbound: CoreInbound) => JsonObject;
  /** Rejects with `CoreError` when the core refuses the configuration. */
  readonly convert: (config: { readonly inbounds: readonly JsonObject[] }) => Promise<Converted>;
}

interface AllConverted {
  readonly handlers: readonly Handler[];
  /** The inbounds that the core refuses, by tag. */
  readonly problems: ReadonlyMap<string, CoreError>;
}

/**
 * Converts inbounds to the format of the core's API, in one process for all. If the core refuses them, the faulty ones
 * are found by bisection. Rejects with `CoreError` 'missing' when there is no executable.
 */
export async function convertAll(inbounds: readonly CoreInbound[], conversion: Conversion): Promise<AllConverted> {
  const problems = new Map<string, CoreError>();
  const wholes = new Map<string, JsonObject>();
  for (const inbound of inbounds) {
    try {
      wholes.set(inbound.tag, conversion.whole(inbound));
    } catch (error) {
      problems.set(inbound.tag, problemOf(error, inbound.tag));
    }
  }
  const handlers = await convertHalves([...wholes], conversion.convert, problems);
  return { handlers, problems };
}

async function convertHalves(
  wholes: readonly (readonly [string, JsonObject])[],
  convert: Conversion['convert'],
  problems: Map<string, CoreError>,
): Promise<readonly Handler[]> {
  const [first] = wholes;
  if (first === undefined) return [];
  try {
    return (await convert({ inbounds: wholes.map(([, whole]) => whole) })).inbound;
  } catch (error) {
    const problem = problemOf(error, first[0]);
    if (wholes.length === 1) {
      problems.set(first[0], problem);
      return [];
    }
    const half = Math.ceil(wholes.length / 2);
    const handlers = await convertHalves(wholes.slice(0, half), convert, problems);
    return [...handlers, ...(await convertHalves(wholes.slice(half), convert, problems))];
  }
}

/** The same error with the tag of this inbound. Rethrows an error that is not about an inbound. */
function problemOf(error: unknown, tag: string): CoreError {
  if (!(error instanceof CoreError) || error.kind === 'missing') throw error;
  return error.inbound === tag ? error : new CoreError(error.kind, error.text, { inbound: tag, cause: error });
}
