import { CoreError, type CoreFlaw, type CoreInbound } from '../../commands/ports/core.js';
import type { JsonObject } from '../../lib/json.js';
import { answersOnce } from './answers.js';
import type { Converted } from './binary.js';
import type { CoreApi } from './grpc.js';

/** A core that may break. */
export interface TrialCore {
  readonly api: CoreApi;
  end(): Promise<void>;
}

export interface Court {
  /** A core without inbounds. Rejects where not even that comes up. */
  open(): Promise<TrialCore>;
  /** As the core reads it, with one account at most: who listens does not depend on them. Throws `CoreError` 'invalid'. */
  whole(inbound: CoreInbound): JsonObject;
  convert(config: JsonObject): Promise<Converted>;
}

type Handler = Converted['inbound'][number];

/** How long a core may take to listen at one more place, in ms. */
const PATIENCE_MS = 15_000;
/** How long it may take to say that it still lives, in ms. */
const PULSE_MS = 5_000;

/**
 * Which of these inbounds a core does not take: each is added by itself to a core that serves nobody else. What breaks
 * the core, or holds it, is found too, and the others are tried with the next core.
 */
export async function judge(inbounds: readonly CoreInbound[], court: Court): Promise<ReadonlyMap<string, CoreFlaw>> {
  const flaws = new Map<string, CoreFlaw>();
  let core = await court.open();
  try {
    for (const [tag, inbound] of await handlersOf(inbounds, court, flaws)) {
      const flaw = await flawOf(core.api, inbound);
      if (flaw === null) continue;
      flaws.set(tag, flaw);
      if (!flaw.breaks) continue;
      await core.end();
      core = await court.open();
    }
  } finally {
    await core.end();
  }
  return flaws;
}

async function flawOf(api: CoreApi, inbound: Handler): Promise<CoreFlaw | null> {
  try {
    await api.call('HandlerService/AddInbound', { inbound }, PATIENCE_MS);
    return null;
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    // The next inbound must not pay for a core that this one ended.
    if (error.kind !== 'unreachable' && (await answersOnce(api, PULSE_MS)))
      return { reason: error.message, breaks: false };
    return { reason: 'The core breaks down or hangs when it begins to listen there', breaks: true };
  }
}

/** By tag, in their order. One process converts them all; where one spoils that, it is found by halves and is a flaw. */
async function handlersOf(
  inbounds: readonly CoreInbound[],
  court: Court,
  flaws: Map<string, CoreFlaw>,
): Promise<readonly (readonly [string, Handler])[]> {
  const half = Math.ceil(inbounds.length / 2);
  try {
    const { inbound: handlers } = await court.convert({ inbounds: inbounds.map((inbound) => court.whole(inbound)) });
    return handlers.map((handler) => [handler.tag, handler]);
  } catch (error) {
    if (!(error instanceof CoreError) || error.kind !== 'invalid') throw error;
    const [only] = inbounds;
    if (only === undefined) return [];
    if (inbounds.length === 1) {
      flaws.set(only.tag, { reason: error.message, breaks: false });
      return [];
    }
    const first = await handlersOf(inbounds.slice(0, half), court, flaws);
    return [...first, ...(await handlersOf(inbounds.slice(half), court, flaws))];
  }
}
