import { placesIn } from '../../commands/reactors/proof/head-publisher.js';
import type { Proofs } from '../../events/proof/proof-document.js';
import { sinkText } from '../../events/proof/sink-text.js';
import type { Settings } from '../../events/settings/settings.js';
import { timeText } from '../../lib/words.js';
import { message } from '../../messages/message.js';
import { type Finding, good, note } from './finding.js';

/** Whether signed heads are published, and the places that do not accept them. */
export function examineHeads({ last, heads, sinks, others }: Proofs, settings: Settings): readonly Finding[] {
  const what = message('cli.checkHeads');
  const places = placesIn(settings, '');
  const failing = places.flatMap(({ sink }) => {
    const why = sinks.get(sink)?.failing?.why;
    return why ? note(what, message('cli.sinkFails', { sink: sinkText(sink), why })) : [];
  });
  const conflicts = [...others].flatMap(([panel, { conflict }]) =>
    conflict ? note(what, message('notifications.headConflictOf', { panel, position: conflict.head.position })) : [],
  );
  if (failing.length + conflicts.length > 0) return [...failing, ...conflicts];
  if (places.length === 0) return [{ ...good(what, message('cli.headsOff')), note: true }];
  if (last === null) return [note(what, message('cli.proofNoHead'))];
  const known = { position: last.position, at: timeText(last.at), count: heads.length };
  return [good(what, message('cli.proofLast', known))];
}
