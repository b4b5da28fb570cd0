import { CoreError, type CoreInbound, type InboundProblem } from '../../../commands/ports/core.js';
import { message } from '../../../messages/message.js';
import { type Conversion, convertAll, type Handler } from '../config/convert-all.js';
import type { CoreApi } from '../control/grpc.js';
import { respondsOnce } from './responds.js';

/** A core for tests, which an inbound may crash. */
export interface TrialCore {
  readonly api: CoreApi;
  end(): Promise<void>;
}

/** `whole`: with one account at most; whether an inbound can listen does not depend on its accounts. */
interface TrialCores extends Conversion {
  /** Starts a core without inbounds. Rejects when it does not start. */
  open(): Promise<TrialCore>;
}

/** How long a core may take to open an inbound, in ms. */
const ADD_TIMEOUT_MS = 15_000;
/** How long it may take to answer afterwards, in ms. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Finds the inbounds that a core refuses: each is added separately to a core that serves no clients. After an inbound
 * that crashes or hangs the core, a new core is started for the rest.
 */
export async function trialInbounds(
  inbounds: readonly CoreInbound[],
  cores: TrialCores,
): Promise<ReadonlyMap<string, InboundProblem>> {
  let core = await cores.open();
  try {
    const converted = await convertAll(inbounds, cores);
    const problems = new Map<string, InboundProblem>();
    for (const [tag, { text }] of converted.problems) problems.set(tag, { reason: text, crashes: false });
    for (const inbound of converted.handlers) {
      const problem = await problemOf(core.api, inbound);
      if (problem === null) continue;
      problems.set(inbound.tag, problem);
      if (!problem.crashes) continue;
      await core.end();
      core = await cores.open();
    }
    return problems;
  } finally {
    await core.end();
  }
}

async function problemOf(api: CoreApi, inbound: Handler): Promise<InboundProblem | null> {
  try {
    await api.call('HandlerService/AddInbound', { inbound }, ADD_TIMEOUT_MS);
    return null;
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    // A core that this inbound crashed must not count against the next one.
    if (error.kind !== 'unreachable' && (await respondsOnce(api, ANSWER_TIMEOUT_MS)))
      return { reason: error.text, crashes: false };
    return { reason: message('core.crashesOnListen'), crashes: true };
  }
}
