import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { Rehearsal } from '../../commands/rehearsal.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import { allMembersOf } from '../../events/client/members.js';
import { groupOf } from '../../events/groups.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { codeOf, type Text } from '../../messages/message.js';
import { changesOf } from '../../projections/audit/changes.js';
import { sentenceOf } from '../../projections/audit/sentences.js';
import { Subjects } from '../../projections/audit/subjects.js';
import { feedEvent } from '../../projections/feed.js';
import type { Preview } from './contract/schemas/preview.js';
import type { Documents } from './documents.js';

interface Reader extends Documents {
  readonly log: LogSearch;
  readonly say: (text: Text) => string;
}
type Previewed = z.input<typeof Preview>;

const MAX_EVENTS = 1000;
/** Clients that are named in each list of effects. */
const MAX_NAMED = 100;
/** Events that are rendered before other work gets a turn: about 5 ms. */
const EVENTS_PER_TURN = 30;

/** What a dry run would append, for people, and who would be cut or come back. */
export async function previewOf(rehearsal: Rehearsal, { log, read, limits, say }: Reader): Promise<Previewed> {
  // A caller with limits must not count the events of others.
  const { position, hash } = limits === null ? log.head() : { position: 0, hash: '' };
  const { disconnected, reconnected } = rehearsal.effects();
  // The positions of what is undone can be counted too.
  const all = rehearsal.events.filter(({ type }) => limits === null || type !== 'CommandUndone');
  const known = withDecided(log, allMembersOf(all));
  const subjects = new Subjects(read, known);
  // The number of a new client counts those of others.
  const numberOf = (client: number): number => (limits === null || read.clients.get(client) ? client : 0);
  const events: Previewed['events'] = [];
  for (const event of all.slice(0, MAX_EVENTS)) {
    const what = sentenceOf(event);
    const subject = subjects.of(event, event);
    const { client, ...data } = feedEvent(event, () => undefined).data;
    events.push({
      ...{ type: event.type, group: groupOf(event.type) },
      subject: subject?.kind === 'client' ? { ...subject, number: numberOf(subject.number) } : subject,
      ...{ what: say(what), whatCode: codeOf(what), changes: [...changesOf(known, event)] },
      data: { ...(typeof client === 'number' ? { client: numberOf(client) } : {}), ...data },
    });
    if (events.length % EVENTS_PER_TURN === 0) await nextTurn();
  }
  const added = new Set<number>(all.flatMap((event) => (event.type === 'ClientAdded' ? [event.data.client] : [])));
  const named = (clients: readonly Client[]) => {
    const seen = clients.filter(({ number }) => added.has(number) || read.clients.get(number) !== undefined);
    const first = seen.slice(0, MAX_NAMED);
    return {
      count: seen.length,
      clients: first.map(({ number, identity }) => ({ number: numberOf(number), email: identity.email })),
    };
  };
  const effects = { disconnected: named(disconnected), reconnected: named(reconnected) };
  return { dryRun: true, events, total: all.length, effects, head: { position, hash } };
}

/** The search for earlier events also finds the events of the dry run: what is added has its name only there. */
function withDecided(log: LogSearch, decided: readonly RecordedEvent[]): Pick<LogSearch, 'earlier'> {
  const byStream = new Map<string, RecordedEvent[]>();
  return {
    *earlier(stream, before, types) {
      if (byStream.size === 0)
        for (const event of decided) byStream.set(event.stream, [...(byStream.get(event.stream) ?? []), event]);
      yield* (byStream.get(stream) ?? [])
        .filter((event) => event.position < before && types.includes(event.type))
        .toReversed();
      yield* log.earlier(stream, before, types);
    },
  };
}
