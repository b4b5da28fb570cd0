import { emailKey } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { message } from '../../messages/message.js';
import type { CommandContext } from '../bus.js';
import type { SingleCommand } from '../catalog.js';
import { clientsNamed, usedTogether } from '../client/siblings.js';
import type { InboundUsage } from '../inbound/restore.js';
import type { Rehearsal } from '../rehearsal.js';
import { Rejection } from '../rejection.js';
import { AddedAgain, ownersBack } from './owners.js';
import type { PastCommand } from './past-command.js';
import type { Obstacle } from './planning.js';
import { planUndo } from './undo-plan.js';

/** What takes a command back, and what stays as it is. */
export interface Undo {
  /** Carried out as one `Sequence`. */
  readonly commands: readonly SingleCommand[];
  readonly obstacles: readonly Obstacle[];
}

/** The counters of the clients and inbounds that a command deleted, when it did so. */
export interface FormerCounters {
  readonly clients: ReadonlyMap<ClientNumber, Counter>;
  readonly inbounds: ReadonlyMap<InboundId, InboundUsage>;
}

/** Decides what takes a command back in the present state. A compensation that a rule refuses is an obstacle. */
export function decideUndo(
  past: PastCommand,
  rehearsal: Rehearsal,
  former: FormerCounters,
  context: CommandContext,
): Undo {
  const plan = planUndo(past, rehearsal.state, former.inbounds);
  const commands: SingleCommand[] = [];
  const obstacles = [...plan.obstacles];
  const again = new AddedAgain();
  const attempt = (command: SingleCommand, document = ''): Rejection | null => {
    const done = rehearsal.dispatch(command, context);
    if (done instanceof Rejection) return done;
    if (done.events.length > 0) commands.push(command);
    again.note(document, done.events);
    return null;
  };
  for (const { document, name, command } of plan.compensations) {
    const refused = attempt(command, document);
    if (refused) obstacles.push({ document, name, field: '', why: message('undo.refused', { why: refused.text }) });
  }
  const owners = ownersBack(past.owners, past.clients, rehearsal.state, again);
  const refused = owners.command && attempt(owners.command);
  if (refused)
    obstacles.push({
      ...{ document: 'client-owners', name: '', field: '', why: message('undo.refused', { why: refused.text }) },
    });
  const { counters, below } = countersBack(
    past,
    plan.readded.map(({ number, identity }) => ({ number, email: identity.email })),
    former.clients,
    rehearsal,
  );
  if (counters.length > 0) attempt({ type: 'AdjustClientsTraffic', data: { counters } });
  return { commands, obstacles: [...obstacles, ...owners.obstacles, ...below] };
}

/** The counters of the emails whose counters the command reset, set or deleted, with the bytes counted since. */
function countersBack(
  { events }: PastCommand,
  readded: readonly { readonly number: ClientNumber; readonly email: string }[],
  former: FormerCounters['clients'],
  { state }: Rehearsal,
) {
  const more = new Map<string, { readonly email: string; up: number; down: number }>();
  const add = (email: string | undefined, { up, down }: Counter): void => {
    if (email === undefined) return;
    const sum = more.get(emailKey(email)) ?? { email, up: 0, down: 0 };
    sum.up += up;
    sum.down += down;
    more.set(emailKey(email), sum);
  };
  const transferred = new Set<number>();
  for (const event of events) {
    if (event.type === 'ClientTrafficTransferred') transferred.add(event.data.fromClient);
    if (event.type === 'ClientTrafficReset') add(state.clients.get(event.data.client)?.identity.email, event.data);
    if (event.type !== 'ClientTrafficAdjusted') continue;
    const { client, before, up, down } = event.data;
    add(state.clients.get(client)?.identity.email, { up: before.up - up, down: before.down - down });
  }
  // The bytes of a client that left siblings behind are counted there.
  for (const { number, email } of readded) if (!transferred.has(number)) add(email, former.get(number) ?? zero);
  const counters: { email: string; up: number; down: number }[] = [];
  const below: Obstacle[] = [];
  for (const { email, up, down } of more.values()) {
    const clients = clientsNamed(state, email);
    const [first] = clients;
    if (!first || (up === 0 && down === 0)) continue;
    const now = usedTogether(state, clients);
    const next = { up: now.up + up, down: now.down + down };
    if (next.up < 0 || next.down < 0)
      below.push({ document: `client-${first.number}`, name: email, field: '', why: message('undo.counterBelow') });
    counters.push({ email, up: Math.max(0, next.up), down: Math.max(0, next.down) });
  }
  return { counters, below };
}
