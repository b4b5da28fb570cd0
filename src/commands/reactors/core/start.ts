import type { CoreConfig, CoreInbound } from '../../../lib/core-config.js';
import type { Text } from '../../../messages/message.js';
import { type Core, CoreError, type CoreRun, type InboundProblem } from '../../ports/core.js';
import type { CoreSyncParts } from './parts.js';

/** Inbounds that the core refuses. They are excluded so that the others run. */
export interface ExcludedInbounds {
  /** By tag, the one that was tried last at the end. */
  readonly problems: Map<string, InboundProblem>;
  /** Excludes the inbound with this tag, and records the reason. */
  readonly exclude: (tag: string, problem: InboundProblem) => void;
}

export function excludedInbounds({
  recorded,
  dispatch,
}: Pick<CoreSyncParts, 'recorded' | 'dispatch'>): ExcludedInbounds {
  const problems = new Map<string, InboundProblem>();
  return {
    problems,
    exclude: (tag, problem) => {
      problems.delete(tag);
      problems.set(tag, problem);
      const inbound = recorded.inboundOf(tag);
      if (inbound !== undefined) dispatch({ type: 'RecordInboundRejected', data: { inbound, reason: problem.reason } });
    },
  };
}

type StartedCore = Pick<Core, 'process' | 'config'>;

type Started =
  | { readonly ok: true; readonly run: CoreRun }
  | { readonly ok: false; readonly reason: Text; readonly configuration: boolean };

/** After this many inbounds that the core named, the rest is tested in one trial, so that many faulty inbounds take no longer. */
const MAX_NAMED = 2;

/** Starts the core with all inbounds except those that keep it from starting. */
export async function startCore(
  core: StartedCore,
  { template, inbounds }: CoreConfig,
  excluded: ExcludedInbounds,
): Promise<Started> {
  excluded.problems.clear();
  const included = new Map(inbounds);
  for (let tries = 0; ; tries += 1) {
    try {
      return { ok: true, run: await core.process.start({ template, inbounds: included }) };
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      const faulty = await faultyInbounds(core, error, { template, inbounds: included }, tries < MAX_NAMED);
      if (faulty.size === 0) return { ok: false, reason: error.text, configuration: error.kind === 'invalid' };
      for (const [tag, problem] of faulty) {
        included.delete(tag);
        excluded.exclude(tag, problem);
      }
    }
  }
}

/** The inbounds that caused a failed start: the one that the core names, or those that it refuses in a trial. */
async function faultyInbounds(
  core: StartedCore,
  error: CoreError,
  config: CoreConfig,
  trustName: boolean,
): Promise<ReadonlyMap<string, InboundProblem>> {
  const named = new Map<string, InboundProblem>();
  if (error.inbound !== null && config.inbounds.has(error.inbound))
    named.set(error.inbound, { reason: error.text, crashes: false });
  if (error.kind === 'missing' || config.inbounds.size === 0 || (trustName && named.size > 0)) return named;
  const found = await core.process.trialInbounds(config).catch((failure: unknown) => {
    // The core does not start without inbounds either, so no inbound is at fault.
    if (failure instanceof CoreError) return named;
    throw failure;
  });
  return found.size > 0 ? found : named;
}

/** Why a start would fail, tested without touching the running core; null when it would succeed. */
export async function startProblem(
  core: StartedCore,
  { template, inbounds }: CoreConfig,
  excluded: ExcludedInbounds,
): Promise<Text | null> {
  const included = new Map([...inbounds].filter(([tag]) => !excluded.problems.has(tag)));
  try {
    await core.config.test({ template, inbounds: included });
    return null;
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    const named = error.inbound !== null && included.has(error.inbound);
    const canExclude = named || (error.kind === 'invalid' && (await refusesAny(core, included.values())));
    return canExclude ? null : error.text;
  }
}

/** Whether the core refuses at least one of these inbounds on its own. */
async function refusesAny(core: StartedCore, inbounds: Iterable<CoreInbound>): Promise<boolean> {
  for (const inbound of inbounds) {
    const refused = await core.config.testInbound(inbound).then(
      () => false,
      (failure: unknown) => failure instanceof CoreError && failure.kind === 'invalid',
    );
    if (refused) return true;
  }
  return false;
}
