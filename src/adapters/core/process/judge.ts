import { CoreError, type CoreFlaw, type CoreInbound } from '../../../commands/ports/core.js';
import { type Conversion, convertAll, type Handler } from '../config/convert-all.js';
import type { CoreApi } from '../control/grpc.js';
import { answersOnce } from './answers.js';

/** A core that may break. */
export interface TrialCore {
  readonly api: CoreApi;
  end(): Promise<void>;
}

/** `whole`: with one account at most, for who listens does not depend on them. */
export interface Court extends Conversion {
  /** A core without inbounds. Rejects where not even that comes up. */
  open(): Promise<TrialCore>;
}

/** How long a core may take to listen at one more place, in ms. */
const PATIENCE_MS = 15_000;
/** How long it may take to say that it still lives, in ms. */
const PULSE_MS = 5_000;

/**
 * Which of these inbounds a core does not take: each is added by itself to a core that serves nobody else. What breaks
 * the core, or holds it, is found too, and the others are tried with the next core.
 */
export async function judge(inbounds: readonly CoreInbound[], court: Court): Promise<ReadonlyMap<string, CoreFlaw>> {
  let core = await court.open();
  try {
    const converted = await convertAll(inbounds, court);
    const flaws = new Map<string, CoreFlaw>();
    for (const [tag, { message }] of converted.flaws) flaws.set(tag, { reason: message, breaks: false });
    for (const inbound of converted.handlers) {
      const flaw = await flawOf(core.api, inbound);
      if (flaw === null) continue;
      flaws.set(inbound.tag, flaw);
      if (!flaw.breaks) continue;
      await core.end();
      core = await court.open();
    }
    return flaws;
  } finally {
    await core.end();
  }
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
