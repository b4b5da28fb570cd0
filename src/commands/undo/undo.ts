import type { AccessState } from '../../events/access/access-document.js';
import { accessOfActor } from '../../events/access/access-of.js';
import { type Client, emailKey } from '../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { message } from '../../messages/message.js';
import { stateSeenBy } from '../access/restriction.js';
import type { CommandContext } from '../bus.js';
import { clientsNamed, usedTogether } from '../client/siblings.js';
import type { InboundUsage } from '../inbound/restore.js';
import type { Rehearsal } from '../rehearsal.js';
import { Rejection, type RejectionCode, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { AddedAgain, ownersBack } from './owners.js';
import type { PastCommand } from './past-command.js';
import { type CompensatingCommand, DELETED_SINCE, type Obstacle } from './planning.js';
import { planUndo } from './undo-plan.js';

/** What takes a command back, and what stays as it is. */
export interface Undo {
  /** Carried out as one `Sequence`. */
  readonly commands: readonly CompensatingCommand[];
  readonly obstacles: readonly Obstacle[];
  /** Why the caller may not undo this; null = the caller may. */
  readonly forbidden: Rejection | null;
}

/** What the clients and inbounds that a command deleted had counted when it did so, and who had these inbounds. */
export interface FormerCounters {
  readonly clients: ReadonlyMap<ClientNumber, Counter>;
  readonly inbounds: ReadonlyMap<InboundId, InboundUsage>;
  /** Null if the command deleted no inbounds. */
  readonly access: AccessState | null;
}

/** Rejections that are about the caller. Nothing of such an undo is carried out. */
const FORBIDDEN: ReadonlySet<RejectionCode> = new Set<RejectionCode>(['FORBIDDEN', 'OUT_OF_SCOPE']);
/** Refusals that a caller with limits gets with their reasons. Each of these costs as much as reading all clients. */
const MAX_EXPLAINED = 20;

/**
 * Decides what takes a command back in the present state. A compensation that a rule refuses is an obstacle. For a caller who
 * sees only a part of the clients, the others do not exist; its permissions and quotas are checked for all commands together,
 * when they are carried out. `rehearsal` has decided nothing before.
 */
export function decideUndo(
  past: PastCommand,
  rehearsal: Rehearsal,
  former: FormerCounters,
  context: CommandContext,
): Undo {
  const record: CompensatingCommand = {
    type: 'RecordUndo',
    data: { from: past.first.position, to: past.last.position },
  };
  // If the command is already undone, the record is refused, and it alone is the answer.
  if (rehearsal.dispatch(record, context) instanceof Rejection)
    return { commands: [record], obstacles: [], forbidden: null };
  const access = accessOfActor(rehearsal.state.access, context.actor);
  const visible = (): PanelState => (access.isLimited ? stateSeenBy(access, rehearsal.state) : rehearsal.state);
  const plan = planUndo(past, visible(), former);
  const commands: CompensatingCommand[] = [];
  const obstacles = [...plan.obstacles];
  const again = new AddedAgain();
  let forbidden: Rejection | null = null;
  const attempt = (command: CompensatingCommand, document = '', name = ''): Rejection | null => {
    const done = access.isLimited ? rehearsal.dispatchPart(command, context) : rehearsal.dispatch(command, context);
    if (done instanceof Rejection) {
      if (FORBIDDEN.has(done.code)) forbidden ??= done;
      if (!access.isLimited) return done;
      // The reason of a rule for the whole panel may name a client of others.
      const own = obstacles.length < MAX_EXPLAINED ? rehearsal.dispatch(command, context) : null;
      return own instanceof Rejection ? own : reject('EMAIL_UNAVAILABLE', { email: name });
    }
    if (done.events.length > 0) commands.push(command);
    again.note(document, done.events);
    return null;
  };
  for (const { document, name, command } of plan.compensations) {
    const refused = attempt(command, document, name);
    if (refused) obstacles.push({ document, name, field: '', why: message('undo.refused', { why: refused.text }) });
  }
  const owners = ownersBack(past.owners, past.clients, visible(), again);
  const refused = owners.command && attempt(owners.command);
  if (refused)
    obstacles.push({
      ...{ document: 'client-owners', name: '', field: '', why: message('undo.refused', { why: refused.text }) },
    });
  const { counters, obstacles: uncounted } = countersBack(
    past,
    plan.readded.filter((client) => again.numberOf(client) !== undefined),
    former.clients,
    visible(),
  );
  if (counters.length > 0) attempt({ type: 'AdjustClientsTraffic', data: { counters } });
  return {
    commands: commands.length > 0 ? [record, ...commands] : [],
    obstacles: [...obstacles, ...owners.obstacles, ...uncounted],
    forbidden,
  };
}

/** The counters of the emails whose counters the command reset, set or deleted, with the bytes counted since. */
function countersBack(
  { events, clients: steps }: PastCommand,
  readded: readonly Client[],
  former: FormerCounters['clients'],
  state: PanelState,
) {
  const more = new Map<string, { readonly email: string; up: number; down: number }>();
  const obstacles: Obstacle[] = [];
  const add = (email: string, { up, down }: Counter): void => {
    const sum = more.get(emailKey(email)) ?? { email, up: 0, down: 0 };
    sum.up += up;
    sum.down += down;
    more.set(emailKey(email), sum);
  };
  const addTo = (number: ClientNumber, counter: Counter): void => {
    const client = state.clients.get(number);
    const step = steps.get(number);
    if (client) add(client.identity.email, counter);
    // A client that the command itself added or deleted has its own undo.
    else if (!step || (step.before && step.after))
      obstacles.push({ document: `client-${number}`, name: '', field: '', why: DELETED_SINCE });
  };
  const transferred = new Set<number>();
  for (const { type, data } of events) {
    if (type === 'ClientTrafficTransferred') transferred.add(data.fromClient);
    if (type === 'ClientTrafficReset') addTo(data.client, data);
    if (type === 'ClientTrafficAdjusted')
      addTo(data.client, { up: data.before.up - data.up, down: data.before.down - data.down });
  }
  // The bytes of a client that left siblings behind are counted there.
  for (const { number, identity } of readded)
    if (!transferred.has(number)) add(identity.email, former.get(number) ?? zero);
  const counters: { email: string; up: number; down: number }[] = [];
  for (const { email, up, down } of more.values()) {
    const clients = clientsNamed(state, email);
    const [first] = clients;
    if (!first || (up === 0 && down === 0)) continue;
    const now = usedTogether(state, clients);
    const next = { up: now.up + up, down: now.down + down };
    if (next.up < 0 || next.down < 0)
      obstacles.push({ document: `client-${first.number}`, name: email, field: '', why: message('undo.counterBelow') });
    counters.push({ email, up: Math.max(0, next.up), down: Math.max(0, next.down) });
  }
  return { counters, obstacles };
}
