import type { PanelEvent } from '../../events/catalog.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import { holdOnClient, holdOnPeriod, type LegalHolds } from '../../events/personal-data/hold-document.js';
import type { RetentionState } from '../retention-state.js';

/** Keys that one command destroys at least, if there are as many. More would delay other work for too long. */
const ERASED_AT_ONCE = 100;

/**
 * Destroys data keys of what was deleted before a time (ms since 1970), unless a legal hold keeps them. To be repeated until
 * nothing is left.
 */
export function eraseDue({ erasable, holds }: RetentionState, before: number): PanelEvent[] {
  const events: PanelEvent[] = [];
  for (const [name, { since, at, keys }] of erasable) {
    if (events.length >= ERASED_AT_ONCE) break;
    if (at > before || isHeld(holds, name, since, at)) continue;
    events.push(...keys.map((key) => DataKeyDestroyed({ key, reason: 'erased' as const })));
  }
  return events;
}

function isHeld(holds: LegalHolds, name: string, since: number, at: number): boolean {
  if (holds.size === 0) return false;
  const client = /^client:(\d+)/.exec(name)?.[1];
  const hold = client === undefined ? holdOnPeriod(holds, since, at) : holdOnClient(holds, Number(client), since, at);
  return hold !== undefined;
}
