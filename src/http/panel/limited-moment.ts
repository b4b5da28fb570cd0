import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Rejection, reject } from '../../commands/rejection.js';
import { rangeOf } from '../../commands/undo/past-command.js';
import { type Access, accessOf, accessOfToken, NOTHING } from '../../events/access/access-of.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { isoTime } from '../../lib/time/iso-time.js';
import type { Moment, Moments } from '../../projections/moments.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { LimitedView } from './limited-view.js';
import type { Past } from './moment.js';

const POSITION = /^\d{1,15}$/;
const MAX_VALUE = 100;
/** Headers that are read before other work gets a turn. */
const PAGE = 300;

/**
 * The moment that a caller names who sees only a part of the clients: an opaque position that the caller was given, or a time
 * in ISO 8601. The caller sees the clients that were visible to it then and are now, or were when they were deleted. Nothing
 * in the result shows the events of others: its time is the one that was asked for, and a time before the log began is a
 * moment without clients.
 */
export async function limitedMomentOf(
  past: Past & { readonly moments: Moments },
  text: string,
  limits: LimitedView,
): Promise<Moment | Rejection> {
  const place = await placeOf(past, text, limits);
  if (!('position' in place)) return place;
  const { position, at } = place;
  const { read } = await past.moments.after(position);
  const since = { access: accessThen(read, limits), owners: await ownersSince(past.search, position) };
  return { position, at, read: read.limitedTo(limits.access, since) };
}

/** The last event of the moment, 0 = none, and its time for the caller, ms since 1970. */
async function placeOf(
  { search, positionAt, now }: Past,
  text: string,
  { positions }: LimitedView,
): Promise<{ readonly position: number; readonly at: number } | Rejection> {
  const value = text.slice(0, MAX_VALUE);
  if (POSITION.test(text)) {
    const position = positions.reveal(Number(text));
    // A command of another admin may have changed more clients. So each of its events names its end.
    const range = position && position <= search.head().position ? await rangeOf(search, position) : null;
    if (range === null) return reject('MOMENT_POSITION_INVALID', { value });
    return { position: range.last.position, at: range.last.meta.at };
  }
  const at = isoTime(text);
  if (at === null) return reject('MOMENT_INVALID', { value });
  if (at > now()) return reject('MOMENT_FUTURE', { value });
  return { position: positionAt(at), at };
}

/** What the admin or the token of a caller could see at a moment. */
function accessThen({ admins }: ReadModels, { access, caller }: LimitedView): Access {
  const state = admins.access();
  // An account without an entry is an owner, but only since it was added.
  if (access.admin !== null) return admins.users().users.has(access.admin) ? accessOf(state, access.admin) : NOTHING;
  const token = state.tokens.get(Number(caller.id));
  return token ? accessOfToken(state, token) : NOTHING;
}

/** The newest owners that were assigned to clients after a position; null = none. */
async function ownersSince(search: LogSearch, position: number): Promise<ReadonlyMap<number, number | null>> {
  const owners = new Map<number, number | null>();
  for (let before = Number.MAX_SAFE_INTEGER; before > position + 1; await nextTurn()) {
    const { headers, next } = search.ofStream('client-owners', before, PAGE);
    for (const header of headers) {
      const event = header.position > position ? search.event(header.position) : undefined;
      if (event?.type !== 'OwnerAssigned') continue;
      for (const client of event.data.clients) if (!owners.has(client)) owners.set(client, event.data.owner);
    }
    before = next;
  }
  return owners;
}
