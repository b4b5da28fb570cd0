import { setImmediate as nextTurn } from 'node:timers/promises';
import { Rejection, reject } from '../../../commands/rejection.js';
import type { Client } from '../../../events/client/client-document.js';
import { allMembersOf } from '../../../events/client/members.js';
import type { ClientNumber } from '../../../events/ids.js';
import { sumOf } from '../../../events/traffic/counters.js';
import type { RecountRule } from '../../../events/traffic/traffic.js';
import { zoneNamed } from '../../../lib/time/calendar.js';
import { Days } from '../../../lib/time/days.js';
import { inSlices } from '../../../lib/time/slices.js';
import { message } from '../../../messages/message.js';
import { bytesOf, type RecountChange, recountChanges } from '../../../projections/recount/changes.js';
import { recountRules, type WrittenRule } from '../../../projections/recount/rules.js';
import type { Needs } from '../context.js';
import type { recountRoutes } from '../contract/recount.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';

type Services = Needs<'read' | 'audit' | 'scans'>;

interface Asked {
  readonly rules: readonly WrittenRule[];
  readonly client: string;
  readonly inbound: number;
  readonly all?: boolean | undefined;
  readonly position: number;
}

interface Recounted {
  readonly rules: readonly RecountRule[];
  readonly position: number;
  readonly unchecked: number;
  readonly changes: readonly RecountChange[];
}

const DEFAULT_LIMIT = 100;
/** Headers that are read in one turn of the event loop. */
const HEADERS = 500;

export const recountHandlers: Handlers<typeof recountRoutes, Services> = {
  async preview({ body: { skip, limit, ...asked } }, services, { signal }) {
    const found = await recounted(services, asked, signal);
    if (found instanceof Rejection) return found;
    const { position, unchecked, changes } = found;
    // There may be a change for each client. Each of these takes a turn of some ms.
    const differences = changes.map((change) => [change, differenceIn(change)] as const);
    await nextTurn();
    const sorted = differences.toSorted(([, one], [, other]) => other - one);
    await nextTurn();
    const counted = sumOf(changes.map((change) => change.counted));
    const due = sumOf(changes.map((change) => change.recounted));
    const shown = sorted.slice(skip, skip + (limit || DEFAULT_LIMIT)).map(([change]) => change);
    return { position, unchecked, clients: changes.length, counted, recounted: due, changes: shown };
  },

  async apply({ body: asked }, services, { change, signal }) {
    const found = await recounted(services, asked, signal);
    if (found instanceof Rejection) return found;
    const { rules, position, changes } = found;
    if (changes.length === 0) return new Message(message('recount.nothing'), DONE_NOTHING);
    const { head, refused } = await outdatedSince(services, found, signal);
    if (refused) return refused;
    const done = await change(() => {
      const last = services.audit.log.head().position;
      return (
        outdatedBetween(services, changes, head, last) ?? {
          type: 'RecountTraffic',
          data: { rules, position, changes: changes.map(commandOf) },
        }
      );
    });
    if (done instanceof Rejection) return done;
    const count = (type: string): number => done.events.filter((event) => event.type === type).length;
    const event = done.events.find(({ type }) => type === 'TrafficRecounted');
    const adjusted = event?.type === 'TrafficRecounted' ? event.data.clients : 0;
    const effects = { depleted: count('ClientDepleted'), reactivated: count('ClientReactivated') };
    return new Message(message('recount.applied', { adjusted, ...effects }), {
      ...{ event: event?.position ?? 0, adjusted },
      ...effects,
    });
  },
};

const differenceIn = ({ counted, recounted: due }: RecountChange): number => Math.abs(bytesOf(due) - bytesOf(counted));

const DONE_NOTHING = { event: 0, adjusted: 0, depleted: 0, reactivated: 0 };

const commandOf = ({ client, counted, recounted: due }: RecountChange) => ({
  client: client as ClientNumber,
  counted,
  recounted: due,
});

/** What a request asks for, or why it cannot be answered. */
async function recounted(
  { read, audit, scans }: Services,
  { rules: written, position: asked, client, inbound, all }: Asked,
  signal: AbortSignal,
): Promise<Recounted | Rejection> {
  const scope = { client, inbound, all };
  const clients = clientsOf(read, scope);
  if (clients instanceof Rejection) return clients;
  const head = audit.log.head().position;
  if (asked > head) return reject('EVENT_UNKNOWN', { position: asked, head });
  const position = asked || head;
  const parsed = recountRules(
    written,
    [...read.nodes.all()],
    new Days(zoneNamed(read.settings.current().timeLocation)),
  );
  if ('problem' in parsed) {
    const { field, problem } = parsed;
    return reject('INPUT_INVALID', { problems: [message('input.at', { path: `rules.${field}`, problem })] });
  }
  const { rules } = parsed;
  const table = await scans.recount(rules, position);
  if (table instanceof Rejection) return table;
  const { counted, recounted: due, unchecked } = table;
  // Clients may have been deleted during the scan.
  const present = clientsOf(read, scope);
  if (present instanceof Rejection) return present;
  const changes = await inSlices(recountChanges(read, present, counted, due), signal);
  return { rules, position, unchecked, changes };
}

/** The clients of a request. */
function clientsOf(
  read: Services['read'],
  { client, inbound, all = false }: Omit<Asked, 'rules' | 'position'>,
): readonly Client[] | Rejection {
  if ([client !== '', inbound !== 0, all].filter(Boolean).length !== 1) return reject('RECOUNT_SCOPE');
  if (all) return [...read.clients.all()];
  if (inbound !== 0)
    return read.inbounds.get(inbound)
      ? read.clients.ofInbound(inbound as never)
      : reject('INBOUND_NOT_FOUND', { inbound });
  const named = read.clients.byEmail(client);
  return named.length === 0 ? reject('CLIENT_NOT_FOUND', { client }) : named;
}

/** After these events a recount up to an earlier position no longer holds for their clients, or for all. */
const OUTDATING: ReadonlySet<string> = new Set([
  ...[
    'ClientTrafficReset',
    'ClientsTrafficReset',
    'ClientTrafficAdjusted',
    'ClientTrafficTransferred',
    'ClientHistoryImported',
  ],
  'MeasurementsRolledUp',
]);

/** Why a recount no longer holds at the head of the log. */
async function outdatedSince(services: Services, { position, changes }: Recounted, signal: AbortSignal) {
  const { log } = services.audit;
  let head = position;
  for (;;) {
    const last = Math.min(head + HEADERS, log.head().position);
    const refused = outdatedBetween(services, changes, head, last);
    head = last;
    if (refused || head === log.head().position) return { head, refused };
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** The same for the events after `after` up to `last`. */
function outdatedBetween(
  { read, audit }: Services,
  changes: readonly RecountChange[],
  after: number,
  last: number,
): Rejection | null {
  if (last <= after) return null;
  const filter = { types: OUTDATING, actorKind: null, from: 0, to: Number.MAX_SAFE_INTEGER };
  const found = audit.log.between(after + 1, last, filter);
  if (found.length === 0) return null;
  if (found.some(({ type }) => type === 'MeasurementsRolledUp')) return reject('RECOUNT_SUMMED');
  const events = found.flatMap(({ position }) => audit.log.event(position) ?? []);
  const streams = new Set(allMembersOf(events).map(({ stream }) => stream));
  const changed = changes.find(({ email }) =>
    read.clients.byEmail(email).some(({ number }) => streams.has(`client-${number}`)),
  );
  return changed ? reject('RECOUNT_OUTDATED', { client: changed.email }) : null;
}
