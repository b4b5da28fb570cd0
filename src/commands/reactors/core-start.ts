import type { InboundId } from '../../events/ids.js';
import type { CoreConfig, CoreInbound } from '../../lib/core-config.js';
import { type Core, CoreError, type CoreRun } from '../ports/core.js';

/** Inbounds that the core does not take: they are left out so that the others run. */
export interface LeftOut {
  readonly tags: Set<string>;
  readonly refuse: (inbound: InboundId, reason: string) => void;
}

export type Started =
  | { readonly ok: true; readonly run: CoreRun }
  | { readonly ok: false; readonly reason: string; readonly configuration: boolean };

/** Starts the core with all inbounds, or with all but those that keep it from starting. */
export async function fullStart(
  core: Core,
  { template, inbounds }: CoreConfig,
  leftOut: LeftOut,
  inboundOf: (tag: string) => InboundId | undefined,
): Promise<Started> {
  leftOut.tags.clear();
  const kept = new Map(inbounds);
  // Each try leaves at least one more inbound out, so there are no more tries than inbounds.
  for (let tries = 0; tries <= inbounds.size; tries += 1) {
    try {
      return { ok: true, run: await core.start({ template, inbounds: kept }) };
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      const culprits = error.kind === 'missing' ? [] : await culpritsOf(core, error, kept);
      if (culprits.length === 0) return { ok: false, reason: error.message, configuration: error.kind === 'invalid' };
      for (const { tag, reason } of culprits) {
        kept.delete(tag);
        leftOut.tags.add(tag);
        const id = inboundOf(tag);
        if (id !== undefined) leftOut.refuse(id, reason);
      }
    }
  }
  return { ok: false, reason: 'the core takes none of the inbounds', configuration: true };
}

/** Why a start would fail as a whole, asked of the core without touching what runs; null when it would go well. */
export async function startFlaw(
  core: Core,
  { template, inbounds }: CoreConfig,
  leftOut: LeftOut,
): Promise<string | null> {
  const kept = new Map([...inbounds].filter(([tag]) => !leftOut.tags.has(tag)));
  try {
    await core.test({ template, inbounds: kept });
    return null;
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    const culprits = error.kind === 'missing' ? [] : await culpritsOf(core, error, kept);
    return culprits.length > 0 ? null : error.message;
  }
}

interface Culprit {
  readonly tag: string;
  readonly reason: string;
}

/** The inbounds behind a failed start: the one that the core names, those on the port it names, or those it refuses one by one. */
async function culpritsOf(
  core: Core,
  error: CoreError,
  inbounds: ReadonlyMap<string, CoreInbound>,
): Promise<readonly Culprit[]> {
  const reason = error.message;
  if (error.inbound !== null && inbounds.has(error.inbound)) return [{ tag: error.inbound, reason }];
  const port = /listen (?:tcp|udp|TCP|UDP)\w* (?:on )?(?:\S*:)?(\d+)\b/.exec(reason)?.[1];
  const there = [...inbounds.values()].filter(({ config }) => config['port'] === Number(port));
  if (there.length > 0) return there.map(({ tag }) => ({ tag, reason }));
  if (error.kind !== 'invalid') return [];
  const refused: Culprit[] = [];
  for (const inbound of inbounds.values()) {
    const why = await core.testInbound(inbound).then(
      () => null,
      (flaw: unknown) => (flaw instanceof CoreError && flaw.kind === 'invalid' ? flaw.message : null),
    );
    if (why !== null) refused.push({ tag: inbound.tag, reason: why });
  }
  return refused;
}
