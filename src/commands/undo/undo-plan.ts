import type { ClientNumber } from '../../events/ids.js';
import { message } from '../../messages/message.js';
import type { PanelState } from '../state.js';
import type { PastCommand } from './past-command.js';
import { DELETED_SINCE, KEY_DESTROYED, Planning, type UndoPlan } from './planning.js';
import { accessBack } from './undo-access.js';
import { totalsBack } from './undo-counters.js';
import { clientsBack, type FormerInbounds, inboundsBack, nodeBack } from './undo-documents.js';
import { otherCommands } from './undo-others.js';
import { servicesBack } from './undo-services.js';

/** The commands that take a past command back, as far as it can be, decided on the present state. */
export function planUndo(past: PastCommand, state: PanelState, former: FormerInbounds): UndoPlan {
  const planning = new Planning();
  const moved = movesBack(past, state, planning);
  removeAdded(past, state, planning, moved);
  const readdedInbounds = inboundsBack(past, state, planning, former);
  for (const [number, step] of past.nodes) nodeBack(`node-${number}`, step, state, planning);
  const readded = clientsBack(past, state, planning, { moved, readdedInbounds });
  accessBack(past, state, planning);
  servicesBack(past, state, planning);
  totalsBack(past, state, planning);
  otherCommands(past, state, planning);
  return { compensations: planning.compensations, obstacles: planning.obstacles, readded };
}

/** Clients that the command moved to another inbound: `[from, to]`. They go back. Returns both numbers of each. */
function movesBack(past: PastCommand, state: PanelState, planning: Planning): ReadonlySet<ClientNumber> {
  const numbers = new Set<ClientNumber>();
  for (const event of past.events) {
    if (event.type !== 'ClientTrafficTransferred') continue;
    const { client: to, fromClient: from } = event.data;
    const [target, source] = [past.clients.get(to), past.clients.get(from)];
    if (!target || target.before !== null || !source?.before || source.after !== null) continue;
    numbers.add(to).add(from);
    const [document, name] = [`client-${to}`, source.before.identity.email];
    const current = state.clients.get(to);
    if (!current) planning.cannot(document, name, DELETED_SINCE);
    else if (source.erased) planning.cannot(document, name, KEY_DESTROYED);
    else {
      const { spec, identity } = current;
      const draft = {
        spec: { ...spec, flow: source.before.spec.flow },
        identity,
        credential: source.before.credential,
      };
      const moves = [{ client: to, inbound: source.before.inbound, draft }];
      planning.do(document, name, { type: 'MoveClients', data: { moves } });
    }
  }
  return numbers;
}

function removeAdded(
  { clients, inbounds, nodes }: PastCommand,
  state: PanelState,
  planning: Planning,
  moved: ReadonlySet<ClientNumber>,
): void {
  const gone = new Set([...inbounds].flatMap(([id, { before }]) => (before === null ? [id] : [])));
  for (const [number, { before, after }] of clients) {
    if (before !== null || after === null || moved.has(number) || gone.has(after.inbound)) continue;
    if (state.clients.has(number))
      planning.do(`client-${number}`, after.identity.email, { type: 'DeleteClients', data: { clients: [number] } });
  }
  for (const [id, { before, after }] of inbounds) {
    if (before !== null || after === null || !state.inbounds.has(id)) continue;
    const [document, name] = [`inbound-${id}`, after.remark || after.tag];
    const later = [...(state.clientsOf.get(id) ?? [])].filter((number) => !clients.has(number)).length;
    if (later > 0) planning.cannot(document, name, message('undo.clientsSince', { count: later }));
    else planning.do(document, name, { type: 'DeleteInbound', data: { inbound: id } });
  }
  for (const [number, { before, after }] of nodes) {
    if (before !== null || after === null || !state.nodes.has(number)) continue;
    const [document, name] = [`node-${number}`, after.name];
    const bound = [...state.inbounds.values()].filter(({ node, id }) => node === number && !gone.has(id)).length;
    if (bound > 0) planning.cannot(document, name, message('undo.inboundsSince', { count: bound }));
    else planning.do(document, name, { type: 'DeleteNode', data: { node: number } });
  }
}
