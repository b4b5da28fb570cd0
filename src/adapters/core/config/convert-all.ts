import { CoreError, type CoreInbound } from '../../../commands/ports/core.js';
import type { JsonObject } from '../../../lib/json.js';
import type { Converted } from '../process/binary.js';

export type Handler = Converted['inbound'][number];

export interface Conversion {
  /** An inbound as the core reads it. Throws `CoreError` 'invalid'. */
  readonly whole: (inbound: CoreInbound) => JsonObject;
  /** Rejects with `CoreError` where the core does not take the configuration. */
  readonly convert: (config: { readonly inbounds: readonly JsonObject[] }) => Promise<Converted>;
}

export interface AllConverted {
  readonly handlers: readonly Handler[];
  /** Those that the core does not take, by tag. */
  readonly flaws: ReadonlyMap<string, CoreError>;
}

/**
 * Inbounds as the API of the core wants them, with one process for all. Where one spoils that, it is found by halves.
 * Rejects with `CoreError` 'missing' where there is no executable.
 */
export async function convertAll(inbounds: readonly CoreInbound[], conversion: Conversion): Promise<AllConverted> {
  const flaws = new Map<string, CoreError>();
  const wholes = new Map<string, JsonObject>();
  for (const inbound of inbounds) {
    try {
      wholes.set(inbound.tag, conversion.whole(inbound));
    } catch (error) {
      flaws.set(inbound.tag, flawOf(error, inbound.tag));
    }
  }
  const handlers = await convertHalves([...wholes], conversion.convert, flaws);
  return { handlers, flaws };
}

async function convertHalves(
  wholes: readonly (readonly [string, JsonObject])[],
  convert: Conversion['convert'],
  flaws: Map<string, CoreError>,
): Promise<readonly Handler[]> {
  const [first] = wholes;
  if (first === undefined) return [];
  try {
    return (await convert({ inbounds: wholes.map(([, whole]) => whole) })).inbound;
  } catch (error) {
    const flaw = flawOf(error, first[0]);
    if (wholes.length === 1) {
      flaws.set(first[0], flaw);
      return [];
    }
    const half = Math.ceil(wholes.length / 2);
    const handlers = await convertHalves(wholes.slice(0, half), convert, flaws);
    return [...handlers, ...(await convertHalves(wholes.slice(half), convert, flaws))];
  }
}

/** The same error, about this inbound. Throws what says nothing about any inbound. */
function flawOf(error: unknown, tag: string): CoreError {
  if (!(error instanceof CoreError) || error.kind === 'missing') throw error;
  return error.inbound === tag ? error : new CoreError(error.kind, error.message, { inbound: tag, cause: error });
}
