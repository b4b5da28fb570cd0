import type { CoreConfig, CoreInbound } from '../../../lib/core-config.js';
import { type Core, CoreError, type CoreRun, type InboundProblem } from '../../ports/core.js';
import type { CoreSyncParts } from './core-parts.js';

/** Inbounds that the core does not take: they are left out so that the others run. */
export interface LeftOut {
  /** By tag; whoever was tried last is last. */
  readonly flaws: Map<string, InboundProblem>;
  /** The inbound under this tag does not run, and why. */
  readonly refuse: (tag: string, flaw: InboundProblem) => void;
}

/** Records each refusal. */
export function leftOutOf({ recorded, dispatch }: Pick<CoreSyncParts, 'recorded' | 'dispatch'>): LeftOut {
  const flaws = new Map<string, InboundProblem>();
  return {
    flaws,
    refuse: (tag, flaw) => {
      flaws.delete(tag);
      flaws.set(tag, flaw);
      const inbound = recorded.inboundOf(tag);
      if (inbound !== undefined) dispatch({ type: 'RecordInboundRefused', data: { inbound, reason: flaw.reason } });
    },
  };
}

type StartedCore = Pick<Core, 'process' | 'config'>;

export type Started =
  | { readonly ok: true; readonly run: CoreRun }
  | { readonly ok: false; readonly reason: string; readonly configuration: boolean };

/** So many are believed to be at fault because the core names them; then all are tried at once, so that many take no longer. */
const NAMED = 2;

/** Starts the core with all inbounds, or with all but those that keep it from starting. */
export async function fullStart(
  core: StartedCore,
  { template, inbounds }: CoreConfig,
  leftOut: LeftOut,
): Promise<Started> {
  leftOut.flaws.clear();
  const kept = new Map(inbounds);
  for (let tries = 0; ; tries += 1) {
    try {
      return { ok: true, run: await core.process.start({ template, inbounds: kept }) };
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      const culprits = await culpritsOf(core, error, { template, inbounds: kept }, tries < NAMED);
      if (culprits.size === 0) return { ok: false, reason: error.message, configuration: error.kind === 'invalid' };
      for (const [tag, flaw] of culprits) {
        kept.delete(tag);
        leftOut.refuse(tag, flaw);
      }
    }
  }
}

/** The inbounds behind a failed start, always of those that it had: the one that the core names, or those that it does not take one by one. */
async function culpritsOf(
  core: StartedCore,
  error: CoreError,
  config: CoreConfig,
  believed: boolean,
): Promise<ReadonlyMap<string, InboundProblem>> {
  const named = new Map<string, InboundProblem>();
  if (error.inbound !== null && config.inbounds.has(error.inbound))
    named.set(error.inbound, { reason: error.message, crashes: false });
  if (error.kind === 'missing' || config.inbounds.size === 0 || (believed && named.size > 0)) return named;
  const found = await core.process.trialInbounds(config).catch((flaw: unknown) => {
    // Without any inbound it does not come up either: it is not for them to mend.
    if (flaw instanceof CoreError) return named;
    throw flaw;
  });
  return found.size > 0 ? found : named;
}

/** Why a start would fail as a whole, asked of the core without touching what runs; null when it would go well. */
export async function startFlaw(
  core: StartedCore,
  { template, inbounds }: CoreConfig,
  leftOut: LeftOut,
): Promise<string | null> {
  const kept = new Map([...inbounds].filter(([tag]) => !leftOut.flaws.has(tag)));
  try {
    await core.config.test({ template, inbounds: kept });
    return null;
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    const named = error.inbound !== null && kept.has(error.inbound);
    const leavesOut = named || (error.kind === 'invalid' && (await refusesOne(core, kept.values())));
    return leavesOut ? null : error.message;
  }
}

/** Whether there is one among them that the core does not take on its own. */
async function refusesOne(core: StartedCore, inbounds: Iterable<CoreInbound>): Promise<boolean> {
  for (const inbound of inbounds) {
    const refused = await core.config.testInbound(inbound).then(
      () => false,
      (flaw: unknown) => flaw instanceof CoreError && flaw.kind === 'invalid',
    );
    if (refused) return true;
  }
  return false;
}
